import Core
import Synchronization

/// Who a request comes from.
public struct PhotoLogin: Sendable, Hashable {
  /// The user.
  public var user: String
  /// What the request may do.
  public var scope: PhotoScope
  /// The API token that was shown; nil for a session.
  public var tokenID: String?
}

/// What an API token is good for.
public enum PhotoScope: String, Sendable, CaseIterable {
  /// Adding photos, and asking whether they are there.
  case upload
  /// Everything its user may do; making tokens is left to sessions.
  case full
}

/// An API token without its secret.
public struct PhotoToken: Sendable, Hashable {
  /// Names it among its user's tokens.
  public var id: String
  /// What its user calls it.
  public var label: String
  /// What it is good for.
  public var scope: PhotoScope
  /// When it was made: RFC 3339 in UTC with milliseconds.
  public var created: String
}

/// The sessions and API tokens of a library's users.
///
/// Only hashes of the secrets are stored, in one local document a user, which is never replicated; all
/// servers over one database share them. A session ends at logout, after 30 days without a request,
/// and, as tokens do, when its user gets another password or is gone.
///
/// What was looked up counts for a few seconds. Changes made here count at once.
public final class PhotoSessions: Sendable {
  private let store: any DocumentStore
  private let users: PhotoUsers
  private let now: @Sendable () -> Int64
  private let cache = Mutex<[String: Known]>([:])
  private let writing = KeyedLock()

  private struct Known {
    var login: PhotoLogin?
    var until: Int64
    var changes: Int
  }

  /// Characters (Unicode scalars) of a token's label as it is sent.
  public static let labelLimit = 100
  /// API tokens of one user.
  public static let tokenLimit = 50
  /// Sessions of one user; the oldest makes room.
  static let sessionLimit = 50
  /// Milliseconds without a request after which a session ends.
  static let idleLimit: Int64 = 30 * 86_400_000
  /// Milliseconds after which a request is written down, so that most are not.
  private static let seenInterval: Int64 = 86_400_000
  /// Milliseconds for which what was looked up counts.
  private static let memory: Int64 = 3000
  private static let capacity = 10_000

  init(_ store: any DocumentStore, users: PhotoUsers, now: @escaping @Sendable () -> Int64) {
    self.store = store
    self.users = users
    self.now = now
  }

  // MARK: Sessions

  /// Starts a session and returns its token.
  ///
  /// - Throws: ``PhotoLibraryError/userNotFound(name:)``, `StoreError`, `RemoteError`.
  public func start(_ user: String) async throws -> String {
    let (token, entry) = try await newEntry(user)
    try await edit(user) { logins in
      guard logins.entry(entry.hash) == nil else { return }
      logins.sessions.append(entry)
      logins.sessions.removeFirst(max(0, logins.sessions.count - Self.sessionLimit))
    }
    return token
  }

  /// Who a token of a session or an API token belongs to; nil when it counts no more.
  ///
  /// - Throws: `StoreError`, `RemoteError`.
  public func user(of token: String) async throws -> PhotoLogin? {
    guard let token = TokenText(token) else { return nil }
    let time = now()
    let changes = users.changes
    let hash = token.hash
    if let known = cache.withLock({ $0[hash] }), known.until > time, known.changes == changes {
      return known.login
    }
    let login = try await lookUp(token, at: time)
    cache.withLock { cache in
      if cache.count >= Self.capacity { cache.removeAll() }
      cache[hash] = Known(login: login, until: time + Self.memory, changes: changes)
    }
    return login
  }

  private func lookUp(_ token: TokenText, at time: Int64) async throws -> PhotoLogin? {
    let logins = try await logins(of: token.user)
    guard let entry = logins.entry(token.hash),
      let fingerprint = try await users.fingerprint(of: token.user),
      utf8Equal(entry.password, fingerprint)
    else { return nil }
    if let token = entry.token {
      return PhotoLogin(user: logins.user, scope: token.scope, tokenID: token.id)
    }
    guard abs(time - entry.seen) < Self.idleLimit else { return nil }
    if time - entry.seen > Self.seenInterval {
      try? await edit(token.user) { logins in
        guard let index = logins.sessions.firstIndex(where: { $0.hash == entry.hash }) else {
          return
        }
        logins.sessions[index].seen = time
      }
    }
    return PhotoLogin(user: token.user, scope: .full, tokenID: nil)
  }

  /// Ends a session.
  public func end(_ token: String) async throws {
    guard let token = TokenText(token) else { return }
    cache.withLock { _ = $0.removeValue(forKey: token.hash) }
    try await edit(token.user) { $0.sessions.removeAll { $0.hash == token.hash } }
    cache.withLock { _ = $0.removeValue(forKey: token.hash) }
  }

  /// Ends all sessions and API tokens of a user.
  public func endAll(_ user: String) async throws {
    try await edit(user) { logins in
      logins.sessions = []
      logins.tokens = []
    }
    forget(user)
  }

  private func forget(_ user: String) {
    cache.withLock { cache in cache = cache.filter { $0.value.login?.user != user } }
  }

  // MARK: API tokens

  /// Makes an API token; its text is told this once.
  ///
  /// - Throws: ``PhotoLibraryError``, `StoreError`, `RemoteError`.
  public func makeToken(
    _ user: String, label: String, scope: PhotoScope
  ) async throws -> (token: PhotoToken, text: String) {
    guard (1...Self.labelLimit).contains(label.unicodeScalars.count) else {
      throw PhotoLibraryError.invalidLabel
    }
    var (text, entry) = try await newEntry(user)
    let token = PhotoToken(
      id: String(RandomIdentifier.uuid().prefix(12)), label: PhotoText.shown(label), scope: scope,
      created: PhotoDocument.timestamp(entry.seen))
    entry.token = token
    try await edit(user) { [entry] logins in
      guard logins.entry(entry.hash) == nil else { return }
      guard logins.tokens.count < Self.tokenLimit else { throw PhotoLibraryError.tooManyTokens }
      logins.tokens.append(entry)
    }
    return (token, text)
  }

  /// The API tokens of a user that count, oldest first.
  public func listTokens(_ user: String) async throws -> [PhotoToken] {
    guard let fingerprint = try await users.fingerprint(of: user) else { return [] }
    return try await logins(of: user).tokens.filter { utf8Equal($0.password, fingerprint) }
      .compactMap(\.token)
  }

  /// Removes an API token; false when the user has none of that id.
  public func removeToken(_ id: String, of user: String) async throws -> Bool {
    var isThere = false
    try await edit(user) { logins in
      isThere = logins.tokens.contains { $0.token?.id == id }
      logins.tokens.removeAll { $0.token?.id == id }
    }
    forget(user)
    return isThere
  }

  // MARK: Documents

  private func newEntry(_ user: String) async throws -> (token: String, LoginEntry) {
    guard let fingerprint = try await users.fingerprint(of: user) else {
      throw PhotoLibraryError.userNotFound(name: user)
    }
    let token = TokenText.make(user)
    return (token.text, LoginEntry(hash: token.hash, seen: now(), password: fingerprint))
  }

  private func logins(of user: String) async throws -> LoginDocument {
    do {
      return LoginDocument(
        user: user, try await store.document(LoginDocument.id(of: user), ReadOptions()))
    } catch StoreError.documentNotFound {
      return LoginDocument(user: user, nil)
    }
  }

  /// Changes a user's document; `change` may be called again on what it changed.
  ///
  /// Local documents know no conflicts. A store of this machine is changed in one transaction; of a
  /// database two servers can overwrite each other's changes, so what was written is read again.
  private func edit(
    _ user: String, _ change: (inout LoginDocument) throws -> Void
  ) async throws {
    try await writing.withLock(user) {
      let time = now()
      func changed(_ logins: inout LoginDocument) throws -> Bool {
        let before = logins
        try change(&logins)
        if logins == before { return false }
        logins.sessions.removeAll { abs(time - $0.seen) >= Self.idleLimit }
        return true
      }
      if let local = store as? LocalStore {
        return try local.updateLocal(LoginDocument.id(of: user)) { document in
          var logins = LoginDocument(user: user, document)
          return try changed(&logins) ? try logins.document : nil
        }
      }
      for _ in 0..<16 {
        var logins = try await logins(of: user)
        guard try changed(&logins) else { return }
        do {
          try await store.put(try logins.document)
        } catch StoreError.conflict {
          continue
        }
        if try await self.logins(of: user).isSame(as: logins) { return }
      }
      throw PhotoLibraryError.contended
    }
  }
}
