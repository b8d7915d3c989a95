/// The people who may use a server: documents of the store `_users`, in CouchDB's form.
///
/// Who is an administrator of `_users` administers the whole server.
public struct Users: Sendable {
  /// The store that holds them.
  public let store: LocalStore

  /// The store's name.
  public static let storeName = "_users"
  private static let idPrefix = "org.couchdb.user:"

  /// Users of a folder of stores; nil when none was ever made.
  public init?(in stores: StoreDirectory) throws {
    guard stores.contains(Self.storeName) else { return nil }
    store = try stores.open(Self.storeName)
  }

  /// Opens the users of a folder of stores, making their store if it is not there.
  public static func make(in stores: StoreDirectory) throws -> Users {
    if let users = try Users(in: stores) { return users }
    let store = try stores.create(storeName)
    try store.setSecurity([
      "admins": ["names": [], "roles": ["_admin"]], "members": ["names": [], "roles": ["_admin"]],
    ])
    guard let users = try Users(in: stores) else {
      throw StoreError.storeNotFound(name: storeName)
    }
    return users
  }

  /// A user.
  public struct User: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The roles.
    public var roles: [String]
    /// Whether the user administers the server.
    public var isAdmin: Bool
  }

  /// The id of a user's document.
  public static func documentID(of name: String) -> String { idPrefix + name }

  /// Names that may be given: not empty, without colon, not beginning with an underscore.
  public static func check(name: String) throws(StoreError) {
    guard !name.isEmpty, name.utf8.first != UInt8(ascii: "_"),
      !name.utf8.contains(UInt8(ascii: ":"))
    else { throw .badRequest("a user's name has no ':' and does not begin with '_'") }
  }

  // MARK: Reading

  /// All users, by the names' bytes.
  public func list() throws -> [User] {
    var request = ListRequest()
    request.prefix = Self.idPrefix
    request.documents = ReadOptions()
    let admins = try SecurityObject(try store.security()).admins
    return try store.allDocuments(request).rows.compactMap { row in
      row.document.map { user($0, admins) }
    }
  }

  private func user(_ document: Document, _ admins: SecurityObject.Group) -> User {
    let members = document.body.members
    let name = members["name"]?.stringValue ?? String(document.id.dropFirst(Self.idPrefix.count))
    let roles = (members["roles"]?.arrayValue ?? []).compactMap(\.stringValue)
    let isAdmin = admins.contains(UserContext(name: name, roles: roles))
    return User(name: name, roles: roles, isAdmin: isAdmin)
  }

  /// Checks a name and a password.
  ///
  /// Takes as long for a name that does not exist as for a wrong password.
  ///
  /// - Returns: who that is; nil when they do not fit.
  /// - Throws: `StoreError` when the store cannot be read.
  public func authenticate(name: String, password: String) throws -> UserContext? {
    let document = try? store.document(Self.documentID(of: name))
    guard let document, let hash = PasswordHash(document.body.members) else {
      _ = PasswordHash(password: password)
      return nil
    }
    guard hash.matches(password) else { return nil }
    let admins = try SecurityObject(try store.security()).admins
    let user = user(document, admins)
    return UserContext(name: user.name, roles: user.roles + (user.isAdmin ? ["_admin"] : []))
  }

  // MARK: Writing

  /// Makes a user.
  ///
  /// - Throws: `StoreError.conflict` when there is one of that name.
  public func add(_ name: String, password: String, roles: [String] = []) throws {
    try Self.check(name: name)
    try Self.check(roles: roles)
    var members = PasswordHash(password: password).members
    members["name"] = .string(name)
    members["type"] = "user"
    members["roles"] = .array(roles.map { .string($0) })
    try store.put(Document(id: Self.documentID(of: name), body: try DocumentBody(members)))
  }

  /// Removes a user.
  ///
  /// - Throws: `StoreError.documentNotFound` when there is none.
  public func remove(_ name: String) throws {
    let id = Self.documentID(of: name)
    try store.delete(id, revision: try store.document(id).revision)
  }

  /// Gives a user another password.
  public func setPassword(_ password: String, of name: String) throws {
    let hash = PasswordHash(password: password).members
    try edit(name) { members in
      for (key, value) in hash { members[key] = value }
    }
  }

  /// Gives a user other roles.
  public func setRoles(_ roles: [String], of name: String) throws {
    try Self.check(roles: roles)
    try edit(name) { $0["roles"] = .array(roles.map { .string($0) }) }
  }

  private func edit(_ name: String, _ change: (inout JSONObject) -> Void) throws {
    var document = try store.document(Self.documentID(of: name))
    var members = document.body.members
    change(&members)
    document.body = try DocumentBody(members)
    try store.put(document)
  }

  private static func check(roles: [String]) throws(StoreError) {
    guard roles.allSatisfy({ $0.utf8.first != UInt8(ascii: "_") && !$0.isEmpty }) else {
      throw .badRequest("roles that begin with '_' are the system's")
    }
  }
}
