import Core
import Foundation
import HTTP
import TestSupport
import Testing

/// Walks all routes of the listener as five people over three kinds of databases.
struct RouteAccessTests {
  /// What a route needs; the table below says who has it.
  private enum Need: String, CaseIterable {
    case nothing, read, checkpoint, write, administer, maintain, server
  }

  private static let people = ["anonymous", "reader", "member", "dba", "admin"]
  private static let kinds = ["public", "members", "readers"]

  /// The status of a refusal, 0 where the request goes through, in the order of `people`.
  ///
  /// In `public` and `members` the reader is a stranger with a name.
  private static let table: [Need: [String: [Int]]] = [
    .nothing: [
      "public": [0, 0, 0, 0, 0], "members": [0, 0, 0, 0, 0], "readers": [0, 0, 0, 0, 0],
    ],
    .read: [
      "public": [0, 0, 0, 0, 0], "members": [401, 403, 0, 0, 0], "readers": [401, 0, 0, 0, 0],
    ],
    .checkpoint: [
      "public": [0, 0, 0, 0, 0], "members": [401, 403, 0, 0, 0], "readers": [401, 0, 0, 0, 0],
    ],
    .write: [
      "public": [0, 0, 0, 0, 0], "members": [401, 403, 0, 0, 0], "readers": [401, 403, 0, 0, 0],
    ],
    .administer: [
      "public": [401, 403, 403, 0, 0], "members": [401, 403, 403, 0, 0],
      "readers": [401, 403, 403, 0, 0],
    ],
    .maintain: [
      "public": [401, 401, 401, 0, 0], "members": [401, 403, 401, 0, 0],
      "readers": [401, 401, 401, 0, 0],
    ],
    .server: [
      "public": [401, 401, 401, 401, 0], "members": [401, 401, 401, 401, 0],
      "readers": [401, 401, 401, 401, 0],
    ],
  ]

  /// Every route: method, path below the database, body, need.
  ///
  /// `{u}` is who asks.
  private static let routes: [(method: String, path: String, body: JSON?, need: Need)] = [
    ("GET", "", nil, .read), ("HEAD", "", nil, .read), ("POST", "", ["_id": "n-{u}"], .write),
    ("GET", "/_all_docs", nil, .read), ("POST", "/_all_docs", ["keys": ["d"]], .read),
    ("POST", "/_all_docs/queries", ["queries": [[:]]], .read),
    ("GET", "/_design_docs", nil, .read), ("GET", "/_local_docs", nil, .read),
    ("GET", "/_changes", nil, .read), ("POST", "/_changes?filter=_doc_ids", ["doc_ids": []], .read),
    ("POST", "/_bulk_docs", ["docs": [["_id": "b-{u}"]]], .write),
    (
      "POST", "/_bulk_docs", ["new_edits": false, "docs": [["_id": "r-{u}", "_rev": "1-a"]]], .write
    ),
    ("POST", "/_bulk_get", ["docs": [["id": "d"]]], .read),
    ("POST", "/_revs_diff", ["d": ["1-a"]], .read),
    ("POST", "/_missing_revs", ["d": ["1-a"]], .read),
    ("POST", "/_find", ["selector": [:]], .read), ("POST", "/_explain", ["selector": [:]], .read),
    ("GET", "/_index", nil, .read), ("POST", "/_temp_view", [:], .read),
    ("POST", "/_index", ["index": ["fields": ["a"]], "name": "i-{u}"], .administer),
    ("DELETE", "/_index/none/json/none", nil, .write),
    ("POST", "/_index/_bulk_delete", ["docids": []], .write),
    ("GET", "/_security", nil, .read), ("PUT", "/_security", ["SAME": 1], .administer),
    ("GET", "/_revs_limit", nil, .read), ("PUT", "/_revs_limit", 1000, .administer),
    ("GET", "/_purged_infos_limit", nil, .read),
    ("PUT", "/_purged_infos_limit", 1000, .administer), ("GET", "/_partition/p", nil, .read),
    ("POST", "/_purge", [:], .server), ("POST", "/_ensure_full_commit", [:], .read),
    ("POST", "/_compact", [:], .maintain), ("POST", "/_view_cleanup", [:], .maintain),
    ("GET", "/d", nil, .read), ("HEAD", "/d", nil, .read), ("GET", "/d?open_revs=all", nil, .read),
    ("PUT", "/p-{u}", [:], .write), ("DELETE", "/none", nil, .write),
    ("COPY", "/d", nil, .write), ("GET", "/d/a.txt", nil, .read), ("HEAD", "/d/a.txt", nil, .read),
    ("PUT", "/p2-{u}/a.txt", "text", .write), ("DELETE", "/none/a.txt?rev=1-a", nil, .write),
    ("GET", "/_design/q", nil, .read), ("PUT", "/_design/q-{u}", [:], .administer),
    ("DELETE", "/_design/none", nil, .administer),
    ("PUT", "/_design/q-{u}/a.txt", "t", .administer),
    ("GET", "/_design/q/_view/v", nil, .read), ("GET", "/_design/q/_info", nil, .read),
    ("GET", "/_local/seed", nil, .read), ("PUT", "/_local/l-{u}", [:], .checkpoint),
    ("DELETE", "/_local/none", nil, .checkpoint), ("DELETE", "", nil, .server),
  ]

  private static let serverRoutes: [(method: String, path: String, body: JSON?, need: Need)] = [
    ("GET", "/", nil, .nothing), ("GET", "/_up", nil, .nothing), ("GET", "/_uuids", nil, .nothing),
    ("GET", "/_session", nil, .nothing), ("GET", "/_all_dbs", nil, .server),
    ("GET", "/_active_tasks", nil, .server), ("PUT", "/made-{u}", nil, .server),
    ("GET", "/_dbs_info", nil, .server), ("POST", "/_replicate", [:], .server),
    ("GET", "/_scheduler/jobs", nil, .server), ("GET", "/_membership", nil, .server),
    ("GET", "/_node/_local/_config", nil, .server),
  ]

  @Test("who may use which route is what the table says") func walk() async throws {
    try await withUsers([("reader", []), ("member", []), ("dba", [])]) { listener in
      for kind in Self.kinds {
        try await seed(listener, kind)
        for route in Self.routes {
          for (index, person) in Self.people.enumerated() {
            // The database is still needed, and whoever may delete it would.
            if route.method == "DELETE", route.path.isEmpty, person == "admin" { continue }
            try await ask(listener, kind, "/db-\(kind)\(route.path)", route, person, index)
          }
        }
      }
      for route in Self.serverRoutes {
        for (index, person) in Self.people.enumerated() {
          try await ask(listener, "public", route.path, route, person, index)
        }
      }
    }
  }

  private func ask(
    _ listener: RunningListener, _ kind: String, _ path: String,
    _ route: (method: String, path: String, body: JSON?, need: Need), _ person: String, _ index: Int
  ) async throws {
    let expected = try #require(Self.table[route.need]?[kind])[index]
    var body = try route.body.map {
      try JSON(parsing: $0.serialized().replacing("{u}", with: person))
    }
    if body?["SAME"] != nil { body = .object(Self.security(kind)) }
    var headers = HTTPHeaders()
    if route.method == "COPY" { headers["Destination"] = "copy-\(person)" }
    let answer = try await listener.send(
      route.method, path.replacing("{u}", with: person),
      as: person == "anonymous" ? nil : person, body: body, headers: headers)
    let refusal = [401, 403].contains(answer.status) ? answer.status : 0
    #expect(
      refusal == expected, "\(route.method) \(path) as \(person): \(answer.status) \(answer.said)")
  }

  private static func security(_ kind: String) -> JSONObject {
    var security: JSONObject = ["admins": ["names": ["dba"], "roles": []]]
    if kind != "public" { security["members"] = ["names": ["member"], "roles": []] }
    if kind == "readers" { security["readers"] = ["names": ["reader"], "roles": []] }
    return security
  }

  private func seed(_ listener: RunningListener, _ kind: String) async throws {
    let store = try listener.stores.create("db-\(kind)")
    try store.setSecurity(Self.security(kind))
    try write("d", "text", to: store)
    try store.put(Document(id: "_design/q", body: try DocumentBody(["views": [:]])))
    try store.put(Document(id: "_local/seed", body: try DocumentBody([:])))
  }

  @Test("no route is missing from the table") func complete() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Sources/Sync/Listener").standardized
    let walked = (Self.routes + Self.serverRoutes).flatMap { route in
      route.path.split { "/?".contains($0) }.map(String.init)
    }
    for file in ["DatabaseHandler.swift", "Listener+Server.swift"] {
      let source = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      for match in source.matches(of: #/"(_[a-z_]+)"/#) {
        let name = String(match.1)
        guard source.contains("case \"\(name)\"") || source.contains(", \"\(name)\"") else {
          continue
        }
        #expect(walked.contains(name), "add '\(name)' of \(file) to the table of routes")
      }
    }
  }

  @Test("a read-only server writes nothing but checkpoints, and still asks who it is")
  func readOnly() async throws {
    try await withUsers([("member", []), ("reader", [])], isReadOnly: true) { listener in
      try await seed(listener, "readers")
      let database = "/db-readers"
      for (method, path) in [("PUT", "/x"), ("PUT", "/_design/x"), ("PUT", "/_security")] {
        let answer = try await listener.send(method, database + path, as: "admin", body: [:])
        #expect(answer.status == 403)
        #expect(answer.json["reason"] == "This server is read-only.")
      }
      #expect(try await listener.send("PUT", "/new", as: "admin").status == 403)
      #expect(
        try await listener.send("POST", "\(database)/_purge", as: "admin", body: [:]).status == 403)
      for (user, status) in [("admin", 201), ("member", 201), ("reader", 201)] {
        let answer = try await listener.send(
          "PUT", "\(database)/_local/c-\(user)", as: user, body: [:])
        #expect(answer.status == status, "\(user)")
      }
      // Before: nobody was asked for a name where a checkpoint was written.
      #expect(try await listener.send("PUT", "\(database)/_local/x", body: [:]).status == 401)
      #expect(try await listener.send("GET", "\(database)/d").status == 401)
    }
  }
}
