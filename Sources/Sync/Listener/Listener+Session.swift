import Core
import HTTP

/// `_session`: logging in, asking who one is, logging out.
extension Listener {
  func session(_ request: ListenerRequest) async throws -> HTTPResponse {
    switch request.method {
    case .get, .head: return try whoAmI(request)
    case .post: return try await logIn(request)
    case .delete: return logOut(request)
    default: throw Refusal.method(allowed: "GET,HEAD,POST,DELETE")
    }
  }

  private func whoAmI(_ request: ListenerRequest) throws -> HTTPResponse {
    if try request.parameters.flag("basic"), request.user == .anonymous {
      var refusal = Refusal(401, "unauthorized", "Please login.")
      refusal.headers["WWW-Authenticate"] = "Basic realm=\"tote\""
      throw refusal
    }
    var info: JSONObject = ["authentication_handlers": ["cookie", "default"]]
    if let name = configuration["chttpd_auth", "authentication_db"] {
      info["authentication_db"] = .string(name)
    }
    if let handler = request.identity.handler { info["authenticated"] = .string(handler) }
    return .json(200, ["ok": true, "userCtx": request.user.json, "info": .object(info)])
  }

  private func logIn(_ request: ListenerRequest) async throws -> HTTPResponse {
    let (name, password) = try await credentials(request)
    guard let authenticator, request.user != .party else {
      // Without users there is nobody to be; clients that insist get what they may do anyway.
      return .json(200, ["ok": true, "name": .string(name), "roles": ["_admin"]])
    }
    let holder: SessionTable.Holder
    do {
      holder = try await authenticator.verify(name, password, from: request.http.peer)
    } catch var refusal as Refusal where refusal.status == 401 {
      refusal.headers["Set-Cookie"] = Self.clearedCookie
      guard let fail = request.parameters["fail"], let place = Self.localPath(fail) else {
        throw refusal
      }
      // A page that asks for the password sends its visitor somewhere, whatever comes of it.
      refusal.status = 302
      refusal.headers["Location"] = place
      throw refusal
    }
    let roles = holder.account.context.roles
    var response = HTTPResponse.json(
      200,
      [
        "ok": true, "name": .string(holder.account.name),
        "roles": .array(roles.map { .string($0) }),
      ])
    let token = authenticator.startSession(holder)
    response.headers.add("Set-Cookie", Self.cookie(token, for: request.http))
    if let next = request.parameters["next"], let place = Self.localPath(next) {
      response.status = 302
      response.headers["Location"] = place
    }
    return response
  }

  /// A path of this server; nil for what a browser would take for another one.
  private static func localPath(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    guard bytes.first == UInt8(ascii: "/"), bytes.count < 2_000,
      bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") })
    else { return nil }
    return bytes.count > 1 && bytes[1] == UInt8(ascii: "/") ? nil : text
  }

  /// The cookie of a session, for as long as it lasts without a request.
  static func cookie(_ token: String, for request: HTTPRequest) -> String {
    var cookie = SetCookie(name: "AuthSession", value: token)
    cookie.isSecure = request.isSecure
    cookie.maximumAge = Int(SessionTable.lifetime.components.seconds)
    return cookie.headerValue
  }

  private static var clearedCookie: String {
    var cookie = SetCookie(name: "AuthSession", value: "")
    cookie.maximumAge = 0
    return cookie.headerValue
  }

  private func credentials(
    _ request: ListenerRequest
  ) async throws -> (name: String, password: String) {
    let body = try await request.body(upTo: 64 << 10)
    let name: String?
    let password: String?
    switch request.http.contentType?.value {
    case "application/json":
      guard let json = try? JSON(parsing: body) else { throw Refusal.invalidJSON }
      name = (json["name"] ?? json["username"])?.stringValue
      password = json["password"]?.stringValue
    case "application/x-www-form-urlencoded", nil:
      let form = HTTPQuery(parsing: String(decoding: body, as: UTF8.self)) ?? HTTPQuery()
      name = form["name"] ?? form["username"]
      password = form["password"]
    default:
      throw Refusal(
        415, "bad_content_type",
        "Content-Type must be 'application/x-www-form-urlencoded' or 'application/json'")
    }
    guard let name else {
      throw Refusal.badRequest("request body must contain a username")
    }
    return (name, password ?? "")
  }

  private func logOut(_ request: ListenerRequest) -> HTTPResponse {
    if let token = Cookies.value(of: "AuthSession", in: request.http.headers) {
      authenticator?.endSession(token)
    }
    var response = HTTPResponse.json(200, ["ok": true])
    response.headers.add("Set-Cookie", Self.clearedCookie)
    return response
  }
}
