import Core
import HTTP
import TestSupport
import Testing

@testable import Sync

/// An answer of a listener, read to its end.
struct ListenerAnswer {
  let status: Int
  let headers: HTTPHeaders
  let bytes: [UInt8]

  var json: JSON { (try? JSON(parsing: bytes)) ?? .null }

  /// `error: reason`, or the text of what is no error.
  var said: String {
    guard let error = json["error"]?.stringValue else { return "" }
    return "\(error): \(json["reason"]?.stringValue ?? "")"
  }

  /// The session in `Set-Cookie`.
  var cookie: String? { headers["Set-Cookie"].flatMap { SetCookie(parsing: $0)?.value } }
}

extension RunningListener {
  /// Sends a request as somebody; `body` is sent as JSON.
  func send(
    _ method: String, _ path: String, as user: String? = nil, password: String? = nil,
    body: JSON? = nil, bytes: [UInt8]? = nil, headers: HTTPHeaders = HTTPHeaders(),
    client: HTTPClient? = nil
  ) async throws -> ListenerAnswer {
    var request = HTTPClientRequest(
      HTTPMethod(rawValue: method), try WebURL("\(url)\(path)"), headers: headers)
    request.maximumRedirects = 0
    // Other tests may keep every thread of the pool busy for a while.
    var timeouts = HTTPClient.Timeouts()
    timeouts.idle = nil
    request.timeouts = timeouts
    if request.headers["Accept"] == nil { request.headers["Accept"] = "application/json" }
    if let user {
      request.headers["Authorization"] =
        BasicCredentials(user: user, password: password ?? testPassword(user)).authorization
    }
    if let body {
      if request.headers["Content-Type"] == nil {
        request.headers["Content-Type"] = "application/json"
      }
      request.body = .bytes(body.serializedBytes())
    } else if let bytes {
      request.body = .bytes(bytes)
    }
    let response = try await (client ?? self.client).send(request)
    return ListenerAnswer(
      status: response.status, headers: response.headers, bytes: try await response.bytes())
  }
}

/// The passwords of the recorded users.
func testPassword(_ user: String) -> String { user == "admin" ? "adminpw" : "pw-\(user)" }

/// Rounds of derivation in tests: what is tested is not how long they take.
let testRounds = 1_000

/// A listener with the administrator `admin` and users with roles.
func withUsers(
  _ users: [(name: String, roles: [String])] = [], isReadOnly: Bool = false,
  _ body: (RunningListener) async throws -> Void
) async throws {
  try await withListener { options in
    let directory = Users.make(in: options.stores, rounds: testRounds)
    options.authenticator = Authenticator(directory.registry, rounds: testRounds)
    try directory.add("admin", password: "adminpw", isAdmin: true)
    for user in users {
      try directory.add(user.name, password: testPassword(user.name), roles: user.roles)
    }
    options.isReadOnly = isReadOnly
  } _: {
    try await body($0)
  }
}

/// A recorded file of `Tests/TestSupport/Vectors`.
func vectors(_ name: String) throws -> JSON { try ReplayFile(name).json }
