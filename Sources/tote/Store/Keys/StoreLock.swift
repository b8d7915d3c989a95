import ArgumentParser
import Core

/// `tote store lock`.
struct StoreLock: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "make the kernel forget a store's key",
    discussion: """
      What 'tote store unlock' put into the kernel's keyring is removed. Programs that have the store \
      open keep it open.
      """)

  static let examples = [
    Example("tote store lock diary", "ask for the passphrase again from now on")
  ]

  static let outputKeys = [
    OutputKey("ok", "boolean", "true"), OutputKey("name", "string", "the store"),
    OutputKey("was_unlocked", "boolean", "whether the keyring had the key"),
  ]

  static let exitCodes = ExitClass.documented(
    .invalidInput, .notFound, .inputOutput, .configuration)
  static let seeAlso = ["tote store unlock"]

  @OptionGroup var global: GlobalOptions

  @Argument(help: .store, completion: .storeNames)
  var store: String

  func run(in context: Context) async throws {
    let stores = try context.stores()
    guard stores.contains(store) else { throw context.storeNotFound(store) }
    let wasUnlocked = try stores.lock(store)
    if context.mode != .human {
      try context.emit(
        json: ["ok": true, "name": .string(store), "was_unlocked": .bool(wasUnlocked)])
    }
    try context.note(
      wasUnlocked ? "locked store '\(store)'" : "store '\(store)' was locked already")
  }
}
