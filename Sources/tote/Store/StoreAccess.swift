import ArgumentParser
import Core

extension Context {
  /// Opens the store a person named; a name that does not exist suggests those like it.
  ///
  /// - Throws: `StoreError`, or `CommandError` with status 66 when there is no such store.
  func store(_ name: String) throws -> LocalStore {
    do {
      return try openStore(name)
    } catch StoreError.storeNotFound(let name) {
      throw storeNotFound(name)
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
