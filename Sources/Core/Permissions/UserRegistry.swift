import Synchronization

/// Looks up the users of a folder of stores for a server, and tells when anything of them changed.
///
/// Changes of other processes are seen at the next look: the cost of asking is two looks at files
/// and one at a counter of SQLite's.
public final class UserRegistry: Sendable {
  private let stores: StoreDirectory
  private let administrators: Administrators
  private let state = Mutex(State())

  private struct State {
    /// This registry's own connection, on which nothing is written: so SQLite's counter of others'
    /// writes counts all of them.
    var store: LocalStore?
    /// Counts the stores opened, since each starts the counter anew.
    var opened = 0
    /// Whether there were users ever since this registry was made.
    var isEnforcing = false
    /// The state for which `isEnforcing` was found.
    var looked: Mark?
  }

  /// One state of the users; different after any change.
  public struct Mark: Sendable, Hashable {
    fileprivate var administrators: FileMark?
    fileprivate var store: Int
    fileprivate var version: Int
  }

  /// Looks into a folder of stores.
  public init(in stores: StoreDirectory) {
    self.stores = stores
    administrators = Administrators(in: stores)
  }

  /// The present state.
  ///
  /// - Throws: `StoreError` when the users cannot be read: then nobody may be let in.
  public func mark() throws -> Mark {
    try state.withLock { state in try mark(&state) }
  }

  /// Whether requests have to say who makes them: there is a user, or there was one.
  ///
  /// Administrators count too. Removing the last one does not open a server that runs.
  public func isEnforcing() throws -> Bool {
    try state.withLock { state in
      if state.isEnforcing { return true }
      let mark = try mark(&state)
      if state.looked == mark { return false }
      state.looked = mark
      state.isEnforcing = try !administrators.load().isEmpty || state.store?.holdsUsers() ?? false
      return state.isEnforcing
    }
  }

  /// Looks up a user by name; nil when there is none.
  public func account(_ name: String) throws -> UserAccount? {
    try state.withLock { state in
      try openStore(&state)
      return try Users.account(name, in: state.store, administrators)
    }
  }

  private func mark(_ state: inout State) throws -> Mark {
    try openStore(&state)
    return Mark(
      administrators: administrators.mark, store: state.opened,
      version: try state.store?.foreignWrites() ?? 0)
  }

  private func openStore(_ state: inout State) throws {
    if let store = state.store {
      if store.isCurrent { return }
      state.store = nil
      state.opened += 1
    }
    guard stores.contains(Users.storeName) else { return }
    state.store = try stores.open(Users.storeName)
    state.opened += 1
  }
}

extension LocalStore {
  /// Changes whenever somebody else wrote to the store (SQLite's `data_version`).
  func foreignWrites() throws -> Int {
    try access { try $0.first("PRAGMA data_version") { $0.integer(0) } ?? 0 }
  }

  /// Whether there is a user among the documents.
  func holdsUsers() throws -> Bool {
    var request = ListRequest()
    request.prefix = Users.idPrefix
    request.limit = 1
    return try !allDocuments(request).rows.isEmpty
  }
}
