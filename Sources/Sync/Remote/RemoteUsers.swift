public import Core
import HTTP

/// The users of a server that speaks CouchDB's API: its database `_users`, and the administrators of
/// its configuration where it shows them.
public struct RemoteUsers: Sendable {
  private let store: RemoteStore

  /// The users of the server that has a database.
  public init(of database: RemoteStore) { store = database.sibling(Users.storeName) }

  /// All users and administrators, by the names' bytes.
  ///
  /// - Throws: `RemoteError`; 401 and 403 to those who are no administrators.
  public func list() async throws -> [Users.User] {
    let query = [(name: "include_docs", value: "true")]
    let json = try await store.connection.json(.get, ["_all_docs"], query: query)
    var users = (json["rows"]?.arrayValue ?? []).compactMap { row -> Users.User? in
      guard let name = row["doc"]?["name"]?.stringValue, row["doc"]?["type"] == "user" else {
        return nil
      }
      let roles = (row["doc"]?["roles"]?.arrayValue ?? []).compactMap(\.stringValue)
      return Users.User(name: name, roles: roles, isAdmin: false)
    }
    for name in try await administrators() {
      if let index = users.firstIndex(where: { utf8Equal($0.name, name) }) {
        users[index].isAdmin = true
      } else {
        users.append(Users.User(name: name, roles: [], isAdmin: true))
      }
    }
    return users.sorted { utf8Less($0.name, $1.name) }
  }

  /// One user; nil when there is none.
  public func user(_ name: String) async throws -> Users.User? {
    do {
      let document = try await store.document(Users.documentID(of: name), ReadOptions())
      let roles = (document.body.members["roles"]?.arrayValue ?? []).compactMap(\.stringValue)
      return Users.User(name: name, roles: roles, isAdmin: false)
    } catch StoreError.documentNotFound, StoreError.storeNotFound {
      return nil
    }
  }

  /// Makes a user; the server hashes the password.
  ///
  /// - Throws: `StoreError.conflict` when there is one of that name, `RemoteError`.
  public func add(
    _ name: String, password: String, roles: [String] = [], isAdmin: Bool = false
  ) async throws {
    try Users.check(name: name)
    try Users.check(roles: roles)
    if isAdmin {
      guard try await !administrators().contains(where: { utf8Equal($0, name) }) else {
        throw StoreError.conflict(id: Users.documentID(of: name), current: nil)
      }
      return try await setAdministrator(name, password)
    }
    let members: JSONObject = [
      "name": .string(name), "type": "user", "roles": .array(roles.map { .string($0) }),
      "password": .string(password),
    ]
    try await put(Document(id: Users.documentID(of: name), body: try DocumentBody(members)))
  }

  /// Removes a user.
  ///
  /// - Throws: `StoreError.documentNotFound` when there is none.
  public func remove(_ name: String) async throws {
    let id = Users.documentID(of: name)
    let document = try await store.document(id, ReadOptions())
    let query = [(name: "rev", value: document.revision?.description ?? "")]
    _ = try await store.rethrowing(id: id) {
      try await store.connection.json(.delete, [id], query: query)
    }
  }

  /// Gives a user another password; of an administrator it changes the configuration.
  public func setPassword(_ password: String, of name: String) async throws {
    if try await administrators().contains(where: { utf8Equal($0, name) }) {
      return try await setAdministrator(name, password)
    }
    try await edit(name) { members in
      // The server makes these anew; older ones refuse a password beside them.
      for key in ["derived_key", "salt", "iterations", "password_scheme", "pbkdf2_prf"] {
        members.removeValue(forKey: key)
      }
      members["password"] = .string(password)
    }
  }

  /// Gives a user other roles.
  public func setRoles(_ roles: [String], of name: String) async throws {
    try Users.check(roles: roles)
    try await edit(name) { $0["roles"] = .array(roles.map { .string($0) }) }
  }

  private func edit(_ name: String, _ change: (inout JSONObject) -> Void) async throws {
    var document = try await store.document(Users.documentID(of: name), ReadOptions())
    var members = document.body.members
    change(&members)
    document.body = try DocumentBody(members)
    try await put(document)
  }

  private func put(_ document: Document) async throws {
    let json = document.json
    _ = try await store.rethrowing(id: document.id) {
      try await store.connection.json(.put, [document.id], .json(json))
    }
  }

  // MARK: Administrators

  /// CouchDB keeps administrators in the configuration of its node; others show none.
  private var configuration: RemoteConnection { store.connection.sibling("_node") }

  private func administrators() async throws -> [String] {
    do {
      return try await configuration.json(.get, ["_local", "_config", "admins"])
        .objectValue?.keys ?? []
    } catch RemoteError.status(let status, _, _, _) where status < 500 {
      return []
    }
  }

  private func setAdministrator(_ name: String, _ password: String) async throws {
    _ = try await configuration.json(
      .put, ["_local", "_config", "admins", name], .json(.string(password)))
  }
}
