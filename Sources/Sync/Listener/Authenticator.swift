public import Core
public import HTTP
import Synchronization

/// Tells who makes a request: by Basic authentication or by a session's cookie.
///
/// Deriving a key from a password takes some tenths of a second, on purpose; a pair that was right is
/// remembered for a few minutes so that Basic stays fast. Wrong passwords are counted by address, and
/// an address with many has to wait.
public final class Authenticator: Sendable {
  private let users: Users
  private let state = Mutex(State())
  /// Keys what is remembered of passwords, so that memory never holds them.
  private let secret = RandomIdentifier.uuid()
  /// One derivation at a time: guesses must not occupy all cores.
  private let derivation = Mutex(())

  private struct State {
    var verified: [[UInt8]: (user: UserContext, until: ContinuousClock.Instant)] = [:]
    var sessions: [String: (user: UserContext, until: ContinuousClock.Instant)] = [:]
    var failures: [String: (count: Int, until: ContinuousClock.Instant)] = [:]
  }

  /// How long a verified pair is remembered.
  private static let memory = Duration.seconds(300)
  /// How long a session lasts without a request, as in CouchDB.
  private static let sessionTime = Duration.seconds(600)
  /// Wrong passwords from one address before it has to wait, and how long.
  private static let allowedFailures = 10
  private static let penalty = Duration.seconds(60)

  /// Checks against these users.
  public init(_ users: Users) { self.users = users }

  /// Tells who makes a request; nobody when it has no credentials.
  ///
  /// - Throws: an answer of 401, or 429 when there were too many wrong ones.
  public func user(of request: HTTPRequest) async throws -> UserContext {
    if request.headers.contains("Authorization") {
      guard let credentials = request.basicCredentials else {
        guard request.headers["Authorization"]?.hasPrefix("Basic ") == true else {
          return .anonymous
        }
        throw Refusal.badRequest("Authorization header has invalid base64 value")
      }
      return try verify(credentials.user, credentials.password, from: request.peer)
    }
    guard let token = Cookies.value(of: "AuthSession", in: request.headers), !token.isEmpty else {
      return .anonymous
    }
    return session(token) ?? .anonymous
  }

  // MARK: Passwords

  /// Checks a name and a password.
  func verify(_ name: String, _ password: String, from peer: String) throws -> UserContext {
    let key = fingerprint(name, password)
    let now = ContinuousClock.now
    if let known = state.withLock({ $0.verified[key] }), known.until > now { return known.user }
    try checkFailures(of: peer, now)
    let user = try derivation.withLock { _ in
      try users.authenticate(name: name, password: password)
    }
    guard let user else {
      noteFailure(of: peer)
      throw Refusal(401, "unauthorized", "Name or password is incorrect.")
    }
    state.withLock { state in
      state.failures[peer] = nil
      state.verified = state.verified.filter { $0.value.until > now }
      state.verified[key] = (user, now + Self.memory)
    }
    return user
  }

  private func fingerprint(_ name: String, _ password: String) -> [UInt8] {
    var hasher = SHA256()
    hasher.update(Array("\(secret):\(name.utf8.count):\(name):\(password)".utf8))
    return hasher.finish()
  }

  private func checkFailures(of peer: String, _ now: ContinuousClock.Instant) throws {
    let failures = state.withLock { $0.failures[peer] }
    guard let failures, failures.count >= Self.allowedFailures, failures.until > now else { return }
    throw Refusal(429, "too_many_requests", "Too many wrong passwords; try again in a minute.")
  }

  private func noteFailure(of peer: String) {
    let now = ContinuousClock.now
    state.withLock { state in
      let known = state.failures[peer].flatMap { $0.until > now ? $0.count : nil } ?? 0
      state.failures[peer] = (known + 1, now + Self.penalty)
      if state.failures.count > 10_000 {
        state.failures = state.failures.filter { $0.value.until > now }
      }
    }
  }

  /// Forgets what is remembered of passwords: after users were changed.
  func forget() { state.withLock { $0.verified.removeAll() } }

  // MARK: Sessions

  /// Starts a session and returns its token.
  func startSession(_ user: UserContext) -> String {
    let token = RandomIdentifier.uuid() + RandomIdentifier.uuid()
    let now = ContinuousClock.now
    state.withLock { state in
      state.sessions = state.sessions.filter { $0.value.until > now }
      state.sessions[token] = (user, now + Self.sessionTime)
    }
    return token
  }

  private func session(_ token: String) -> UserContext? {
    let now = ContinuousClock.now
    return state.withLock { state in
      guard let session = state.sessions[token], session.until > now else { return nil }
      state.sessions[token] = (session.user, now + Self.sessionTime)
      return session.user
    }
  }

  /// Ends a session.
  func endSession(_ token: String) { state.withLock { $0.sessions[token] = nil } }
}
