import ArgumentParser
import Core

/// `tote store conflicts`.
struct StoreConflicts: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts", abstract: "list documents in conflict, or one document's versions",
    discussion: """
      A conflict arises when a document was changed in two places before they synced. One version \
      is current and the others are kept; 'tote store resolve' ends it.

      Without DOC all documents in conflict are listed. With DOC its versions are printed, the \
      current one first; with '--json' as CouchDB's 'open_revs' answers.
      """)

  static let examples = [
    Example("tote store conflicts notes", "documents in conflict"),
    Example("tote store conflicts notes milk", "the versions of one document"),
  ]

  static let outputKeys = [
    OutputKey("id", "string", "without DOC: the document's id"),
    OutputKey("rev", "string", "without DOC: its current revision"),
    OutputKey("conflicts", "array of strings", "without DOC: the revisions that lost"),
    OutputKey("ok", "object", "with DOC: a version, as 'tote store get' prints it"),
  ]

  static let exitCodes = ExitClass.documented(.notFound, .inputOutput)
  static let seeAlso = ["tote store resolve", "tote store history"]

  @OptionGroup var global: GlobalOptions

  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(help: .document, completion: .documentIDs)
  var document: String?

  func run(in context: Context) async throws {
    let store = try context.anyStore(store)
    if let document { return try await show(document, of: store, in: context) }
    var options = ReadOptions()
    options.conflicts = true
    let list = ListWriter<ConflictLine>(context)
    let ids = try await store.conflictedDocuments()
    for id in ids {
      // Gone or resolved meanwhile: then it is no conflict any more.
      guard let document = try? await store.document(id, options) else { continue }
      try list.add(ConflictLine(document: document))
    }
    try list.finish()
    if ids.isEmpty { try context.note("nothing is in conflict in '\(store.name)'") }
  }

  private func show(_ id: String, of store: any DocumentStore, in context: Context) async throws {
    let answers = try await store.openRevisions(of: id, .leaves, ReadOptions())
    let versions = answers.compactMap { answer -> Document? in
      guard case .found(let document) = answer, !document.isDeleted else { return nil }
      return document
    }
    guard !versions.isEmpty else { throw StoreError.documentNotFound(id: id, .deleted) }
    let writer = DocumentWriter(context, isList: true)
    for version in versions {
      if context.mode == .human {
        try writer.add(version.jsonBytes)
      } else {
        try writer.add(Array("{\"ok\":".utf8) + version.jsonBytes + [UInt8(ascii: "}")])
      }
    }
    try writer.finish()
    if versions.count == 1 { return try context.note("'\(id)' is not in conflict") }
    try context.note(
      "the first of \(versions.count) versions is current; choose with "
        + "'tote store resolve \(shellQuoted(store.name)) \(shellQuoted(id)) --keep REV'")
  }
}

/// A line of the list of documents in conflict.
struct ConflictLine: ListRow {
  let document: Document

  static let columns = [
    Column("ID", .identifier), Column("CURRENT", .identifier, dropOrder: 1),
    Column("IN CONFLICT WITH", .identifier, dropOrder: 2),
  ]

  private var conflicts: [String] {
    (document.annotations.conflicts ?? []).map(\.description)
  }

  var json: JSON {
    [
      "id": .string(document.id),
      "rev": document.revision.map { .string($0.description) } ?? .null,
      "conflicts": .array(conflicts.map { .string($0) }),
    ]
  }

  func cells(on screen: Screen) -> [Cell] {
    [
      Cell(document.id), Cell(document.revision?.description ?? ""),
      Cell(conflicts.joined(separator: " "), look: .yellow),
    ]
  }
}
