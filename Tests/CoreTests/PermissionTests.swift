import Core
import TestSupport
import Testing

/// Permissions as grants over security objects, and as text.
struct PermissionTests {
  private let ann = UserContext(name: "ann", roles: [])
  private let ben = UserContext(name: "ben", roles: ["team"])

  private func permissions(
    _ security: JSONObject, _ dialect: StorePermissions.Dialect = .tote
  ) throws -> StorePermissions {
    try StorePermissions(security, dialect: dialect)
  }

  // MARK: Groups

  @Test("a grant gives exactly one level") func oneLevel() throws {
    var found = try permissions(["members": ["names": ["zoe"]]])
    for level in [Grant.Level.member, .admin, .reader] {
      try found.grant(level, to: .user("ann"))
      #expect(found.grants.filter { $0.subject == .user("ann") } == [Grant(.user("ann"), level)])
    }
    #expect(found.allows(.read, to: ann))
    #expect(!found.allows(.write, to: ann))
  }

  @Test("taking the last member away does not make a store public") func lastMember() throws {
    var found = try permissions(["members": ["names": ["ann"]]])
    let (first, second) = (
      found.revoke(nil, from: .user("ann")), found.revoke(nil, from: .user("ann"))
    )
    #expect(first)
    #expect(!second)
    #expect(!found.isPublic)
    #expect(!found.allows(.read, to: .anonymous))
  }

  @Test("a reader of a store without members makes nobody a member, on CouchDB either")
  func readersAlone() throws {
    var found = try permissions([:])
    try found.grant(.reader, to: .user("ann"))
    #expect(!found.allows(.write, to: ann))
    #expect(!found.allows(.read, to: ben))
    // CouchDB takes `readers` for members when there are no members.
    #expect(try SecurityObject(found.security).members.roles == ["_admin"])
  }

  @Test(
    "presets say who may read and write",
    arguments: [
      (StorePermissions.Preset.admins, "---"), (.members, "-w-"), (.publicRead, "rwr"),
      (.everyone, "www"),
    ])
  func presets(preset: StorePermissions.Preset, expected: String) throws {
    var found = try permissions(["members": ["names": ["ben"], "roles": []], "x": 1])
    try found.set(preset)
    let people = [ann, ben, .anonymous]
    let letters = people.map { user in
      found.allows(.write, to: user) ? "w" : found.allows(.read, to: user) ? "r" : "-"
    }
    #expect(letters.joined() == expected)
    #expect(found.security["x"] == 1)
    #expect(found.allows(.administer, to: .party))
  }

  @Test("the members preset of a public store leaves it to the administrators") func closed() throws
  {
    var found = try permissions([:])
    try found.set(.members)
    #expect(!found.allows(.read, to: ann))
  }

  @Test("CouchDB has no readers") func noReaders() throws {
    var found = try permissions([:], .couchDB)
    #expect(throws: StoreError.self) { try found.grant(.reader, to: .user("ann")) }
    #expect(throws: StoreError.self) { try found.set(.publicRead) }
  }

  @Test("names are compared as bytes") func bytes() throws {
    let composed = "\u{e9}"
    let found = try permissions(["members": ["names": [.string(composed)]]])
    #expect(found.allows(.read, to: UserContext(name: composed, roles: [])))
    #expect(!found.allows(.read, to: UserContext(name: "e\u{301}", roles: [])))
  }

  // MARK: Cloudant

  @Test("Cloudant's permissions are edited in its own terms") func cloudant() throws {
    let security: JSONObject = [
      "cloudant": ["nobody": [], "key1": ["_reader", "_design"], "boss": ["_admin"]],
      "couchdb_auth_only": false,
    ]
    var found = try permissions(security, .cloudant)
    let key = UserContext(name: "key1", roles: [])
    #expect(found.allows(.read, to: key))
    #expect(!found.allows(.write, to: key))
    #expect(found.allows(.administer, to: UserContext(name: "boss", roles: [])))
    try found.grant(.member, to: .user("key1"))
    #expect(found.security["cloudant"]?["key1"] == ["_reader", "_writer", "_replicator"])
    #expect(found.security["couchdb_auth_only"] == false)
    let isGone = found.revoke(nil, from: .user("boss"))
    #expect(isGone)
    #expect(found.security["cloudant"]?["boss"] == nil)
    try found.set(.publicRead)
    #expect(found.security["cloudant"]?["nobody"] == ["_reader"])
    #expect(found.allows(.read, to: .anonymous))
    #expect(throws: StoreError.self) { try found.grant(.member, to: .role("r")) }
  }

  @Test(
    "the dialect is the server's",
    arguments: [
      (JSONObject(), "tote", "x.example", StorePermissions.Dialect.tote),
      ([:], "The Apache Software Foundation", "x.example", .couchDB),
      ([:], nil, "acc.cloudantnosqldb.appdomain.cloud", .cloudant),
      ([:], "IBM Cloudant", "proxy.example", .cloudant), (["cloudant": [:]], nil, "x", .cloudant),
      (["couchdb_auth_only": true], "IBM Cloudant", "acc.cloudant.com", .couchDB),
    ] as [(JSONObject, String?, String, StorePermissions.Dialect)])
  func dialect(
    security: JSONObject, vendor: String?, host: String, expected: StorePermissions.Dialect
  ) {
    #expect(
      StorePermissions.dialect(security: security, vendor: vendor, host: host) == expected)
  }

  // MARK: Text

  @Test("permissions read like this") func text() throws {
    let found = try permissions([
      "admins": ["names": ["ada"], "roles": ["ops"]],
      "members": ["names": ["bob smith"], "roles": [], "note": 1],
      "readers": ["names": [], "roles": ["_everyone"]], "extra": ["kept": 1],
    ])
    let text = PermissionText([.init(store: "notes", permissions: found)]).text
    #expect(
      text == """
        # tote permissions 1
        # Who may do what. Edit it, look with 'tote perms diff FILE', then 'tote perms apply FILE'.

        store notes
          admin   user ada
          admin   role ops
          member  user "bob smith"
          reader  everyone
          other   members {"note":1}
          other   extra {"kept":1}

        """)
  }

  @Test(
    "a text that says nonsense is refused with its line",
    arguments: [
      ("admin user x", 1), ("store a\n  boss user x", 2), ("store a\nmember user", 2),
      ("store a\nmember everyone x", 2), ("store a\n\nstore a", 3), ("# tote permissions 2", 1),
      ("store \"a", 1), ("store a\nother k {", 2), ("store a\nmember user x\nmember user x", 3),
      ("store", 1), ("store a b", 1), ("store a\nmember nobody", 2),
    ])
  func mistakes(text: String, line: Int) {
    #expect {
      try PermissionText(parsing: text)
    } throws: {
      ($0 as? PermissionText.Mistake)?.line == line
    }
  }

  @Test("a store that names no member is not made public by that") func noMember() throws {
    let section = try #require(
      try PermissionText(parsing: "store a\n  admin user x").sections.first)
    #expect(throws: StoreError.self) {
      try section.applied(to: try permissions([:]))
    }
  }

  @Test("a text read again says the same, for any security object") func roundTrip() throws {
    var generator = SeededGenerator(for: "permission texts")
    for _ in 0..<500 {
      let dialect: StorePermissions.Dialect = Bool.random(using: &generator) ? .tote : .cloudant
      let found = try permissions(
        dialect == .cloudant ? randomCloudant(&generator) : randomGroups(&generator), dialect)
      let text = PermissionText([.init(store: "a b/c", permissions: found)])
      let again = try PermissionText(parsing: text.text)
      #expect(again.text == text.text)
      let applied = try again.sections[0].applied(to: try permissions([:], dialect))
      #expect(applied.means(found), "\(JSON.object(found.security).serialized())")
      #expect(PermissionText([.init(store: "a b/c", permissions: applied)]).text == text.text)
      for user in [ann, ben, .anonymous] {
        for access in [SecurityObject.Access.read, .write, .administer] {
          #expect(applied.allows(access, to: user) == found.allows(access, to: user))
        }
      }
    }
  }

  private func randomNames(_ generator: inout SeededGenerator) -> JSON {
    let names = ["ann", "ben", "a b", "#x", "\"q\"", "", "everyone", "tab\t", "\u{e9}", "_admin"]
    return .array(
      names.shuffled(using: &generator).prefix(Int.random(in: 0...3, using: &generator))
        .map { .string($0) })
  }

  private func randomGroups(_ generator: inout SeededGenerator) -> JSONObject {
    var security = JSONObject()
    for key in ["admins", "members", "readers"] where Bool.random(using: &generator) {
      var group = JSONObject()
      for list in ["names", "roles"] where Bool.random(using: &generator) {
        group[list] = randomNames(&generator)
      }
      if Int.random(in: 0..<5, using: &generator) == 0 { group["extra # \" "] = ["x": [1, .null]] }
      security[key] = .object(group)
    }
    if Bool.random(using: &generator) { security["other key"] = ["deep": "# no comment"] }
    return security
  }

  private func randomCloudant(_ generator: inout SeededGenerator) -> JSONObject {
    let all = ["_reader", "_writer", "_admin", "_replicator", "_db_updates", "_security"]
    var map = JSONObject()
    for name in ["nobody", "key1", "key 2", "ann"] where Bool.random(using: &generator) {
      let count = Int.random(in: 1...4, using: &generator)
      map[name] = .array(all.shuffled(using: &generator).prefix(count).map { .string($0) })
    }
    return ["cloudant": .object(map), "couchdb_auth_only": false]
  }
}
