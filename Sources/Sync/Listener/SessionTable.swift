import Core
import Glibc
import HTTP
import Synchronization

/// The sessions of a server: random tokens in its memory, so that they end with the process, at a
/// logout, and when their user's password changes.
final class SessionTable: Sendable {
  /// Who a session, or a remembered password, stands for.
  struct Holder: Sendable {
    var account: UserAccount
    /// The state of the users in which `account` was looked up.
    var mark: UserRegistry.Mark
  }

  private struct Session {
    var holder: Holder
    var expiry: ContinuousClock.Instant
    /// When the client was last told how long its cookie lives.
    var told: ContinuousClock.Instant
  }

  private let sessions = Mutex<[String: Session]>([:])

  /// How long a session lasts without a request, as in CouchDB.
  static let lifetime = Duration.seconds(600)
  /// Clients are told anew after a tenth of that.
  private static let renewal = Duration.seconds(60)
  private static let capacity = 50_000

  /// Starts a session and returns its token, which has the form of CouchDB's:
  /// base64url of `name:time:random`.
  func start(_ holder: Holder, at now: ContinuousClock.Instant) -> String {
    let seconds = String(time(nil), radix: 16, uppercase: true)
    let text = "\(holder.account.name):\(seconds):\(RandomIdentifier.uuid())"
    let name = Base64.encodeForURL(text.utf8)
    sessions.withLock { sessions in
      if sessions.count >= Self.capacity { Self.makeRoom(&sessions, now) }
      sessions[name] = Session(holder: holder, expiry: now + Self.lifetime, told: now)
    }
    return name
  }

  /// The holder of a session that has not ended, which lasts its time anew; and whether the client
  /// should be told so.
  func holder(
    of token: String, at now: ContinuousClock.Instant
  ) -> (holder: Holder, isRenewed: Bool)? {
    sessions.withLock { sessions in
      guard var session = sessions[token] else { return nil }
      guard session.expiry > now else {
        sessions[token] = nil
        return nil
      }
      session.expiry = now + Self.lifetime
      let isRenewed = now - session.told >= Self.renewal
      if isRenewed { session.told = now }
      sessions[token] = session
      return (session.holder, isRenewed)
    }
  }

  /// Whether a session was neither ended nor forgotten.
  func holds(_ token: String) -> Bool { sessions.withLock { $0[token] != nil } }

  /// Keeps a newer look at the holder, or ends the session.
  func update(_ token: String, _ holder: Holder?) {
    sessions.withLock { sessions in
      guard let holder else {
        sessions[token] = nil
        return
      }
      sessions[token]?.holder = holder
    }
  }

  /// Whether a text has the form of a session's token, as CouchDB has it.
  static func isWellFormed(_ token: String) -> Bool {
    guard let bytes = Base64.decodeFromURL(token.utf8) else { return false }
    return bytes.count { $0 == UInt8(ascii: ":") } >= 2
  }

  private static func makeRoom(
    _ sessions: inout [String: Session], _ now: ContinuousClock.Instant
  ) {
    sessions = sessions.filter { $0.value.expiry > now }
    guard sessions.count >= capacity else { return }
    // The longest unused ones go, a tenth at a time.
    let oldest = sessions.sorted { $0.value.expiry < $1.value.expiry }.prefix(capacity / 10)
    for (token, _) in oldest { sessions[token] = nil }
  }
}
