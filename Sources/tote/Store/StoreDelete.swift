import ArgumentParser
import Core
import Sync

/// `tote store delete`.
struct StoreDelete: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "delete a store with everything in it",
    discussion: """
      All documents, revisions and attachments of the store are removed from the disk; this cannot \
      be undone. On a terminal the store's name has to be typed; elsewhere '--yes' is needed.
      """)

  static let examples = [
    Example("tote store delete old-notes", "after typing its name once more"),
    Example("tote store delete old-notes --yes", "without asking, for scripts"),
  ]

  static let outputKeys = [
    OutputKey("ok", "boolean", "true"), OutputKey("name", "string", "the store that is gone"),
  ]

  static let exitCodes = ExitClass.documented(.failed, .usage, .notFound, .inputOutput)
  static let seeAlso = ["tote store backup", "tote store rm"]

  @OptionGroup var global: GlobalOptions

  @Flag(help: "do not ask")
  var yes = false

  @Argument(help: .store, completion: .storeNames)
  var store: String

  func run(in context: Context) async throws {
    if let remote = try context.anyRemote(store) { return try await delete(remote, context) }
    let stores = try context.stores()
    try StoreDirectory.check(store)
    guard stores.contains(store) else { throw context.storeNotFound(store) }
    if !yes {
      let isSure = try context.prompt.confirm(byTyping: store, question(context))
      guard isSure else {
        throw CommandError(.failed, "failed", "store '\(store)' was not deleted")
      }
    }
    try stores.delete(store)
    if context.mode != .human { try context.emit(json: ["ok": true, "name": .string(store)]) }
    try context.note("deleted store '\(store)'")
  }

  /// Deletes a database on a server.
  private func delete(_ remote: RemoteStore, _ context: Context) async throws {
    // A URL as it was typed may hold a password.
    let label = context.isURL(store) ? remote.name : store
    if !yes {
      let count = try await remote.info().documentCount
      let isSure = try context.prompt.confirm(
        byTyping: label,
        "this deletes the database '\(remote.name)' and its \(counted(count, "document")) for good")
      guard isSure else {
        throw CommandError(.failed, "failed", "database '\(label)' was not deleted")
      }
    }
    try await remote.delete()
    if context.mode != .human { try context.emit(json: ["ok": true, "name": .string(label)]) }
    try context.note("deleted database '\(remote.name)'")
  }

  private func question(_ context: Context) -> String {
    // A store that cannot be read can still be deleted.
    let count = (try? context.storesWithoutAsking().open(store).info().documentCount).map {
      " and its \(counted($0, "document"))"
    }
    return "this deletes store '\(store)'\(count ?? "") for good"
  }
}
