import Core
import HTTP
import TestSupport
import Testing

/// What CouchDB 3.5 answered, asked of the listener over HTTP.
struct PermissionVectorTests {
  @Test("users and sessions answer as CouchDB's do") func usersAndSessions() async throws {
    try await withUsers { listener in
      var replay = try VectorReplay("users_session", listener)
      replay.differences = [
        "cookie_still_valid_after_logout": (
          .body(["ok": true, "userCtx": ["name": .null, "roles": []]]),
          "a session ends at the logout, not when its time is over"
        )
      ]
      try await replay.run()
      #expect(replay.skipped.isEmpty)
      #expect(replay.applied == replay.count)
    }
  }

  @Test("security objects answer as CouchDB's do") func securityObjects() async throws {
    let users: [(name: String, roles: [String])] = [
      ("alice", []), ("carol", []), ("dave", []), ("bob", ["r1"]), ("erin", ["adm"]),
    ]
    try await withUsers(users) { listener in
      _ = try await listener.send("PUT", "/vec_sec", as: "admin")
      var replay = try VectorReplay("security", listener)
      let malformed = "400: a malformed object is the client's mistake, not the server's"
      for name in [
        "put_bad_names", "put_bad_roles", "put_bad_admins", "put_array", "put_null_members",
      ] {
        replay.differences[name] = (.error(400, "bad_request"), malformed)
      }
      replay.differences["put_as_member"] = (
        .error(403, "forbidden"), "403: who is no administrator is refused, not failed"
      )
      try await replay.run()
      #expect(replay.applied == replay.count)
    }
  }
}

/// Replays a recorded file over HTTP.
struct VectorReplay {
  private let listener: RunningListener
  private let cases: [JSON]
  private let name: String
  private var variables: [String: String] = [:]
  private var cookie = ""
  /// What is answered otherwise, and why.
  var differences: [String: (expected: Expectation, reason: String)] = [:]
  private(set) var applied = 0
  private(set) var skipped: [String] = []

  enum Expectation {
    case error(Int, String)
    case body(JSON)
  }

  init(_ name: String, _ listener: RunningListener) throws {
    self.name = name
    self.listener = listener
    cases = try vectors(name)["cases"]?.arrayValue ?? []
  }

  var count: Int { cases.count }

  mutating func run() async throws {
    for recorded in cases { try await play(recorded) }
    for name in differences.keys
    where !cases.contains(where: { $0["name"]?.stringValue == name }) {
      Issue.record("no case \(name)")
    }
    print("vectors of \(name).json over HTTP: \(applied) of \(count) applied")
    for (name, difference) in differences.sorted(by: { $0.key < $1.key }) {
      print("  \(name) differs: \(difference.reason)")
    }
  }

  private mutating func play(_ recorded: JSON) async throws {
    let name = recorded["name"]?.stringValue ?? ""
    let request = recorded["request"] ?? .null
    let user = request["auth"]?.stringValue ?? "admin"
    if request.serialized().contains("{{arev}}") {
      let alice = try await listener.send("GET", "/_users/org.couchdb.user:alice", as: "admin")
      variables["arev"] = alice.json["_rev"]?.stringValue
    }
    var headers = HTTPHeaders()
    for (name, value) in request["headers"]?.objectValue ?? [:] {
      headers[name] = value.stringValue?.replacing("COOKIE", with: cookie)
    }
    let body = try request["body"].map { try JSON(parsing: fill($0.serialized())) }
    let answer = try await listener.send(
      request["method"]?.stringValue ?? "", fill(request["path"]?.stringValue ?? ""),
      as: user == "none" ? nil : user, body: body,
      bytes: request["body_text"]?.stringValue.map { Array($0.utf8) }, headers: headers)
    // The recorded requests with a cookie are those of bob's first session.
    if let value = answer.cookie, !value.isEmpty, cookie.isEmpty { cookie = value }
    for (variable, path) in recorded["save"]?.objectValue ?? [:] {
      variables[variable] = answer.json[path.stringValue ?? ""]?.stringValue
    }
    applied += 1
    compare(name, answer, recorded["response"] ?? .null)
  }

  private func fill(_ text: String) -> String {
    variables.reduce(text) { $0.replacing("{{\($1.key)}}", with: $1.value) }
  }

  private func compare(_ name: String, _ answer: ListenerAnswer, _ response: JSON) {
    switch differences[name]?.expected {
    case .error(let status, let error):
      #expect(answer.status == status, "\(name): \(answer.said)")
      #expect(answer.json["error"]?.stringValue == error, "\(name)")
      return
    case .body(let body):
      let found = answer.json.objectValue ?? [:]
      for (key, value) in body.objectValue ?? [:] { #expect(found[key] == value, "\(name)") }
      return
    case nil: break
    }
    #expect(answer.status == Int(response["status"]?.integerValue ?? 0), "\(name): \(answer.said)")
    if let expected = response["body"] {
      #expect(
        Self.matches(answer.json, expected),
        "\(name): \(answer.json.serialized()), expected \(expected.serialized())")
    }
    for (header, value) in response["headers"]?.objectValue ?? [:] {
      compare(name, header, answer.headers[header], value.stringValue ?? "")
    }
  }

  /// Headers whose value is ours to choose are there; the others are equal.
  private func compare(_ name: String, _ header: String, _ found: String?, _ expected: String) {
    switch header {
    case "Connection", "Transfer-Encoding": return
    case "ETag":
      // The tag of a feed is opaque, and ours has none.
      if expected != "\"OPAQUE\"" { #expect(found != nil, "\(name): \(header)") }
    case "Location":
      let path = expected.replacing("http://127.0.0.1:5984", with: "")
      #expect(
        found.map { $0.replacing("%3A", with: ":").hasSuffix(path) } == true, "\(name): \(header)")
    case "Set-Cookie":
      let found = found ?? ""
      let isEnd = expected.hasPrefix("AuthSession=;")
      #expect(
        found.hasPrefix("AuthSession=") && found.hasPrefix("AuthSession=;") == isEnd, "\(name)")
      for part in ["; Path=/", "; HttpOnly", "; Max-Age="] {
        #expect(found.contains(part), "\(name): \(found)")
      }
    default: #expect(found == expected, "\(name): \(header)")
    }
  }

  /// Equal but for what CouchDB generated: `HEX32`, `N-REV`, `0-SEQ`.
  private static func matches(_ found: JSON, _ expected: JSON) -> Bool {
    switch (found, expected) {
    case (.object(let found), .object(let expected)):
      return found.count == expected.count
        && expected.allSatisfy { key, value in found[key].map { matches($0, value) } ?? false }
    case (.array(let found), .array(let expected)):
      return found.count == expected.count && zip(found, expected).allSatisfy { matches($0, $1) }
    case (.string(let found), .string(let expected)):
      if expected.hasPrefix("HEX") {
        return found.utf8.count == Int(expected.dropFirst(3)) && found.allSatisfy(\.isHexDigit)
      }
      if expected == "N-REV" { return RevisionID(found) != nil }
      if expected == "0-SEQ" { return found.hasPrefix("0-") }
      return found == expected
    default: return found == expected
    }
  }
}
