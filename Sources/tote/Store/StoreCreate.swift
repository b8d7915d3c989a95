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

      '--encrypt' makes a store that SQLCipher 4 and every program made with it can open, given the \
      passphrase. The passphrase is asked for twice, or taken from '--passphrase-file', '--key-file' \
      or TOTE_PASSPHRASE. Without it nobody can read the store again.

      NAME may also be the URL of a database, or a saved remote, to be made on a server.
      """)

  static let examples = [
    Example("tote store create notes", "make the store 'notes'"),
    Example("tote store create diary --encrypt", "an encrypted one"),
    Example(
      "tote store create work/contacts --collation unicode", "one that sorts as CouchDB does"),
  ]

  static let outputKeys = [
    OutputKey("ok", "boolean", "true"),
    OutputKey("name", "string", "the new store's name"),
    OutputKey("collation", "string", "'codepoint' or 'unicode'"),
    OutputKey("encrypted", "boolean", "whether the store is encrypted"),
  ]

  static let exitCodes = ExitClass.documented(.usage, .invalidInput, .cannotCreate, .inputOutput)
  static let seeAlso = ["tote store put", "tote store import", "tote store encrypt"]

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("how strings are ordered", valueName: "ORDER"))
  var collation: Collation = .codePoint

  @Flag(help: "encrypt the store")
  var encrypt = false

  @Argument(help: ArgumentHelp("the new store's name", valueName: "NAME"))
  var name: String

  func run(in context: Context) async throws {
    // A saved remote's name stands for its database, so no store of this machine can have it.
    if let remote = try context.anyRemote(name) { return try await create(remote, context) }
    let key = try encrypt ? context.newKey(for: name) : nil
    let store = try context.stores().create(name, collation: collation, key: key)
    if context.mode != .human {
      try context.emit(
        json: [
          "ok": true, "name": .string(store.name), "collation": .string(store.collation.rawValue),
          "encrypted": .bool(encrypt),
        ])
    }
    try context.note("created \(encrypt ? "encrypted " : "")store '\(name)'")
  }

  /// Makes a database on a server.
  private func create(_ remote: RemoteStore, _ context: Context) async throws {
    guard !encrypt else {
      throw CommandError.usage(
        "'--encrypt' is for stores of this machine; a server has its own ways")
    }
    guard try await !remote.exists() else {
      throw CommandError(
        .cannotCreate, "exists", "database '\(remote.name)' already exists",
        hint: "choose another name")
    }
    try await remote.create()
    if context.mode != .human {
      try context.emit(
        json: [
          "ok": true, "name": .string(context.isURL(name) ? remote.name : name),
          "collation": .string(remote.collation.rawValue), "encrypted": false,
        ])
    }
    try context.note("created database '\(remote.name)'")
  }
}
