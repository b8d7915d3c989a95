/// Who may do what with a database: CouchDB's `_security` object, with our `readers` beside it.
///
/// `admins` may change everything but the database's existence; `members` read all and write all but
/// design documents; `readers` read. Names and roles count alike; the role `_everyone` among the
/// readers lets everybody read, also who gives no name. A database without members and readers is
/// public. Members that are not ours are kept as they are.
public struct SecurityObject: Sendable, Hashable {
  /// The whole object, as it is stored.
  public internal(set) var json: JSONObject

  /// Among the readers: everybody.
  static let everyoneRole = "_everyone"

  /// What a new database gets, as in CouchDB 3: it is the server administrators' alone.
  public static let administratorsOnly = SecurityObject(
    unchecked: ["members": ["roles": ["_admin"]], "admins": ["roles": ["_admin"]]])

  private init(unchecked json: JSONObject) { self.json = json }

  /// A list of users and roles.
  public struct Group: Sendable, Hashable {
    /// Users by name.
    public var names: [String]
    /// Roles.
    public var roles: [String]

    /// Whether nobody is in it.
    public var isEmpty: Bool { names.isEmpty && roles.isEmpty }

    func contains(_ user: UserContext) -> Bool {
      if let name = user.name, names.contains(where: { utf8Equal($0, name) }) { return true }
      return user.roles.contains { role in roles.contains { utf8Equal($0, role) } }
    }
  }

  /// What a request needs.
  public enum Access: Int, Sendable, Comparable {
    /// Reading documents.
    case read
    /// Writing documents other than design documents.
    case write
    /// Design documents, the security object, purging, compacting.
    case administer

    /// Orders what is allowed to fewer after what is allowed to more.
    public static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }
  }

  /// Takes a security object as it is stored or sent.
  ///
  /// - Throws: `StoreError.badRequest` when a group is no object or its lists hold other than strings.
  public init(_ json: JSONObject) throws(StoreError) {
    self.json = json
    for key in Self.groupNames {
      guard let value = json[key] else { continue }
      guard case .object(let group) = value else {
        throw .badRequest("`\(key)` must be an object with `names` and `roles`")
      }
      for list in ["names", "roles"] {
        guard let entries = group[list] else { continue }
        guard let texts = entries.arrayValue, texts.allSatisfy({ $0.stringValue != nil }) else {
          throw .badRequest("`\(key).\(list)` must be a list of strings")
        }
      }
    }
  }

  static let groupNames = ["admins", "members", "readers"]

  /// The administrators of the database.
  public var admins: Group { group("admins") }
  /// Those who may read and write.
  public var members: Group { group("members") }
  /// Those who may read.
  public var readers: Group { group("readers") }

  func group(_ key: String) -> Group {
    func list(_ name: String) -> [String] {
      (json[key]?[name]?.arrayValue ?? []).compactMap(\.stringValue)
    }
    return Group(names: list("names"), roles: list("roles"))
  }

  /// Whether a user may do something.
  public func allows(_ access: Access, to user: UserContext) -> Bool {
    if user.isServerAdmin || admins.contains(user) { return true }
    if access == .administer { return false }
    if members.isEmpty && readers.isEmpty { return true }
    if members.contains(user) { return true }
    return access == .read && (readers.contains(user) || isReadByEveryone)
  }

  /// Whether everybody may read and write.
  var isPublic: Bool { members.isEmpty && readers.isEmpty }

  /// Whether everybody may read.
  var isReadByEveryone: Bool {
    readers.roles.contains { utf8Equal($0, Self.everyoneRole) }
  }
}
