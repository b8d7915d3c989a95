import ArgumentParser
import Core

/// `tote store rm`.
struct StoreRemove: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "delete documents",
    discussion: """
      A deletion is a revision like any other, so that it reaches other machines, and the text \
      before it can be read and written back until the store is compacted.

      Without '--rev' the current revision is deleted. More than three documents are deleted only \
      after a question, or with '--yes'. '-' reads ids from standard input, one a line.
      """)

  static let examples = [
    Example("tote store rm notes milk", "delete a document"),
    Example("tote store rm notes milk bread --json", "two, with an answer for each"),
    Example("tote store rm notes - --yes", "those whose ids are on standard input"),
  ]

  static let outputKeys =
    Written.outputKeys + [
      OutputKey("dryRun", "boolean", "true with '--dry-run', else absent"),
      OutputKey("error", "string", "what kind of failure it was, instead of 'ok'"),
      OutputKey("reason", "string", "why it failed, instead of 'rev'"),
    ]

  static let exitCodes = ExitClass.documented(.failed, .usage, .notFound, .inputOutput, .conflict)
  static let seeAlso = ["tote store history", "tote store delete"]

  /// As many are deleted without a question.
  private static let unaskedCount = 3

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("the revision to delete", valueName: "R"), completion: .revisions)
  var rev: RevisionID?

  @Flag(help: "do not ask")
  var yes = false

  @Flag(help: "tell what would be deleted, and change nothing")
  var dryRun = false

  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(
    help: ArgumentHelp("ids of documents; '-' reads them", valueName: "DOC"),
    completion: .documentIDs)
  var documents: [String]

  func validate() throws {
    if rev != nil && documents.count > 1 {
      throw ValidationError("'--rev' goes with one document, and \(documents.count) are named")
    }
  }

  func run(in context: Context) async throws {
    let store = try context.anyStore(store)
    let ids = documents == ["-"] ? try typedIDs(in: context) : documents
    if ids.count > Self.unaskedCount, !yes, !dryRun {
      let isSure = try context.prompt.confirm("delete \(ids.count) documents from '\(store.name)'?")
      guard isSure else { throw CommandError(.failed, "failed", "nothing was deleted") }
    }
    let removal = Removal(store: store, context: context, isDryRun: dryRun)
    try await removal.remove(ids, revision: rev)
  }

  private func typedIDs(in context: Context) throws -> [String] {
    let bytes = try JSONInput.standardInput.bytes(in: context)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError.invalidInput("the ids on standard input are not UTF-8")
    }
    return text.split(whereSeparator: \.isNewline).map(String.init)
  }
}

/// Deletes documents one by one and tells what became of each.
struct Removal {
  let store: any DocumentStore
  let context: Context
  let isDryRun: Bool

  func remove(_ ids: [String], revision: RevisionID?) async throws {
    let list = ids.count == 1 ? nil : ListWriter<Written>(context)
    var failures = PartialFailure()
    var undo: (id: String, revision: RevisionID)?
    for id in ids {
      do {
        let (row, before) = try await remove(id, revision)
        try list?.add(row)
        if list == nil { try context.emit(row) }
        undo = undo ?? before.map { (id, $0) }
      } catch {
        let known = try failures.noting(error)
        if context.mode != .human { try list?.add(Written(id: id, error: known)) }
      }
    }
    try list?.finish()
    if !isDryRun, let undo { try noteUndo(undo.id, undo.revision, isOne: ids.count == 1) }
    try failures.finish(inputs: ids.count)
  }

  /// - Returns: what to print, and the revision whose text brings the document back.
  private func remove(
    _ id: String, _ revision: RevisionID?
  ) async throws -> (Written, RevisionID?) {
    if isDryRun {
      guard let current = try await store.document(id, ReadOptions(revision: revision)).revision
      else {
        throw StoreError.documentNotFound(id: id, .missing)
      }
      return (Written(id: id, revision: current, isDryRun: true), nil)
    }
    if let revision {
      return (Written(id: id, revision: try await store.delete(id, revision: revision)), revision)
    }
    let (tombstone, before) = try await store.deleteLatest(id)
    if let other = try? await store.document(id, ReadOptions()).revision {
      try context.warn(
        "conflict", "'\(id)' is still there with its conflicting revision \(other)")
    }
    return (Written(id: id, revision: tombstone), before)
  }

  private func noteUndo(_ id: String, _ revision: RevisionID, isOne: Bool) throws {
    guard context.streams.errorTraits.isTerminal, !DocumentID.isLocal(id) else { return }
    let name = shellQuoted(store.name)
    try context.note(
      "undo\(isOne ? "" : " the first") with: tote store get \(name) \(shellQuoted(id)) "
        + "--rev \(revision) | tote store put \(name) --replace-latest -")
  }
}

/// The text as one word of a shell.
func shellQuoted(_ text: String) -> String {
  let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:@%".utf8
  if !text.isEmpty, text.utf8.allSatisfy({ plain.contains($0) }), text.utf8.first != 0x2d {
    return text
  }
  return "'" + text.replacing("'", with: "'\\''") + "'"
}
