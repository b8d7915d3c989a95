/// Who makes a request, as CouchDB's `userCtx` says it.
public struct UserContext: Sendable, Hashable {
  /// The user's name; nil for an anonymous request.
  public var name: String?
  /// The user's roles; `_admin` is the server administrator's.
  public var roles: [String]

  /// The role of server administrators.
  public static let adminRole = "_admin"

  /// Nobody in particular.
  public static let anonymous = UserContext(name: nil, roles: [])

  /// Whoever asks, on a server without users.
  public static let party = UserContext(name: nil, roles: [adminRole])

  /// Names a user.
  public init(name: String?, roles: [String]) {
    self.name = name
    self.roles = roles
  }

  /// Whether everything is allowed.
  public var isServerAdmin: Bool { roles.contains(Self.adminRole) }

  /// CouchDB's shape.
  public var json: JSON {
    ["name": name.map { .string($0) } ?? .null, "roles": .array(roles.map { .string($0) })]
  }
}
