import Core

/// Where the users of a photo service are.
protocol UserBackend: Sendable {
  func names() async throws -> [String]
  func account(_ name: String) async throws -> UserAccount?
  /// - Throws: `StoreError.conflict` when there is one of that name.
  func add(_ name: String, _ password: PasswordHash) async throws
  /// - Throws: `StoreError.documentNotFound` when there is none.
  func setPassword(_ password: PasswordHash, of name: String) async throws
  /// - Throws: `StoreError.documentNotFound` when there is none.
  func remove(_ name: String) async throws
}

/// The users of a database `_users`.
struct StoreUsers: UserBackend {
  let store: any DocumentStore
  let rounds: Int

  func names() async throws -> [String] {
    var request = ListRequest()
    request.prefix = Users.documentID(of: "")
    request.countsRows = false
    let prefix = Users.documentID(of: "").utf8.count
    return try await store.allDocuments(request).rows
      .map { String(decoding: $0.id.utf8.dropFirst(prefix), as: UTF8.self) }
      .filter(PhotoText.isUserName)
  }

  func account(_ name: String) async throws -> UserAccount? {
    do {
      let document = try await store.document(Users.documentID(of: name), ReadOptions())
      return UserAccount(
        name: name, roles: [], isAdmin: false, password: PasswordHash(document.body.members))
    } catch StoreError.documentNotFound, StoreError.storeNotFound {
      return nil
    }
  }

  func add(_ name: String, _ password: PasswordHash) async throws {
    var members: JSONObject = ["name": .string(name), "type": "user", "roles": []]
    for (key, value) in password.members { members[key] = value }
    try await store.put(
      Document(id: Users.documentID(of: name), body: try DocumentBody(members)))
  }

  func setPassword(_ password: PasswordHash, of name: String) async throws {
    let id = Users.documentID(of: name)
    try await store.update(id) { document in
      guard var document else { throw StoreError.documentNotFound(id: id, .missing) }
      var members = document.body.members
      for (key, value) in password.members { members[key] = value }
      document.body = try DocumentBody(members)
      return document
    }
  }

  func remove(_ name: String) async throws {
    try await store.deleteLatest(Users.documentID(of: name))
  }
}

/// The users of a folder of stores, with its administrators.
struct FolderUsers: UserBackend {
  private let stores: StoreDirectory
  private let users: Users
  private let registry: UserRegistry

  init(_ stores: StoreDirectory, rounds: Int) {
    self.stores = stores
    users = Users.make(in: stores, rounds: rounds)
    registry = users.registry
  }

  func names() async throws -> [String] {
    try users.list().map(\.name).filter(PhotoText.isUserName)
  }

  func account(_ name: String) async throws -> UserAccount? { try registry.account(name) }

  func add(_ name: String, _ password: PasswordHash) async throws {
    try users.add(name, password: password)
  }

  func setPassword(_ password: PasswordHash, of name: String) async throws {
    try users.setPassword(password, of: name)
  }

  func remove(_ name: String) async throws { try users.remove(name) }
}
