import Core
import HTTP

/// Who may do what with a database, and what the others are told.
extension DatabaseHandler {
  /// Refuses a request whose user may not do what it needs: 401 to strangers, 403 to users.
  func require(_ access: SecurityObject.Access) throws {
    if !request.user.isServerAdmin {
      let security = try SecurityObject(try store.security())
      if !security.allows(.read, to: request.user) {
        throw request.user.name == nil
          ? Refusal(401, "unauthorized", "You are not authorized to access this db.")
          : Refusal(403, "forbidden", "You are not allowed to access this db.")
      }
      if !security.allows(access, to: request.user) { throw refusal(of: access) }
    }
    guard !isReadOnly || access == .read else {
      throw Refusal(403, "forbidden", "This server is read-only.")
    }
  }

  private func refusal(of access: SecurityObject.Access) -> Refusal {
    let isStranger = request.user.name == nil
    let reason =
      access == .administer
      ? "You are not a db or server admin."
      : "You are not \(isStranger ? "authorized" : "allowed") to write to this db."
    return Refusal(isStranger ? 401 : 403, isStranger ? "unauthorized" : "forbidden", reason)
  }

  /// What a write of a document needs: design documents are the administrators' alone.
  func requireWriting(_ id: String) throws {
    guard DocumentID.isLocal(id) else {
      return try require(DocumentID.isDesign(id) ? .administer : .write)
    }
    // A replication that reads from here keeps its checkpoint here, also on a read-only server; but
    // nobody leaves documents here who does not say who it is.
    try require(.read)
    guard request.user.name == nil, !request.user.isServerAdmin,
      try !SecurityObject(try store.security()).allows(.write, to: request.user)
    else { return }
    throw refusal(of: .write)
  }

  /// Compaction and cleaning: CouchDB answers 401 also to users who are no administrators.
  func requireMaintenance() throws {
    try require(.read)
    if !request.user.isServerAdmin,
      try !SecurityObject(try store.security()).allows(.administer, to: request.user)
    {
      throw Refusal(401, "unauthorized", "You are not a server or db admin.")
    }
    try require(.administer)
  }

  func requireServerAdmin() throws {
    guard request.user.isServerAdmin else {
      throw Refusal(401, "unauthorized", "You are not a server admin.")
    }
    try require(.read)
  }

  /// Whether the user may read still, for feeds that last: the user may be gone by now, have
  /// another password, or the store other permissions.
  var mayReadStill: @Sendable () throws -> Bool {
    let store = store
    let current = request.identity.current
    return {
      guard let user = try current() else { return false }
      if user.isServerAdmin { return true }
      return try SecurityObject(try store.security()).allows(.read, to: user)
    }
  }

  // MARK: The users' database

  var isUsers: Bool { store.name == Users.storeName }

  /// Lets nobody but server administrators use more of `_users` than single documents: lists would
  /// show other people's secrets.
  func requireUsersRoute(_ segments: [String]) throws {
    guard isUsers, !request.user.isServerAdmin else { return }
    switch segments[0] {
    case "_all_docs", "_changes", "_design_docs", "_local_docs":
      throw Refusal(401, "unauthorized", "You are not a server admin.")
    case "_security", "_ensure_full_commit", "_compact", "_view_cleanup", "_purge": return
    case let first where first.utf8.first == UInt8(ascii: "_"):
      try require(.read)
      throw Refusal(401, "unauthorized", "You are not a server admin.")
    default:
      try require(.read)
      let path = try DocumentPath(segments)
      // Who registers makes a document, and hangs nothing on those of others.
      if path.attachment != nil, request.user.name == nil {
        throw StoreError.documentNotFound(id: path.id, .missing)
      }
      try requireOwn(path.id)
    }
  }

  /// Users see and change their own document only; others are as if not there.
  func requireOwn(_ id: String) throws {
    guard isUsers, !request.user.isServerAdmin else { return }
    guard let name = request.user.name else {
      // Whoever has no name yet may register, if the database lets them write at all.
      if request.method == .put { return }
      throw StoreError.documentNotFound(id: id, .missing)
    }
    guard utf8Equal(id, Users.documentID(of: name)) else {
      throw StoreError.documentNotFound(id: id, .missing)
    }
  }
}
