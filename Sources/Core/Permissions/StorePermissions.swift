/// Who may do what with a store, as a list of grants over its security object.
///
/// One interface to three ways of saying it: tote's (CouchDB's with `readers`), CouchDB's, and
/// Cloudant's map of user names and API keys to permissions. What is not understood is kept.
public struct StorePermissions: Sendable, Hashable {
  /// Whose way of saying it.
  public enum Dialect: String, Sendable {
    /// CouchDB's groups and `readers`.
    case tote
    /// `admins` and `members`.
    case couchDB = "couchdb"
    /// The member `cloudant`, or nothing yet.
    case cloudant
  }

  /// A usual set of permissions.
  public enum Preset: String, Sendable, CaseIterable {
    /// Administrators only; IMFData's group `admins`.
    case admins
    /// Those who were named as members read and write; IMFData's group `members`.
    case members
    /// Everybody reads, members write.
    case publicRead = "public-read"
    /// Everybody reads and writes.
    case everyone = "public"
  }

  /// Whose way of saying it.
  public let dialect: Dialect
  /// The security object as it is to be stored.
  public internal(set) var security: JSONObject

  /// Takes a security object.
  ///
  /// - Throws: `StoreError.badRequest` when it is malformed.
  public init(_ security: JSONObject, dialect: Dialect) throws(StoreError) {
    self.security = security
    self.dialect = dialect
    if dialect == .cloudant {
      try Self.checkCloudant(security)
    } else {
      _ = try SecurityObject(security)
    }
  }

  /// Which dialect a server speaks about a database.
  ///
  /// - Parameters:
  ///   - security: the database's security object.
  ///   - vendor: `vendor.name` of the server's greeting.
  ///   - host: the server's host.
  /// - Returns: the dialect.
  public static func dialect(
    security: JSONObject, vendor: String?, host: String
  ) -> Dialect {
    if security["cloudant"] != nil { return .cloudant }
    // Such a database of Cloudant's keeps CouchDB's groups.
    if security["couchdb_auth_only"] == .bool(true) { return .couchDB }
    let vendor = vendor?.lowercased() ?? ""
    let host = host.lowercased()
    if vendor.contains("cloudant") || host.hasSuffix(".cloudant.com")
      || host.hasSuffix(".cloudantnosqldb.appdomain.cloud")
    {
      return .cloudant
    }
    return vendor == "tote" ? .tote : .couchDB
  }

  // MARK: Reading

  /// The grants: administrators first, then members, then readers, each by their bytes.
  public var grants: [Grant] {
    (dialect == .cloudant ? cloudantGrants : groupGrants)
      .sorted { Grant.precedes($0, $1) }
  }

  /// Whether a user may do something.
  public func allows(_ access: SecurityObject.Access, to user: UserContext) -> Bool {
    if user.isServerAdmin { return true }
    guard dialect == .cloudant else {
      return (try? SecurityObject(security))?.allows(access, to: user) ?? false
    }
    return cloudantAllows(access, to: user)
  }

  /// Whether everybody may read and write, also without a name.
  public var isPublic: Bool { allows(.write, to: .anonymous) }

  /// Members of the security object that say nothing of who may do what, and are kept.
  public var others: JSONObject {
    var others = JSONObject()
    for (key, value) in security {
      if dialect == .cloudant {
        if !utf8Equal(key, "cloudant") { others[key] = value }
      } else if SecurityObject.groupNames.contains(where: { utf8Equal($0, key) }) {
        var group = value.objectValue ?? [:]
        group.removeValue(forKey: "names")
        group.removeValue(forKey: "roles")
        if !group.isEmpty { others[key] = .object(group) }
      } else {
        others[key] = value
      }
    }
    return others
  }

  /// Whether both say the same; the order within lists and empty lists do not count.
  public func means(_ other: StorePermissions) -> Bool {
    let (left, right) = (grants, other.grants)
    return dialect == other.dialect && left.count == right.count
      && zip(left, right).allSatisfy { $0.isSame(as: $1) } && others == other.others
  }

  // MARK: Changing

  /// Gives somebody exactly this level; another one that they had is taken away.
  ///
  /// - Throws: `StoreError.badRequest` when the dialect has no words for it.
  public mutating func grant(_ level: Grant.Level, to subject: Grant.Subject) throws(StoreError) {
    try check(subject, level)
    if dialect == .cloudant {
      setCloudant(Self.cloudantPermissions(level), for: subject)
    } else {
      try grantInGroups(level, to: subject)
    }
  }

  /// Takes everything away from somebody, or only what one level gives.
  ///
  /// A store that was not public stays so: without members and readers it is the administrators'.
  ///
  /// - Returns: whether there was something to take away.
  @discardableResult
  public mutating func revoke(_ level: Grant.Level?, from subject: Grant.Subject) -> Bool {
    if dialect == .cloudant { return revokeInCloudant(level, from: subject) }
    return revokeInGroups(level, from: subject)
  }

  /// Sets one of the usual sets; administrators and those named as members stay named.
  ///
  /// - Throws: `StoreError.badRequest` when the dialect has no words for it.
  public mutating func set(_ preset: Preset) throws(StoreError) {
    if dialect == .cloudant {
      try setInCloudant(preset)
    } else {
      try setInGroups(preset)
    }
  }

  /// Replaces all grants; other members of the security object are replaced by `others`.
  ///
  /// - Throws: `StoreError.badRequest` when the dialect has no words for one of them.
  public mutating func replace(
    with grants: [Grant], others: JSONObject
  ) throws(StoreError) {
    for grant in grants where dialect != .cloudant || grant.permissions == nil {
      guard let level = grant.level else {
        throw .badRequest("only Cloudant has permissions beside reader, member and admin")
      }
      try check(grant.subject, level)
    }
    if dialect == .cloudant {
      try replaceInCloudant(with: grants, others: others)
    } else {
      try replaceInGroups(with: grants, others: others)
    }
  }

  private func check(_ subject: Grant.Subject, _ level: Grant.Level) throws(StoreError) {
    switch (dialect, subject, level) {
    case (.couchDB, _, .reader):
      throw .badRequest("CouchDB has no readers: its members may read and write")
    case (.cloudant, .role, _):
      throw .badRequest("Cloudant has no roles: name users or API keys")
    case (.cloudant, .everyone, .admin), (.tote, .everyone, .admin), (.couchDB, .everyone, .admin):
      throw .badRequest("not everybody can be an administrator")
    default: return
    }
  }
}
