import Core
import HTTP

/// Accounts, sessions and API tokens.
extension PhotoServer {
  // MARK: Who makes a request

  /// Finds out who makes a request, and refuses what another site's page makes a browser send.
  ///
  /// - Throws: 401 for a token that counts no more, 403.
  func identified(_ call: PhotoCall) async throws -> PhotoCall {
    if call.changes { try call.checkOrigin() }
    var call = call
    if let header = call.http.headers["Authorization"] {
      guard let token = Self.bearerToken(header) else { throw PhotoProblem.unauthorized }
      guard let login = try await library.sessions.user(of: token) else {
        throw PhotoProblem.invalidToken
      }
      call.login = login
      return call
    }
    guard let token = Cookies.value(of: PhotoCall.cookieName, in: call.http.headers),
      !token.isEmpty
    else { return call }
    call.cookie = token
    call.login = try await library.sessions.user(of: token)
    // The tutorial's app knows no header; there `checkOrigin` has to do.
    let isFree = [.logIn, .register, .tutorial].contains(call.route)
    if call.changes, call.login != nil, !isFree { try call.checkHeader() }
    return call
  }

  private static func bearerToken(_ header: String) -> String? {
    let words = header.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
    return String(words[1])
  }

  /// The user, whose login must be good for everything.
  ///
  /// - Throws: 401, 403.
  func fullUser(_ call: PhotoCall) throws(PhotoProblem) -> String {
    let user = try call.user()
    guard call.login?.scope == .full else {
      throw .forbidden("this token is for adding photos only")
    }
    return user
  }

  // MARK: Sessions

  func session(_ call: PhotoCall) -> HTTPResponse {
    let user: JSON = call.login.map { ["name": .string($0.user)] } ?? .null
    return .photoJSON(["user": user])
  }

  func logIn(_ call: PhotoCall) async throws -> HTTPResponse {
    let body = try await call.object()
    let name = try await verified(
      try Self.text("username", body), try Self.text("password", body), call)
    var answer: JSONObject = ["user": ["name": .string(name)], "token": .null]
    guard try Self.flag("token", body) else {
      return try await withSession(of: name, call, .photoJSON(.object(answer)))
    }
    answer["token"] = .string(try await library.sessions.start(name))
    return .photoJSON(.object(answer))
  }

  /// The name of the user whose password this is.
  ///
  /// - Throws: 401, 429.
  func verified(_ name: String, _ password: String, _ call: PhotoCall) async throws -> String {
    let user: String?
    do {
      user = try await library.users.verify(name, password, from: call.origin.address)
    } catch PhotoLibraryError.tooManyTries(let wait) {
      metrics.countLoginFailure()
      throw PhotoLibraryError.tooManyTries(retryAfter: wait)
    }
    guard let user else {
      metrics.countLoginFailure()
      throw PhotoProblem(401, "wrong_password", "name or password is wrong")
    }
    return user
  }

  /// Starts a session and lets an answer carry its cookie.
  ///
  /// Always a new one: a cookie that somebody else planted becomes nobody's.
  func withSession(
    of name: String, _ call: PhotoCall, _ answer: HTTPResponse
  ) async throws -> HTTPResponse {
    if let old = call.cookie { try? await library.sessions.end(old) }
    var cookie = SetCookie(
      name: PhotoCall.cookieName, value: try await library.sessions.start(name))
    cookie.isSecure = call.origin.isSecure
    cookie.maximumAge = Self.cookieAge
    var answer = answer
    answer.headers["Set-Cookie"] = cookie.headerValue
    return answer
  }

  /// As long as a session lasts without a request, in seconds.
  private static let cookieAge = 30 * 86_400

  func logOut(
    _ call: PhotoCall, answer: HTTPResponse = HTTPResponse(status: 204)
  ) async throws -> HTTPResponse {
    // An API token is no session: it ends by being removed.
    if call.login?.tokenID == nil,
      let token = call.cookie ?? call.http.headers["Authorization"].flatMap(Self.bearerToken)
    {
      try await library.sessions.end(token)
    }
    var cookie = SetCookie(name: PhotoCall.cookieName, value: "")
    cookie.maximumAge = 0
    var answer = answer
    if call.cookie != nil { answer.headers["Set-Cookie"] = cookie.headerValue }
    return answer
  }

  // MARK: Accounts

  func register(_ call: PhotoCall) async throws -> HTTPResponse {
    let body = try await call.object()
    let name = try await makeAccount(
      try Self.text("username", body), try Self.text("password", body),
      invite: try Self.optionalText("invite", body), call)
    return try await withSession(
      of: name, call, .photoJSON(["user": ["name": .string(name)]], status: 201))
  }

  /// Makes an account, if this sender may.
  ///
  /// - Throws: 400, 403, 409, 429.
  func makeAccount(
    _ name: String, _ password: String, invite: String?, _ call: PhotoCall
  ) async throws -> String {
    switch options.registration {
    case .open: break
    case .closed:
      throw PhotoProblem(
        403, "registration_closed", "accounts are made by whoever runs this server")
    case .invite(let code):
      guard let invite, Self.isSame(invite, code) else {
        throw PhotoProblem(403, "wrong_invite", "an invitation is needed to make an account")
      }
    }
    // Mistakes are free; what reaches the derivation of a key is not.
    _ = try PhotoText.userName(name)
    try PhotoUsers.check(password)
    let sender = RateLimiter.sender(address: call.origin.address)
    if let wait = limiters.registrations.take(1, by: sender) {
      throw PhotoProblem.busy("too many new accounts from there", retryAfter: wait)
    }
    return try await library.users.register(name, password)
  }

  /// Compares secrets by their hashes: how long it takes tells nothing.
  private static func isSame(_ left: String, _ right: String) -> Bool {
    func hash(_ text: String) -> [UInt8] {
      var hasher = SHA256()
      hasher.update(Array(text.utf8))
      return hasher.finish()
    }
    return hash(left) == hash(right)
  }

  // MARK: API tokens

  /// Lists, makes and removes API tokens, which only sessions may: a token cannot change its scope.
  func tokens(_ call: PhotoCall) async throws -> HTTPResponse {
    let user = try fullUser(call)
    guard call.login?.tokenID == nil else {
      throw PhotoProblem.forbidden("tokens are made and removed by who has logged in")
    }
    if case .token(let id) = call.route {
      guard try await library.sessions.removeToken(id, of: user) else {
        throw PhotoProblem(404, "not_found", "no such token")
      }
      return HTTPResponse(status: 204)
    }
    guard call.http.method == .post else {
      let tokens = try await library.sessions.listTokens(user)
      return .photoJSON(["tokens": .array(tokens.map { .object(Self.answer($0)) })])
    }
    let body = try await call.object()
    let word = try Self.text("scope", body)
    guard let scope = PhotoScope.allCases.first(where: { utf8Equal($0.rawValue, word) }) else {
      throw PhotoProblem.badRequest("'scope' is 'upload' or 'full'")
    }
    let (token, text) = try await library.sessions.makeToken(
      user, label: try Self.text("label", body), scope: scope)
    var answer = Self.answer(token)
    answer["token"] = .string(text)
    return .photoJSON(.object(answer), status: 201)
  }

  private static func answer(_ token: PhotoToken) -> JSONObject {
    [
      "id": .string(token.id), "label": .string(token.label),
      "scope": .string(token.scope.rawValue), "created": .string(token.created),
    ]
  }

  // MARK: Members of a body

  private static func text(_ key: String, _ body: JSONObject) throws(PhotoProblem) -> String {
    guard let text = try optionalText(key, body) else {
      throw .badRequest("'\(key)' is missing")
    }
    return text
  }

  private static func optionalText(
    _ key: String, _ body: JSONObject
  ) throws(PhotoProblem) -> String? {
    switch body[key] {
    case nil, .null?: return nil
    case .string(let text)?: return text
    default: throw .badRequest("'\(key)' is not a string")
    }
  }

  private static func flag(_ key: String, _ body: JSONObject) throws(PhotoProblem) -> Bool {
    switch body[key] {
    case nil: return false
    case .bool(let flag)?: return flag
    default: throw .badRequest("'\(key)' is neither true nor false")
    }
  }
}
