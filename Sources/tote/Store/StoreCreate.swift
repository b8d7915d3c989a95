import ArgumentParser
import Core
import Sync

/// `tote store create`.
struct StoreCreate: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "make a new, empty store",
    discussion: """
      A name begins with a-z and goes on with a-z, 0-9 and _ $ ( ) + - /.

      The collation decides how strings are ordered in sorts and ranges: 'codepoint' by the numbers \
      of their characters, fast and the same everywhere; 'unicode' as dictionaries and CouchDB do. \
      It cannot be changed later.
      """)

  static let examples = [
    Example("tote store create notes", "make the store 'notes'"),
    Example(
      "tote store create work/contacts --collation unicode", "one that sorts as CouchDB does"),
  ]

  static let outputKeys = [
    OutputKey("ok", "boolean", "true"),
    OutputKey("name", "string", "the new store's name"),
    OutputKey("collation", "string", "'codepoint' or 'unicode'"),
  ]

  static let exitCodes = ExitClass.documented(.invalidInput, .cannotCreate, .inputOutput)
  static let seeAlso = ["tote store put", "tote store import"]

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("how strings are ordered", valueName: "ORDER"))
  var collation: Collation = .codePoint

  @Argument(help: ArgumentHelp("the new store's name", valueName: "NAME"))
  var name: String

  func run(in context: Context) async throws {
    // Both may stand in the same place of a command line, so a name means one thing only.
    if try context.remotes().contains(name) {
      throw CommandError(
        .cannotCreate, "exists", "'\(name)' is the name of a saved remote",
        hint: "choose another name")
    }
    let store = try context.stores().create(name, collation: collation)
    if context.mode != .human {
      try context.emit(
        json: [
          "ok": true, "name": .string(store.name), "collation": .string(store.collation.rawValue),
        ])
    }
    try context.note("created store '\(name)'")
  }
}
