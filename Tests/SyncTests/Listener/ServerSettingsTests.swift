import Core
import HTTP
import Sync
import TestSupport
import Testing

/// `_node/…/_config`, and what the settings change.
@Suite struct ServerSettingsTests {
  private let node = "/_node/_local/_config"

  @Test("a setting is given back, with its old value when it changes or goes")
  func round() async throws {
    try await withListener { listener in
      let target = node + "/section/key"
      let reply18 = try await listener.ask(.get, target)
      #expect(reply18.status == 404)
      let reply19 = try await listener.ask(.put, target, "one")
      #expect(reply19.json == "")
      let reply20 = try await listener.ask(.put, target, "two")
      #expect(reply20.json == "one")
      let reply21 = try await listener.ask(.get, node + "/section")
      #expect(reply21.json == ["key": "two"])
      let reply22 = try await listener.ask(.delete, target)
      #expect(reply22.json == "two")
      let reply23 = try await listener.ask(.delete, target)
      #expect(reply23.status == 404)
      let reply24 = try await listener.ask(.put, target, 1)
      #expect(reply24.status == 400)
    }
  }

  @Test("the server is a cluster of one, under two names")
  func membership() async throws {
    try await withListener { listener in
      let members = try await listener.ask(.get, "/_membership").json
      let name = try #require(members["all_nodes"]?.arrayValue?.first?.stringValue)
      #expect(members["cluster_nodes"] == members["all_nodes"])
      let reply25 = try await listener.ask(.get, "/_node/\(name)/_config")
      #expect(reply25.status == 200)
      let reply26 = try await listener.ask(.get, "/_node/other/_config")
      #expect(reply26.status == 404)
    }
  }

  @Test("a plus in a document's path is a blank, unless the settings say otherwise")
  func plus() async throws {
    try await withListener { listener in
      try await listener.ask(.put, "/a+b")
      try await listener.ask(.put, "/a+b/x%2By", ["n": 1])
      try await listener.ask(.put, "/a+b/x%20y", ["n": 2])
      #expect(try await listener.ask(.get, "/a+b/x+y").json["n"] == 2)
      try await listener.ask(.put, node + "/chttpd/decode_plus_to_space", "false")
      #expect(try await listener.ask(.get, "/a+b/x+y").json["n"] == 1)
    }
  }

  @Test("ids are made by the algorithm that is set")
  func identifiers() async throws {
    try await withListener { listener in
      try await listener.ask(.put, node + "/uuids/algorithm", "utc_id")
      try await listener.ask(.put, node + "/uuids/utc_id_suffix", "-here")
      let answer = try await listener.ask(.get, "/_uuids?count=3")
      let ids = (answer.json["uuids"]?.arrayValue ?? []).compactMap(\.stringValue)
      #expect(ids.count == 3 && ids == ids.sorted() && Set(ids).count == 3)
      #expect(ids.allSatisfy { $0.hasSuffix("-here") && $0.utf8.count == 19 })
      #expect(answer.headers["Pragma"] == "no-cache")
    }
  }

  @Test("who may use the users' database is changed only where the settings let it be")
  func usersSecurity() async throws {
    try await withUsers { listener in
      let open: JSON = ["members": ["roles": []], "admins": ["roles": ["_admin"]]]
      let refused = try await listener.send(
        "PUT", "/_users/_security", as: "admin", body: open)
      #expect(refused.status == 403)
      let setting = node + "/couchdb/users_db_security_editable"
      #expect(
        try await listener.send("PUT", setting, as: "admin", body: "true").status == 200)
      let stranger = try await listener.send("PUT", "/_users/_security", body: open)
      #expect(stranger.status == 401)
      let changed = try await listener.send(
        "PUT", "/_users/_security", as: "admin", body: open)
      #expect(changed.status == 200)
    }
  }

  @Test("a login that fails sends its page where it asks for, on this server only")
  func failedLogin() async throws {
    try await withUsers { listener in
      let wrong: JSON = ["name": "admin", "password": "wrong"]
      let sent = try await listener.send("POST", "/_session?fail=/again", body: wrong)
      #expect(sent.status == 302)
      #expect(sent.headers["Location"] == "/again")
      #expect(sent.json["error"] == "unauthorized")
      #expect(sent.cookie == "")
      let kept = try await listener.send("POST", "/_session?fail=//example.org/", body: wrong)
      #expect(kept.status == 401)
    }
  }
}
