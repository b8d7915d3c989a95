public import Core
import HTTP
import Synchronization

/// Tells who makes a request: by Basic authentication or by a session's cookie.
///
/// Deriving a key from a password takes some tenths of a second, on purpose; a pair that was right is
/// remembered for a few minutes so that Basic stays fast. What is remembered ends when the user's
/// password changes or the user is gone, also when another process does that. Wrong passwords are
/// counted by address, and an address with many has to wait.
public final class Authenticator: Sendable {
  private let registry: UserRegistry
  /// Rounds of derivation that every check takes at least.
  private let rounds: Int
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let throttle = AddressThrottle()
  private let sessions = SessionTable()
  private let remembered = Mutex<[[UInt8]: Remembered]>([:])
  /// Requests that wait for the same pair to be checked.
  private let waiting = Mutex<[[UInt8]: [Waiter]]>([:])
  /// Keys what is remembered of passwords, so that memory never holds them.
  private let secret = RandomIdentifier.uuid() + RandomIdentifier.uuid()

  private typealias Holder = SessionTable.Holder
  private typealias Waiter = CheckedContinuation<Holder?, any Error>

  private struct Remembered {
    var holder: Holder
    var expiry: ContinuousClock.Instant
  }

  /// How long a verified pair is remembered, and how many are.
  private static let memory = Duration.seconds(300)
  private static let capacity = 10_000

  /// Checks against the users of a folder of stores; as long as there are none, everybody may do
  /// everything.
  ///
  /// - Parameters:
  ///   - registry: the users.
  ///   - rounds: rounds of derivation that every check takes at least; fewer are for tests.
  ///   - clock: tells the time, for tests.
  public init(
    _ registry: UserRegistry, rounds: Int = PasswordHash.defaultIterations,
    clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.registry = registry
    self.rounds = rounds
    self.clock = clock
  }

  /// Checks against these users.
  public convenience init(_ users: Users) { self.init(users.registry) }

  /// Who makes a request, and how that was found out.
  struct Identity: Sendable {
    var user: UserContext
    /// CouchDB's name of the way: `cookie` or `default`; nil for nobody.
    var handler: String?
    /// A cookie that has to be told its time anew.
    var renewedToken: String?
    /// The same user at a later time; nil when the password changed or the user is gone meanwhile.
    var current: @Sendable () throws -> UserContext?

    init(
      _ user: UserContext, handler: String? = nil,
      current: (@Sendable () throws -> UserContext?)? = nil
    ) {
      self.user = user
      self.handler = handler
      self.current = current ?? { user }
    }
  }

  /// Tells who makes a request; nobody when it has no credentials.
  ///
  /// - Throws: an answer of 401, or 429 when there were too many wrong ones.
  func identity(of request: HTTPRequest) async throws -> Identity {
    guard try registry.isEnforcing() else {
      return Identity(.party, current: { [self] in try registry.isEnforcing() ? nil : .party })
    }
    if let header = request.headers["Authorization"] {
      guard let credentials = request.basicCredentials else {
        guard header.utf8.prefix(6).elementsEqual("Basic ".utf8) else { return nobody }
        throw Refusal.badRequest("Authorization header has invalid base64 value")
      }
      let holder = try await verify(credentials.user, credentials.password, from: request.peer)
      return identity(holder, handler: "default")
    }
    guard let token = Cookies.value(of: "AuthSession", in: request.headers), !token.isEmpty else {
      return nobody
    }
    return try session(token)
  }

  /// Nobody, for as long as it takes.
  private var nobody: Identity { Identity(.anonymous) }

  private func identity(_ holder: Holder, handler: String) -> Identity {
    Identity(
      holder.account.context, handler: handler,
      current: { [self] in try refreshed(holder)?.account.context })
  }

  /// Looks a holder up again if anything of the users changed; nil when what it proved counts no more.
  private func refreshed(_ holder: Holder) throws -> Holder? {
    let mark = try registry.mark()
    if mark == holder.mark { return holder }
    guard let account = try registry.account(holder.account.name),
      account.password != nil, account.password == holder.account.password
    else { return nil }
    return Holder(account: account, mark: mark)
  }

  // MARK: Passwords

  /// Checks a name and a password.
  ///
  /// - Throws: an answer of 401, 429 or 503.
  func verify(_ name: String, _ password: String, from peer: String) async throws
    -> SessionTable.Holder
  {
    let key = fingerprint(name, password)
    let now = clock()
    if let known = remembered.withLock({ $0[key] }), known.expiry > now {
      let holder = try refreshed(known.holder)
      remembered.withLock { $0[key] = holder.map { Remembered(holder: $0, expiry: known.expiry) } }
      if let holder { return holder }
    }
    guard let holder = try await derive(key, name, password, peer) else {
      throw Refusal(401, "unauthorized", "Name or password is incorrect.")
    }
    return holder
  }

  /// Many requests of one client come with the same pair at once: one derivation serves all.
  private func derive(
    _ key: [UInt8], _ name: String, _ password: String, _ peer: String
  ) async throws -> Holder? {
    try await withCheckedThrowingContinuation { continuation in
      let isFirst = waiting.withLock { waiting in
        defer { waiting[key, default: []].append(continuation) }
        return waiting[key] == nil
      }
      guard isFirst else { return }
      Task {
        let result: Result<Holder?, any Error>
        do {
          result = .success(try await check(key, name, password, peer))
        } catch {
          result = .failure(error)
        }
        let waiters = waiting.withLock { $0.removeValue(forKey: key) ?? [] }
        for waiter in waiters { waiter.resume(with: result) }
      }
    }
  }

  private func check(
    _ key: [UInt8], _ name: String, _ password: String, _ peer: String
  ) async throws -> Holder? {
    // Taken before the work: guesses sent at once are counted like those sent one by one.
    guard throttle.take(peer, at: clock()) else {
      var refusal = Refusal(
        429, "too_many_requests", "Too many wrong passwords; try again in a minute.")
      refusal.headers["Retry-After"] = "60"
      throw refusal
    }
    let (registry, rounds) = (registry, rounds)
    let holder: Holder?
    do {
      holder = try await PasswordThread.shared.run {
        let mark = try registry.mark()
        let account = try registry.account(name)
        guard UserAccount.check(password, of: account, rounds: rounds), let account else {
          return nil
        }
        return Holder(account: account, mark: mark)
      }
    } catch {
      throttle.giveBack(peer, at: clock())
      throw error
    }
    guard let holder else { return nil }
    throttle.giveBack(peer, at: clock())
    remember(key, holder)
    return holder
  }

  private func remember(_ key: [UInt8], _ holder: Holder) {
    let now = clock()
    remembered.withLock { remembered in
      if remembered.count >= Self.capacity {
        remembered = remembered.filter { $0.value.expiry > now }
        if remembered.count >= Self.capacity { remembered.removeAll() }
      }
      remembered[key] = Remembered(holder: holder, expiry: now + Self.memory)
    }
  }

  private func fingerprint(_ name: String, _ password: String) -> [UInt8] {
    var hasher = SHA256()
    hasher.update(Array("\(secret):\(name.utf8.count):\(name):\(password)".utf8))
    return hasher.finish()
  }

  // MARK: Sessions

  private func session(_ token: String) throws -> Identity {
    guard let (holder, isRenewed) = sessions.holder(of: token, at: clock()) else {
      guard SessionTable.isWellFormed(token) else {
        throw Refusal.badRequest("Malformed AuthSession cookie. Please clear your cookies.")
      }
      return nobody
    }
    let fresh = try refreshed(holder)
    if fresh?.mark != holder.mark { sessions.update(token, fresh) }
    guard let fresh else { return nobody }
    var identity = identity(fresh, handler: "cookie")
    if isRenewed { identity.renewedToken = token }
    // A logout ends what the session's requests still do.
    identity.current = { [self] in
      guard sessions.holds(token) else { return nil }
      return try refreshed(fresh)?.account.context
    }
    return identity
  }

  /// Starts a session and returns its token.
  func startSession(_ holder: SessionTable.Holder) -> String {
    sessions.start(holder, at: clock())
  }

  /// Ends a session.
  func endSession(_ token: String) { sessions.update(token, nil) }
}
