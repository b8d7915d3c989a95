/// Permissions in CouchDB's groups.
extension StorePermissions {
  private static func key(_ level: Grant.Level) -> String {
    switch level {
    case .admin: "admins"
    case .member: "members"
    case .reader: "readers"
    }
  }

  /// The initializer has checked the object, and every change keeps it valid.
  private var object: SecurityObject {
    (try? SecurityObject(security)) ?? .administratorsOnly
  }

  var groupGrants: [Grant] {
    let object = object
    var grants: [Grant] = []
    for level in [Grant.Level.admin, .member, .reader] {
      let group = object.group(Self.key(level))
      grants += group.names.map { Grant(.user($0), level) }
      grants += group.roles.map { role in
        let isEveryone = level == .reader && utf8Equal(role, SecurityObject.everyoneRole)
        return Grant(isEveryone ? .everyone : .role(role), level)
      }
    }
    if object.isPublic { grants.append(Grant(.everyone, .member)) }
    return grants
  }

  mutating func grantInGroups(
    _ level: Grant.Level, to subject: Grant.Subject
  ) throws(StoreError) {
    if case (.everyone, .member) = (subject, level) { return setGroups(members: nil, readers: nil) }
    for other in Grant.Level.allCases { _ = remove(subject, from: Self.key(other)) }
    add(subject, to: Self.key(level))
    // CouchDB takes `readers` for members where there are none: nobody must become one so.
    if level == .reader, object.members.isEmpty { closeMembers() }
  }

  mutating func revokeInGroups(_ level: Grant.Level?, from subject: Grant.Subject) -> Bool {
    let wasPublic = object.isPublic
    if case .everyone = subject, wasPublic, level != .reader {
      closeMembers()
      return true
    }
    var found = false
    for candidate in Grant.Level.allCases where level == nil || level == candidate {
      if remove(subject, from: Self.key(candidate)) { found = true }
    }
    if !wasPublic, object.isPublic { closeMembers() }
    return found
  }

  mutating func setInGroups(_ preset: Preset) throws(StoreError) {
    let members = object.members
    switch preset {
    case .admins:
      setGroups(members: .init(names: [], roles: [UserContext.adminRole]), readers: nil)
    case .members:
      setGroups(members: members, readers: nil)
      if object.isPublic { closeMembers() }
    case .publicRead:
      guard dialect == .tote else {
        throw .badRequest("CouchDB has no readers: 'public-read' cannot be said there")
      }
      setGroups(
        members: members, readers: .init(names: [], roles: [SecurityObject.everyoneRole]))
      if object.members.isEmpty { closeMembers() }
    case .everyone: setGroups(members: nil, readers: nil)
    }
  }

  mutating func replaceInGroups(
    with grants: [Grant], others: JSONObject
  ) throws(StoreError) {
    var result = JSONObject()
    for key in ["admins", "members"] { result[key] = ["names": [], "roles": []] }
    var draft = self
    draft.security = result
    var isPublic = false
    for grant in grants {
      guard let level = grant.level else { continue }
      if case (.everyone, .member) = (grant.subject, level) {
        isPublic = true
      } else {
        draft.add(grant.subject, to: Self.key(level))
      }
    }
    guard draft.object.isPublic == isPublic else {
      throw .badRequest(
        isPublic
          ? "a store whose members are everyone has no other members or readers"
          : "a store needs a member: 'member everyone', or 'member role _admin' for nobody else")
    }
    for (key, value) in others {
      guard SecurityObject.groupNames.contains(where: { utf8Equal($0, key) }) else {
        draft.security[key] = value
        continue
      }
      var group = draft.security[key]?.objectValue ?? [:]
      for (name, member) in value.objectValue ?? [:] where group[name] == nil {
        group[name] = member
      }
      draft.security[key] = .object(group)
    }
    self = draft
  }

  // MARK: Lists

  private mutating func closeMembers() { add(.role(UserContext.adminRole), to: "members") }

  private mutating func setGroups(
    members: SecurityObject.Group?, readers: SecurityObject.Group?
  ) {
    set("members", members ?? .init(names: [], roles: []))
    if readers != nil || security["readers"] != nil {
      set("readers", readers ?? .init(names: [], roles: []))
    }
  }

  private mutating func set(_ key: String, _ group: SecurityObject.Group) {
    var object = security[key]?.objectValue ?? [:]
    object["names"] = .array(group.names.map { .string($0) })
    object["roles"] = .array(group.roles.map { .string($0) })
    security[key] = .object(object)
  }

  private mutating func add(_ subject: Grant.Subject, to key: String) {
    var group = object.group(key)
    switch subject {
    case .user(let name):
      if !group.names.contains(where: { utf8Equal($0, name) }) { group.names.append(name) }
    case .role(let role):
      if !group.roles.contains(where: { utf8Equal($0, role) }) { group.roles.append(role) }
    case .everyone: return add(.role(SecurityObject.everyoneRole), to: key)
    }
    set(key, group)
  }

  private mutating func remove(_ subject: Grant.Subject, from key: String) -> Bool {
    var group = object.group(key)
    let before = group
    switch subject {
    case .user(let name): group.names.removeAll { utf8Equal($0, name) }
    case .role(let role): group.roles.removeAll { utf8Equal($0, role) }
    case .everyone: group.roles.removeAll { utf8Equal($0, SecurityObject.everyoneRole) }
    }
    if group == before { return false }
    set(key, group)
    return true
  }
}
