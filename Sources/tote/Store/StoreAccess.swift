import ArgumentParser
import Core
import Sync

extension Context {
  /// Opens what a person named as a store: one of this machine, a saved remote, or the URL of a
  /// database.
  ///
  /// - Throws: `CommandError` with status 66 when nothing has the name, and what opening throws.
  func anyStore(_ name: String) throws -> any DocumentStore {
    try anyRemote(name) ?? store(name)
  }

  /// Opens the database that a URL or a saved remote names; nil when it is neither.
  func anyRemote(_ name: String) throws -> RemoteStore? {
    if isURL(name) { return try opener.open(try databaseURL(name)) }
    let remotes = try remotes()
    return remotes.contains(name) ? try opener.open(try remotes.remote(name)) : nil
  }

  /// Opens the store a person named; a name that does not exist suggests those like it.
  ///
  /// - Throws: `StoreError`, or `CommandError` with status 66 when there is no such store.
  func store(_ name: String) throws -> LocalStore {
    do {
      return try openStore(name)
    } catch StoreError.storeNotFound(let name) {
      guard (try? remotes().contains(name)) == true else { throw storeNotFound(name) }
      throw CommandError.usage(
        "this works on the files of a store, and '\(name)' is on a server",
        hint: "pull it into a store of this machine: 'tote sync pull NAME \(name) --create'")
    }
  }

  /// The error about a store that is not there.
  func storeNotFound(_ name: String) -> CommandError {
    let names = (try? stores().names()) ?? []
    let similar = Suggestions.nearest(to: name, in: names).map { "'\($0)'" }
    let hint =
      names.isEmpty
      ? "make it with 'tote store create \(name)'"
      : similar.isEmpty
        ? "run 'tote store list' to see your stores"
        : "did you mean \(similar.joined(separator: " or "))?"
    return CommandError(
      .notFound, "not_found", "store '\(name)' not found", hint: hint,
      details: [("store", .string(name))])
  }
}
