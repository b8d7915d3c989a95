import ArgumentParser
import Core

/// `tote store edit`.
struct StoreEdit: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "change a document in an editor",
    discussion: """
      Opens the document's own members in the editor that VISUAL or EDITOR names, else in vi, and \
      writes them back when the editor ends. Lines that begin with '//' are remarks and are left out; \
      attachments stay as they are.

      A mistake in the JSON, or a change made by someone else meanwhile, opens the editor again with \
      a remark on top that says so; nothing typed is lost. A text that was not changed is not \
      written. To give up, empty the file.
      """)

  static let examples = [
    Example("tote store edit notes milk", "change a document"),
    Example("EDITOR='code --wait' tote store edit notes milk", "in another editor"),
  ]

  static let outputKeys = Written.outputKeys
  static let exitCodes = ExitClass.documented(
    .failed, .invalidInput, .notFound, .inputOutput, .conflict)
  static let seeAlso = ["tote store put", "tote store history"]

  @OptionGroup var global: GlobalOptions

  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(help: .document, completion: .documentIDs)
  var document: String

  func run(in context: Context) async throws {
    let store = try context.anyStore(store)
    let current = try await store.document(document, ReadOptions())
    var session = try EditSession(store: store, document: current, context: context)
    let revision = try await session.run()
    guard let revision else {
      if let known = current.revision, context.mode != .human {
        try context.emit(Written(id: document, revision: known))
      }
      return try context.note("'\(document)' was not changed")
    }
    try context.emit(Written(id: document, revision: revision))
  }
}
