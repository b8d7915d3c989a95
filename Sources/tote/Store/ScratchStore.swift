import Core
import Sync

extension Context {
  /// A folder for stores that nobody else knows, in the temporary folder.
  func scratchStores() -> StoreDirectory {
    let folder = environment.nonEmpty("TMPDIR") ?? "/tmp"
    return StoreDirectory(path: "\(folder)/tote-\(RandomIdentifier.uuid())")
  }

  /// Runs `body` with a store of its own in the temporary folder, which is removed afterwards.
  ///
  /// - Parameter body: what needs the store.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws, or that the store cannot be made.
  func withScratchStore<Result>(
    _ body: (LocalStore) async throws -> Result
  ) async throws -> Result {
    let stores = scratchStores()
    let remove: @Sendable () -> Void = { stores.removeAll() }
    let cleanup = Cleanup.add(remove)
    defer {
      remove()
      Cleanup.remove(cleanup)
    }
    return try await body(try stores.create("scratch"))
  }

  /// Runs `body` with a local store, or with a copy of a database on a server.
  ///
  /// - Parameters:
  ///   - name: a store, a URL or a saved remote.
  ///   - body: reads the store.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws, and what reading the database throws.
  func withLocalCopy<Result>(
    of name: String, _ body: (LocalStore) async throws -> Result
  ) async throws -> Result {
    let store = try anyStore(name)
    if let local = store as? LocalStore { return try await body(local) }
    return try await withScratchStore { copy in
      var options = ReplicationOptions()
      options.usesCheckpoints = false
      let teller = SyncTeller(context: self, direction: .pull)
      let report = try await Replicator(from: store, to: copy, options: options)
        .run(events: teller.tell)
      progress.clear()
      guard report.failureCount == 0 else {
        throw CommandError(
          .failed, "partial",
          "\(counted(report.failureCount, "document")) of '\(store.name)' could not be read")
      }
      return try await body(copy)
    }
  }
}
