import Core
import HTTP
import TestSupport
import Testing

/// The recorded matrix of (security object, operation, user), asked of the listener over HTTP.
struct SecurityMatrixTests {
  private static let revision = "1-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
  private static let users = ["none", "dave", "alice", "bob", "carol", "erin", "admin"]

  /// What the listener answers otherwise, by operation.
  private static func expected(
    _ operation: String, _ status: Int, _ said: String, _ user: String
  ) -> (status: Int, said: String, reason: String?) {
    switch (operation, status) {
    case ("view", 200):
      return (501, "", "views need JavaScript: 501 to those who may read")
    case ("create_index", 500), ("put_security", 500), ("put_revs_limit", 500):
      // CouchDB fails inside; it means what it answers to a design document.
      let isStranger = user == "none"
      return (
        isStranger ? 401 : 403,
        "\(isStranger ? "unauthorized" : "forbidden"): You are not a db or server admin.",
        "\(operation) refuses instead of failing"
      )
    default: return (status, said, nil)
    }
  }

  @Test("every recorded cell of the matrix holds") func matrix() async throws {
    let recorded = try vectors("security_matrix")
    let people: [(name: String, roles: [String])] = [
      ("alice", []), ("carol", []), ("dave", []), ("bob", ["r1"]), ("erin", ["adm"]),
    ]
    try await withUsers(people) { listener in
      _ = try listener.stores.create("_replicator")
      var cells = 0
      var differing: [String: Int] = [:]
      var skipped: [String: Int] = [:]
      for part in recorded["cases"]?.arrayValue ?? [] {
        let name = part["security_name"]?.stringValue ?? ""
        let isServer = name == "server_level"
        if !isServer { try await seed(listener, name, part["security"] ?? .null) }
        for (operation, results) in part["results"]?.objectValue ?? [:] {
          for user in Self.users {
            guard let cell = results[user] else { continue }
            if let reason = Self.inapplicable(operation) {
              skipped[reason, default: 0] += 1
              continue
            }
            let (status, said, reason) = Self.expected(
              operation, Int((cell.arrayValue?.first ?? cell).integerValue ?? 0),
              cell.arrayValue?.last?.stringValue ?? "", user)
            let answer =
              isServer
              ? try await serverLevel(listener, operation, user)
              : try await run(
                listener, recorded["operations"]?[operation] ?? .null, name, user,
                part["security"] ?? .null)
            cells += 1
            if let reason { differing[reason, default: 0] += 1 }
            #expect(answer.status == status, "\(name) \(operation) \(user): \(answer.said)")
            if !said.isEmpty { #expect(said == Self.said(answer), "\(name) \(operation) \(user)") }
          }
        }
      }
      print("security_matrix.json over HTTP: \(cells) cells, of which differ \(differing)")
      print("  not applicable: \(skipped)")
      #expect(cells > 1_000)
    }
  }

  /// What is not this server's, with the reason.
  private static func inapplicable(_ operation: String) -> String? {
    switch operation {
    case "node_config": "a tote has no configuration to be changed over HTTP"
    case "membership": "a tote is no cluster"
    case "replicate": "the recorded server had no replicator database"
    default: nil
    }
  }

  /// The error of an answer; of a batch's answer that of its first row.
  private static func said(_ answer: ListenerAnswer) -> String {
    guard let row = answer.json.arrayValue?.first, let error = row["error"]?.stringValue else {
      return answer.said
    }
    return "[0] \(error): \(row["reason"]?.stringValue ?? "")"
  }

  private func seed(_ listener: RunningListener, _ name: String, _ security: JSON) async throws {
    let database = "/m_\(name)"
    #expect(try await listener.send("PUT", database, as: "admin").status == 201)
    if security != .null {
      let put = try await listener.send("PUT", "\(database)/_security", as: "admin", body: security)
      #expect(put.status == 200)
    }
    var documents: [JSON] = [
      ["_id": "d", "_rev": .string(Self.revision)],
      [
        "_id": "_design/q", "_rev": .string(Self.revision),
        "views": ["v": ["map": "function(d){emit(null)}"]],
      ],
    ]
    documents += Self.users.map { ["_id": .string("del_\($0)"), "_rev": .string(Self.revision)] }
    let body: JSON = ["new_edits": false, "docs": .array(documents)]
    _ = try await listener.send("POST", "\(database)/_bulk_docs", as: "admin", body: body)
    _ = try await listener.send("PUT", "\(database)/_local/seed", as: "admin", body: [:])
    for user in Self.users {
      let index: JSON = [
        "index": ["fields": ["a"]], "ddoc": .string("pre_\(user)"), "name": .string("pre_\(user)"),
      ]
      _ = try await listener.send("POST", "\(database)/_index", as: "admin", body: index)
    }
  }

  private func run(
    _ listener: RunningListener, _ operation: JSON, _ name: String, _ user: String,
    _ security: JSON
  ) async throws -> ListenerAnswer {
    func fill(_ text: String) -> String {
      text.replacing("{db}", with: "m_\(name)").replacing("{u}", with: user)
    }
    let method = operation["method"]?.stringValue ?? ""
    let path = fill(operation["path"]?.stringValue ?? "")
    let sender = user == "none" ? nil : user
    switch operation["body"] {
    case .string("SAME"):
      // The object that is there, or for a database that never got one what it has from the start.
      let same: JSON =
        security == .null
        ? ["admins": ["roles": ["_admin"]], "members": ["roles": ["_admin"]]] : security
      return try await listener.send(method, path, as: sender, body: same)
    case .string(let text):
      let type = path.hasSuffix("_revs_limit") ? "application/json" : "text/plain"
      return try await listener.send(
        method, path, as: sender, bytes: Array(text.utf8), headers: ["Content-Type": type])
    case .object(let body)?:
      let filled = try JSON(parsing: fill(JSON.object(body).serialized()))
      return try await listener.send(method, path, as: sender, body: filled)
    default: return try await listener.send(method, path, as: sender)
    }
  }

  private func serverLevel(
    _ listener: RunningListener, _ operation: String, _ user: String
  ) async throws -> ListenerAnswer {
    let paths = [
      "create_db": "/new_\(user)", "all_dbs": "/_all_dbs", "active_tasks": "/_active_tasks",
      "uuids": "/_uuids", "up": "/_up", "session": "/_session", "replicator_db": "/_replicator",
      "users_db": "/_users",
    ]
    return try await listener.send(
      operation == "create_db" ? "PUT" : "GET", paths[operation] ?? "/?",
      as: user == "none" ? nil : user)
  }
}
