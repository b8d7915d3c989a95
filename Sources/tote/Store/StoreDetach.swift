import ArgumentParser
import Core

/// `tote store detach`.
struct StoreDetach: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "detach", abstract: "remove an attachment from a document",
    discussion: """
      Writes a new revision of the document without the attachment. Its bytes stay until the store is \
      compacted and nothing else names them.
      """)

  static let examples = [Example("tote store detach notes milk label.jpg", "remove one")]

  static let outputKeys = Written.outputKeys
  static let exitCodes = ExitClass.documented(.notFound, .inputOutput, .conflict)
  static let seeAlso = ["tote store attach", "tote store compact"]

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp("the revision that is replaced", valueName: "R"), completion: .revisions)
  var rev: RevisionID?

  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(help: .document, completion: .documentIDs)
  var document: String

  @Argument(
    help: ArgumentHelp("the attachment's name", valueName: "NAME"), completion: .attachmentNames)
  var name: String

  func run(in context: Context) async throws {
    let store = try context.anyStore(store)
    let revision =
      if let rev {
        try await store.put(
          try without(try await store.document(document, ReadOptions(revision: rev))))
      } else {
        try await store.update(document) { current in
          guard let current else { throw StoreError.documentNotFound(id: document, .missing) }
          return try without(current)
        }.revision
      }
    try context.emit(Written(id: document, revision: revision))
    try context.note("detached '\(name)' from '\(document)'")
  }

  private func without(_ document: Document) throws -> Document {
    var document = document
    let count = document.attachments.count
    document.attachments.removeAll { utf8Equal($0.name, name) }
    guard document.attachments.count < count else {
      throw StoreError.attachmentNotFound(id: document.id, name: name)
    }
    return document
  }
}
