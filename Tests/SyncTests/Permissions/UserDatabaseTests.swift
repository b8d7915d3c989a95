import Core
import HTTP
import TestSupport
import Testing

@testable import Sync

/// `_users` as CouchDB keeps it.
struct UserDatabaseTests {
  private func path(_ name: String) -> String { "/_users/org.couchdb.user:\(name)" }

  /// Users may read and write their own documents once the database is not the administrators' alone.
  private func open(_ listener: RunningListener) throws {
    try listener.stores.open("_users").setSecurity(["admins": ["roles": ["_admin"]]])
  }

  @Test("users see their own document and no other, once the database is opened")
  func ownDocument() async throws {
    try await withUsers([("ann", ["x"]), ("ben", [])]) { listener in
      #expect(try await listener.send("GET", path("ann"), as: "ann").status == 403)
      try open(listener)
      #expect(try await listener.send("GET", path("ann"), as: "ann").status == 200)
      for other in ["ben", "nobody"] {
        let answer = try await listener.send("GET", path(other), as: "ann")
        #expect(answer.status == 404)
        #expect(answer.said == "not_found: missing")
      }
      #expect(try await listener.send("GET", path("ann")).status == 404)
    }
  }

  @Test(
    "no route but the single document shows users to each other",
    arguments: [
      ("GET", "/_all_docs?include_docs=true"), ("GET", "/_changes?include_docs=true"),
      ("GET", "/_design_docs"), ("GET", "/_local_docs"), ("POST", "/_find"), ("POST", "/_explain"),
      ("POST", "/_bulk_get"), ("POST", "/_bulk_docs"), ("POST", "/_revs_diff"), ("GET", "/_index"),
      ("GET", "/_local/x"), ("GET", "/_design/x"), ("POST", "/_all_docs/queries"),
    ])
  func lists(method: String, path: String) async throws {
    try await withUsers([("ann", [])]) { listener in
      try open(listener)
      let answer = try await listener.send(
        method, "/_users" + path, as: "ann", body: method == "POST" ? [:] : nil)
      #expect(answer.status == 401)
      #expect(answer.said == "unauthorized: You are not a server admin.")
      #expect(!String(decoding: answer.bytes, as: UTF8.self).contains("derived_key"))
    }
  }

  @Test("users change their password, not their roles, key or name") func ownChange() async throws {
    try await withUsers([("ann", ["x"]), ("ben", [])]) { listener in
      try open(listener)
      var members = try await listener.send("GET", path("ann"), as: "ann").json.objectValue ?? [:]
      func put(_ change: JSONObject, to name: String = "ann") async throws -> ListenerAnswer {
        var body = members
        for (key, value) in change { body[key] = value }
        return try await listener.send("PUT", path(name), as: "ann", body: .object(body))
      }
      #expect(try await put(["roles": ["x", "y"]]).said == "forbidden: Only _admin may edit roles")
      #expect(try await put(["derived_key": "00"]).status == 403)
      #expect(try await put(["iterations": 1]).status == 403)
      #expect(try await put(["name": "ben"], to: "ben").status == 404)
      #expect(try await listener.send("DELETE", "\(path("ben"))?rev=1-a", as: "ann").status == 404)
      let copied = try await listener.send(
        "COPY", path("ann"), as: "ann", headers: ["Destination": "org.couchdb.user:eve"])
      #expect(copied.status == 404)
      #expect(try await put(["password": "new", "city": "Rome"]).status == 201)
      #expect(try await listener.send("GET", path("ann"), as: "ann").status == 401)
      let now = try await listener.send("GET", path("ann"), as: "ann", password: "new")
      members = now.json.objectValue ?? [:]
      #expect(members["city"] == "Rome")
      #expect(members["password"] == nil)
      #expect(members["iterations"] == 600_000)
    }
  }

  @Test("who registers gets no roles, and no one else's document") func registration() async throws
  {
    try await withUsers([("ann", [])]) { listener in
      func put(_ name: String, _ roles: JSON) async throws -> ListenerAnswer {
        try await listener.send(
          "PUT", path(name),
          body: ["name": .string(name), "type": "user", "roles": roles, "password": "p"])
      }
      #expect(try await put("eve", []).status == 401)
      try open(listener)
      #expect(try await put("eve", ["x"]).said == "forbidden: Only _admin may set roles")
      #expect(try await put("ann", []).status == 409)
      for name in ["ann", "new"] {
        let attached = try await listener.send("PUT", "\(path(name))/file", bytes: [1])
        #expect(attached.status == 404)
      }
      #expect(try await put("eve", []).status == 201)
      let session = try await listener.send("GET", "/_session", as: "eve", password: "p")
      #expect(session.json["userCtx"] == ["name": "eve", "roles": []])
    }
  }

  @Test("the users' security object cannot be changed over HTTP") func security() async throws {
    try await withUsers { listener in
      let answer = try await listener.send("PUT", "/_users/_security", as: "admin", body: [:])
      #expect(answer.status == 403)
      #expect(
        answer.said
          == "forbidden: You can't edit the security object of the user database.")
    }
  }

  @Test("a derived key that an administrator replicates is kept as it is")
  func replicatedKey() async throws {
    try await withUsers { listener in
      let hash = PasswordHash(password: "secret", iterations: 1_000)
      var members = hash.members
      members["_id"] = "org.couchdb.user:eva"
      members["_rev"] = "3-00000000000000000000000000000003"
      members["name"] = "eva"
      members["type"] = "user"
      members["roles"] = []
      let body: JSON = ["new_edits": false, "docs": [.object(members)]]
      let answer = try await listener.send("POST", "/_users/_bulk_docs", as: "admin", body: body)
      #expect(answer.status == 201)
      #expect(answer.json == [])
      let stored = try await listener.send("GET", path("eva"), as: "admin").json
      #expect(stored["derived_key"] == hash.members["derived_key"])
      #expect(stored["_rev"] == "3-00000000000000000000000000000003")
      let session = try await listener.send("GET", "/_session", as: "eva", password: "secret")
      #expect(session.status == 200)
    }
  }

  @Test("documents of older CouchDBs, with SHA-1 and few rounds, let their users in")
  func olderHash() async throws {
    try await withUsers { listener in
      // PBKDF2-HMAC-SHA-1 of `password` with salt `salt`, two rounds: RFC 6070 §2.
      let members: JSON = [
        "name": "old", "type": "user", "roles": ["r"], "password_scheme": "pbkdf2",
        "iterations": 2, "salt": "salt", "derived_key": "ea6c014dc72d6f8ffd7d7fb5eb4f4c4b5fd6a1f5",
      ]
      // The last digits are wrong first: what does not fit must be refused.
      #expect(
        try await listener.send("PUT", path("old"), as: "admin", body: members).status == 201)
      #expect(
        try await listener.send("GET", "/_session", as: "old", password: "password").status == 401)
      var right = members.objectValue ?? [:]
      right["derived_key"] = "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"
      right["_rev"] = try await listener.send("GET", path("old"), as: "admin").json["_rev"]
      #expect(
        try await listener.send("PUT", path("old"), as: "admin", body: .object(right)).status == 201
      )
      let session = try await listener.send("GET", "/_session", as: "old", password: "password")
      #expect(session.json["userCtx"] == ["name": "old", "roles": ["r"]])
    }
  }

  @Test("a replicated document cannot make its user an administrator") func systemRole()
    async throws
  {
    try await withUsers([("ann", [])]) { listener in
      // Written past the rules, as an older program or a damaged peer might.
      let store = try listener.stores.open("_users")
      var document = try store.document("org.couchdb.user:ann")
      var members = document.body.members
      members["roles"] = ["_admin", "x"]
      document.body = try DocumentBody(members)
      try store.put(document)
      let session = try await listener.send("GET", "/_session", as: "ann")
      #expect(session.json["userCtx"] == ["name": "ann", "roles": ["x"]])
      #expect(try await listener.send("GET", "/_all_dbs", as: "ann").status == 401)
    }
  }
}
