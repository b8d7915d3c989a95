import Core
import HTTP
import Synchronization

/// Keeps what proves to a server who asks: a session's cookie or a token, renewed before it runs out.
final class RemoteSession: Sendable {
  /// The URL of the server, without the database.
  let server: WebURL
  private let credentials: RemoteCredentials
  private let client: HTTPClient
  private let timing: RemoteTiming
  private let state = Mutex(State())

  private struct State {
    /// The cookie or token that requests carry.
    var pass: Pass?
    /// The server has no sessions: Basic it is.
    var hasNoSessions = false
    /// A renewal that is under way; everybody waits for the same.
    var renewal: Task<Void, any Error>?
    var lastRenewal: Double?
  }

  /// A cookie's value or a token, and when to ask for the next.
  private struct Pass {
    var text: String
    var renewAt: Double
  }

  /// CouchDB's cookies live ten minutes and do not say so.
  private static let cookieLife = 600.0
  /// The part of its life after which a pass is renewed.
  private static let freshness = 0.9
  /// Servers are not asked for sessions more often than this, in seconds.
  private static let shortestLife = 5.0

  /// Takes a database's URL; its server is asked for sessions.
  init(
    for database: WebURL, _ credentials: RemoteCredentials, client: HTTPClient,
    timing: RemoteTiming
  ) {
    var server = database.withoutUserInfo
    server.path = String(
      server.path.reversed().drop { $0 == "/" }.drop { $0 != "/" }.reversed())
    self.server = server
    self.credentials = credentials
    self.client = client
    self.timing = timing
  }

  /// Adds the proof to a request.
  ///
  /// - Returns: the cookie or token used, nil without one.
  func sign(_ request: inout HTTPClientRequest) async throws -> String? {
    switch credentials {
    case .none: return nil
    case .basic(let user, let password):
      request.headers["Authorization"] =
        BasicCredentials(user: user, password: password).authorization
      return nil
    case .bearer(let token):
      request.headers["Authorization"] = "Bearer \(token)"
      return nil
    case .apiKey:
      let token = try await currentPass()
      request.headers["Authorization"] = "Bearer \(token ?? "")"
      return token
    case .password(let user, let password):
      if let cookie = try await currentPass() {
        request.headers["Cookie"] = "AuthSession=\(cookie)"
        return cookie
      }
      request.headers["Authorization"] =
        BasicCredentials(user: user, password: password).authorization
      return nil
    }
  }

  /// Whether a refused request is worth sending again, with another pass: the one it carried is given
  /// up.
  func gaveUp(_ used: String?, after error: RemoteError) -> Bool {
    guard let used, error.isExpiry else { return false }
    state.withLock { state in
      if let pass = state.pass, utf8Equal(pass.text, used) { state.pass = nil }
    }
    return true
  }

  /// Takes a session cookie from any answer: servers renew them as they like, and send others along.
  func adopt(_ response: HTTPClientResponse) {
    guard case .password = credentials, response.url.hasSameOrigin(as: server) else { return }
    for header in response.headers.values(of: "Set-Cookie") {
      guard let cookie = SetCookie(parsing: header), utf8Equal(cookie.name, "AuthSession") else {
        continue
      }
      let life = cookie.maximumAge.map(Double.init) ?? Self.cookieLife
      state.withLock { state in
        state.pass = cookie.value.isEmpty || life <= 0 ? nil : pass(cookie.value, life)
      }
    }
  }

  private func pass(_ text: String, _ life: Double) -> Pass {
    Pass(text: text, renewAt: timing.now() + life * Self.freshness)
  }

  // MARK: Renewal

  /// The pass to use now; nil when the server has no sessions.
  private func currentPass() async throws -> String? {
    while true {
      let (pass, renewal) = state.withLock { state -> (String?, Task<Void, any Error>?) in
        if state.hasNoSessions { return (nil, nil) }
        let now = timing.now()
        let mayRenew = state.lastRenewal.map { now - $0 >= Self.shortestLife } ?? true
        if let pass = state.pass, now < pass.renewAt || !mayRenew { return (pass.text, nil) }
        if let renewal = state.renewal { return (nil, renewal) }
        let renewal = Task { try await renew() }
        state.renewal = renewal
        return (nil, renewal)
      }
      guard let renewal else { return pass }
      try await renewal.value
    }
  }

  private func renew() async throws {
    defer {
      state.withLock { state in
        state.renewal = nil
        state.lastRenewal = timing.now()
      }
    }
    switch credentials {
    case .none, .basic, .bearer: return
    case .apiKey(let key, let tokens):
      let token = try await TokenService(url: tokens, key: key, client: client).token()
      state.withLock { $0.pass = pass(token.text, token.life) }
    case .password(let user, let password):
      let hasSession = try await logIn(user, password)
      state.withLock { state in
        if !hasSession || state.pass == nil { state.hasNoSessions = true }
      }
    }
  }

  /// Asks for a session; a server without `_session` gets Basic authentication from now on.
  private func logIn(_ user: String, _ password: String) async throws -> Bool {
    state.withLock { $0.pass = nil }
    var request = HTTPClientRequest(.post, server.appending("_session"))
    request.headers["Content-Type"] = "application/json"
    request.headers["Accept"] = "application/json"
    let form: JSON = ["name": .string(user), "password": .string(password)]
    request.body = .bytes(form.serializedBytes())
    let response: HTTPClientResponse
    do {
      response = try await client.send(request)
    } catch let error as HTTPError {
      throw RemoteError.transport(error, url: request.url)
    }
    adopt(response)
    switch response.status {
    case 200..<300:
      await response.discard()
      return true
    case 401, 408, 429, 500..<501, 502...599: throw await RemoteError(answer: response)
    default:
      await response.discard()
      return false
    }
  }
}
