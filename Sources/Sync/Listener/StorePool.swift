import Core
import Synchronization

/// The open stores of a listener.
final class StorePool: Sendable {
  private let stores: StoreDirectory
  private let allowed: Set<String>?
  private let opened = Mutex<[String: Entry]>([:])
  /// For requests that read through a whole store.
  let gate = ScanGate(scans)

  /// Scans at a time, of all stores: fewer than the handlers have threads.
  private static let scans = 4

  /// An open store.
  struct Entry {
    var store: LocalStore
    var watch: ChangeWatch
    /// A second connection, for scans: a store has one call at a time on each.
    var scanner: LocalStore?
  }

  init(_ stores: StoreDirectory, names: Set<String>?) {
    self.stores = stores
    allowed = names
  }

  /// Whether a name beginning with an underscore is a database and no endpoint.
  func isSystemStore(_ name: String) -> Bool { name == "_users" || name == "_replicator" }

  func names() throws -> [String] {
    try stores.names().filter { allowed?.contains($0) ?? true }
  }

  func contains(_ name: String) -> Bool {
    allowed?.contains(name) ?? true && stores.contains(name)
  }

  func store(_ name: String) throws -> LocalStore { try entry(name).store }

  /// The store over a connection of its own, for what reads through it: others need not wait.
  func scanner(_ name: String) throws -> LocalStore {
    if let scanner = try entry(name).scanner { return scanner }
    let made = try stores.open(name)
    return opened.withLock { opened in
      if let scanner = opened[name]?.scanner { return scanner }
      opened[name]?.scanner = made
      return made
    }
  }

  /// The open store with its watch.
  ///
  /// Every request asks, so what looks at the disk is done outside the lock.
  func entry(_ name: String) throws -> Entry {
    guard allowed?.contains(name) ?? true else { throw StoreError.storeNotFound(name: name) }
    if let known = opened.withLock({ $0[name] }), known.store.isCurrent { return known }
    return try opened.withLock { opened in
      // Another process may have removed it, or put another in its place.
      guard stores.contains(name) else {
        if let known = opened.removeValue(forKey: name) { end(known.watch) }
        throw StoreError.storeNotFound(name: name)
      }
      if let known = opened[name] {
        if known.store.isCurrent { return known }
        end(known.watch)
      }
      let store = try stores.open(name)
      let entry = Entry(store: store, watch: ChangeWatch(store))
      opened[name] = entry
      return entry
    }
  }

  func create(_ name: String, isPartitioned: Bool = false) throws -> LocalStore {
    guard allowed?.contains(name) ?? true else {
      throw Refusal(403, "forbidden", "This server does not offer a database of that name.")
    }
    // Clients expect CouchDB's order; without the library that knows it they get the other one.
    let collation: Collation = Collation.unicode.isAvailable ? .unicode : .codePoint
    return try stores.create(name, collation: collation, isPartitioned: isPartitioned)
  }

  func delete(_ name: String) throws {
    guard allowed?.contains(name) ?? true else { throw StoreError.storeNotFound(name: name) }
    try stores.delete(name)
    if let known = opened.withLock({ $0.removeValue(forKey: name) }) { end(known.watch) }
  }

  /// Ends every feed: the server stops.
  func endFeeds() {
    for entry in opened.withLock({ Array($0.values) }) { end(entry.watch) }
  }

  private func end(_ watch: ChangeWatch) {
    Task { await watch.end() }
  }
}
