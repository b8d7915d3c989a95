/// The people who may use a server: documents of the store `_users`, in CouchDB's form, and the
/// server's administrators, who are kept beside it.
public struct Users: Sendable {
  private let stores: StoreDirectory
  private let administrators: Administrators
  /// Rounds of derivation of new passwords.
  private let rounds: Int

  /// The store that holds the users.
  public static let storeName = "_users"
  static let idPrefix = "org.couchdb.user:"

  /// The users of a folder of stores; nil when there is no user and no administrator.
  public init?(in stores: StoreDirectory) throws {
    self.init(stores, PasswordHash.defaultIterations)
    let store = try existingStore()
    guard try !administrators.load().isEmpty || store?.holdsUsers() ?? false else { return nil }
  }

  /// The users of a folder of stores, whether there are any or not.
  ///
  /// - Parameters:
  ///   - stores: the folder.
  ///   - rounds: rounds of derivation of new passwords; fewer are for tests.
  /// - Returns: the users; nothing is made before the first is added.
  public static func make(
    in stores: StoreDirectory, rounds: Int = PasswordHash.defaultIterations
  ) -> Users {
    Users(stores, rounds)
  }

  private init(_ stores: StoreDirectory, _ rounds: Int) {
    self.stores = stores
    self.rounds = rounds
    administrators = Administrators(in: stores)
  }

  /// A registry of the same users, for a server.
  public var registry: UserRegistry { UserRegistry(in: stores) }

  /// A user.
  public struct User: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The roles, without `_admin`.
    public var roles: [String]
    /// Whether the user administers the server.
    public var isAdmin: Bool

    /// A user with its parts.
    public init(name: String, roles: [String], isAdmin: Bool) {
      self.name = name
      self.roles = roles
      self.isAdmin = isAdmin
    }
  }

  /// The id of a user's document.
  public static func documentID(of name: String) -> String { idPrefix + name }

  /// Names that may be given: not empty, without colon and control characters, not beginning with an
  /// underscore.
  ///
  /// - Throws: `StoreError.badRequest`.
  public static func check(name: String) throws(StoreError) {
    guard !name.isEmpty, name.utf8.first != UInt8(ascii: "_") else {
      throw .badRequest("a user's name is not empty and does not begin with '_'")
    }
    // Basic authentication could not send them.
    guard name.utf8.allSatisfy({ $0 != UInt8(ascii: ":") && $0 >= 0x20 && $0 != 0x7f }) else {
      throw .badRequest("a user's name has no ':' and no control characters")
    }
  }

  /// Roles that may be given: not empty, not beginning with an underscore.
  ///
  /// - Throws: `StoreError.badRequest`.
  public static func check(roles: [String]) throws(StoreError) {
    guard roles.allSatisfy({ $0.utf8.first != UInt8(ascii: "_") && !$0.isEmpty }) else {
      throw .badRequest("a role is not empty; those that begin with '_' are the system's")
    }
  }

  // MARK: Reading

  /// All users and administrators, by the names' bytes.
  public func list() throws -> [User] {
    var found: [UTF8Key: User] = [:]
    if let store = try existingStore() {
      var request = ListRequest()
      request.prefix = Self.idPrefix
      request.documents = ReadOptions()
      for document in try store.allDocuments(request).rows.compactMap(\.document) {
        let name = Self.name(of: document)
        found[UTF8Key(name)] = User(name: name, roles: Self.roles(of: document), isAdmin: false)
      }
    }
    for name in try administrators.load().keys {
      let roles = found[UTF8Key(name)]?.roles ?? []
      found[UTF8Key(name)] = User(name: name, roles: roles, isAdmin: true)
    }
    return found.values.sorted { utf8Less($0.name, $1.name) }
  }

  /// Looks up a user; nil when there is none.
  public func account(_ name: String) throws -> UserAccount? {
    try Self.account(name, in: try existingStore(), administrators)
  }

  static func account(
    _ name: String, in store: LocalStore?, _ administrators: Administrators
  ) throws -> UserAccount? {
    var account: UserAccount?
    do {
      if let document = try store?.document(documentID(of: name)) {
        account = UserAccount(
          name: name, roles: roles(of: document), isAdmin: false,
          password: PasswordHash(document.body.members))
      }
    } catch StoreError.documentNotFound, StoreError.invalidDocumentID {
      account = nil
    }
    // An administrator's password is the one of the file, whatever a document says, as in CouchDB.
    if let hash = try administrators.load()[name]?.objectValue {
      account = UserAccount(
        name: name, roles: account?.roles ?? [], isAdmin: true, password: PasswordHash(hash))
    }
    return account
  }

  private static func name(of document: Document) -> String {
    document.body.members["name"]?.stringValue
      ?? String(decoding: document.id.utf8.dropFirst(idPrefix.utf8.count), as: UTF8.self)
  }

  /// A document that came by replication may name system roles; they count for nothing.
  private static func roles(of document: Document) -> [String] {
    (document.body.members["roles"]?.arrayValue ?? []).compactMap(\.stringValue)
      .filter { $0.utf8.first != UInt8(ascii: "_") }
  }

  // MARK: Writing

  /// Makes a user.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - password: the password; deriving its hash takes some tenths of a second.
  ///   - roles: the roles.
  ///   - isAdmin: whether the user administers the server.
  /// - Throws: `StoreError.conflict` when there is one of that name, `.badRequest` for a name or
  ///   role that cannot be.
  public func add(
    _ name: String, password: String, roles: [String] = [], isAdmin: Bool = false
  ) throws {
    try Self.check(name: name)
    try Self.check(roles: roles)
    guard try account(name) == nil else {
      throw StoreError.conflict(id: Self.documentID(of: name), current: nil)
    }
    try add(
      name, password: PasswordHash(password: password, iterations: rounds), roles: roles,
      isAdmin: isAdmin)
  }

  /// Makes a user of a password that is derived already.
  package func add(
    _ name: String, password: PasswordHash, roles: [String] = [], isAdmin: Bool = false
  ) throws {
    try Self.check(name: name)
    try Self.check(roles: roles)
    let id = Self.documentID(of: name)
    guard try account(name) == nil else { throw StoreError.conflict(id: id, current: nil) }
    // CouchDB's clients expect the database of the users wherever there are any.
    let store = try store()
    let hash = password.members
    if isAdmin {
      try administrators.edit { admins in
        guard admins[name] == nil else { throw StoreError.conflict(id: id, current: nil) }
        admins[name] = .object(hash)
      }
      if roles.isEmpty { return }
    }
    var members: JSONObject = [
      "name": .string(name), "type": "user", "roles": .array(roles.map { .string($0) }),
    ]
    if !isAdmin { for (key, value) in hash { members[key] = value } }
    try store.put(Document(id: id, body: try DocumentBody(members)))
  }

  /// Removes a user; also one who is an administrator.
  ///
  /// - Throws: `StoreError.documentNotFound` when there is none.
  public func remove(_ name: String) throws {
    let id = Self.documentID(of: name)
    guard let account = try account(name) else {
      throw StoreError.documentNotFound(id: id, .missing)
    }
    if account.isAdmin { try administrators.edit { $0.removeValue(forKey: name) } }
    guard let store = try existingStore() else { return }
    do {
      try store.delete(id, revision: try store.document(id).revision)
    } catch StoreError.documentNotFound where account.isAdmin {
      return
    }
  }

  /// Gives a user another password.
  ///
  /// - Throws: `StoreError.documentNotFound` when there is no such user.
  public func setPassword(_ password: String, of name: String) throws {
    try setPassword(PasswordHash(password: password, iterations: rounds), of: name)
  }

  /// Gives a user another password that is derived already.
  package func setPassword(_ password: PasswordHash, of name: String) throws {
    let account = try account(name)
    let hash = password.members
    guard account?.isAdmin == true else {
      return try edit(name) { members in
        for (key, value) in hash { members[key] = value }
      }
    }
    try administrators.edit { admins in
      guard admins[name] != nil else {
        throw StoreError.documentNotFound(id: Self.documentID(of: name), .missing)
      }
      admins[name] = .object(hash)
    }
  }

  /// Gives a user other roles.
  ///
  /// - Throws: `StoreError.documentNotFound` when there is no such user.
  public func setRoles(_ roles: [String], of name: String) throws {
    try Self.check(roles: roles)
    let value = JSON.array(roles.map { .string($0) })
    let isAdmin = try account(name)?.isAdmin ?? false
    do {
      try edit(name) { $0["roles"] = value }
    } catch StoreError.documentNotFound where isAdmin {
      // An administrator has a document for the sake of roles only.
      let members: JSONObject = ["name": .string(name), "type": "user", "roles": value]
      try store().put(
        Document(id: Self.documentID(of: name), body: try DocumentBody(members)))
    }
  }

  private func edit(_ name: String, _ change: (inout JSONObject) -> Void) throws {
    let id = Self.documentID(of: name)
    guard let store = try existingStore() else {
      throw StoreError.documentNotFound(id: id, .missing)
    }
    var document = try store.document(id)
    var members = document.body.members
    change(&members)
    document.body = try DocumentBody(members)
    try store.put(document)
  }

  // MARK: The store

  private func existingStore() throws -> LocalStore? {
    stores.contains(Self.storeName) ? try stores.open(Self.storeName) : nil
  }

  private func store() throws -> LocalStore {
    if let store = try existingStore() { return store }
    do {
      return try stores.create(Self.storeName)
    } catch StoreError.storeExists {
      return try stores.open(Self.storeName)
    }
  }
}
