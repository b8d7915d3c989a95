import ArgumentParser
import Core

/// A store's permissions as they are shown.
struct PermissionFacts: CommandResult {
  private let store: String
  private let permissions: StorePermissions

  init(_ store: String, _ permissions: StorePermissions) {
    self.store = store
    self.permissions = permissions
  }

  static let outputKeys = [
    OutputKey("store", "string", "the store"),
    OutputKey("dialect", "string", "whose terms these are: 'tote', 'couchdb' or 'cloudant'"),
    OutputKey("anonymous", "string", "what everybody may do: 'none', 'read' or 'write'"),
    OutputKey(
      "grants", "array of objects",
      "'level' (reader, member, admin or null), one of 'user', 'role' and 'everyone', and on "
        + "Cloudant 'permissions'"),
    OutputKey("security", "object", "the security object as it is stored"),
  ]

  private var anonymous: String {
    if permissions.allows(.write, to: .anonymous) { return "write" }
    return permissions.allows(.read, to: .anonymous) ? "read" : "none"
  }

  var json: JSON {
    [
      "store": .string(store), "dialect": .string(permissions.dialect.rawValue),
      "anonymous": .string(anonymous), "grants": .array(permissions.grants.map(Self.json)),
      "security": .object(permissions.security),
    ]
  }

  static func json(_ grant: Grant) -> JSON {
    var members: JSONObject = ["level": grant.level.map { .string($0.rawValue) } ?? .null]
    switch grant.subject {
    case .user(let name): members["user"] = .string(name)
    case .role(let role): members["role"] = .string(role)
    case .everyone: members["everyone"] = true
    }
    if let permissions = grant.permissions {
      members["permissions"] = .array(permissions.map { .string($0) })
    }
    return .object(members)
  }

  func show(on screen: Screen) throws(OutputError) {
    let rows = permissions.grants.map { grant -> [Cell] in
      let (kind, name) = Self.words(grant.subject)
      return [
        Cell(grant.level?.rawValue ?? "-"), Cell(kind), Cell(name),
        Cell((grant.permissions ?? []).joined(separator: " "), look: .dim),
      ]
    }
    try screen.table(
      [Column("LEVEL"), Column("", .identifier), Column("WHO", .identifier), Column("")], rows)
    guard screen.isTerminal else { return }
    switch anonymous {
    case "write": try screen.line("everybody may read and write")
    case "read": try screen.line("everybody may read")
    default: break
    }
  }

  private static func words(_ subject: Grant.Subject) -> (String, String) {
    switch subject {
    case .user(let name): ("user", name)
    case .role(let role): ("role", role)
    case .everyone: ("everyone", "")
    }
  }
}
