import ArgumentParser
import Core

/// `tote store index rm`.
struct StoreIndexRemove: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "remove an index",
    discussion: "Documents are not touched; searches that used the index become slower.")

  static let examples = [Example("tote store index rm notes words", "remove the index 'words'")]

  static let outputKeys = [OutputKey("ok", "boolean", "true")]
  static let exitCodes = ExitClass.documented(.notFound, .inputOutput)
  static let seeAlso = ["tote store index list", "tote store index create"]

  @OptionGroup var global: GlobalOptions

  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(help: ArgumentHelp("the index's name", valueName: "NAME"), completion: .indexNames)
  var name: String

  func run(in context: Context) async throws {
    let store = try context.anyStore(store)
    do {
      try await store.deleteIndex(name, designDocument: nil)
    } catch StoreError.indexNotFound {
      let names = try await store.indexes().map(\.name)
      let similar = Suggestions.nearest(to: name, in: names).map { "'\($0)'" }
      throw CommandError(
        .notFound, "not_found", "index '\(name)' not found",
        hint: similar.isEmpty
          ? "run 'tote store index list \(shellQuoted(store.name))' to see its indexes"
          : "did you mean \(similar.joined(separator: " or "))?",
        details: [("index", .string(name))])
    }
    if context.mode != .human { try context.emit(json: ["ok": true]) }
    try context.note("removed index '\(name)'")
  }
}
