/// Permissions in Cloudant's own words: `{"cloudant": {"NAME": ["_reader", …]}}`, where a name is a
/// user's, an API key's, or `nobody` for whoever gives none.
extension StorePermissions {
  private static let key = "cloudant"
  private static let nobody = "nobody"

  /// What is granted for a level; `_replicator` lets a replication keep its checkpoints.
  static func cloudantPermissions(_ level: Grant.Level) -> [String] {
    switch level {
    case .reader: ["_reader", "_replicator"]
    case .member: ["_reader", "_writer", "_replicator"]
    case .admin: ["_admin", "_reader", "_writer", "_replicator"]
    }
  }

  static func checkCloudant(_ security: JSONObject) throws(StoreError) {
    guard let value = security[key] else { return }
    guard case .object(let map) = value,
      map.allSatisfy({ entry in
        entry.value.arrayValue?.allSatisfy { $0.stringValue != nil } ?? false
      })
    else { throw .badRequest("`cloudant` must be an object of lists of strings") }
  }

  private var map: JSONObject { security[Self.key]?.objectValue ?? [:] }

  private func permissions(of name: String) -> [String] {
    (map[name]?.arrayValue ?? []).compactMap(\.stringValue)
  }

  private static func level(_ permissions: [String]) -> Grant.Level? {
    if permissions.contains("_admin") { return .admin }
    if permissions.contains("_writer") { return .member }
    return permissions.contains("_reader") ? .reader : nil
  }

  private static func name(_ subject: Grant.Subject) -> String {
    switch subject {
    case .user(let name), .role(let name): name
    case .everyone: nobody
    }
  }

  var cloudantGrants: [Grant] {
    map.compactMap { name, value in
      let permissions = (value.arrayValue ?? []).compactMap(\.stringValue)
      // Cloudant's panel leaves empty lists behind.
      if permissions.isEmpty { return nil }
      return Grant(
        utf8Equal(name, Self.nobody) ? .everyone : .user(name), Self.level(permissions),
        permissions: permissions)
    }
  }

  func cloudantAllows(_ access: SecurityObject.Access, to user: UserContext) -> Bool {
    // What anybody may do without a name, they may do with one.
    let granted = permissions(of: Self.nobody) + (user.name.map { permissions(of: $0) } ?? [])
    if granted.contains("_admin") { return true }
    switch access {
    case .read: return granted.contains("_reader")
    case .write: return granted.contains("_writer")
    case .administer: return false
    }
  }

  mutating func setCloudant(_ permissions: [String], for subject: Grant.Subject) {
    var map = map
    let name = Self.name(subject)
    if permissions.isEmpty {
      map.removeValue(forKey: name)
    } else {
      map[name] = .array(permissions.map { .string($0) })
    }
    security[Self.key] = .object(map)
  }

  /// Without a level everything goes; with one, what only that level gives.
  mutating func revokeInCloudant(_ level: Grant.Level?, from subject: Grant.Subject) -> Bool {
    let held = permissions(of: Self.name(subject))
    guard !held.isEmpty else { return false }
    guard let level else {
      setCloudant([], for: subject)
      return true
    }
    guard Self.level(held) == level else { return false }
    let gone = Self.cloudantPermissions(level)
    setCloudant(held.filter { !gone.contains($0) }, for: subject)
    return true
  }

  mutating func setInCloudant(_ preset: Preset) throws(StoreError) {
    switch preset {
    case .admins:
      for grant in cloudantGrants where grant.level != .admin {
        setCloudant([], for: grant.subject)
      }
    case .members: setCloudant([], for: .everyone)
    case .publicRead: setCloudant(["_reader"], for: .everyone)
    case .everyone: setCloudant(["_reader", "_writer"], for: .everyone)
    }
    if security[Self.key] == nil { security[Self.key] = [:] }
  }

  mutating func replaceInCloudant(
    with grants: [Grant], others: JSONObject
  ) throws(StoreError) {
    var draft = self
    draft.security = others
    draft.security[Self.key] = [:]
    for grant in grants {
      let permissions = grant.permissions ?? grant.level.map(Self.cloudantPermissions) ?? []
      draft.setCloudant(permissions, for: grant.subject)
    }
    self = draft
  }
}
