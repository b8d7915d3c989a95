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
    if try request.parameters.flag("basic"), request.user.name == nil, authenticator != nil {
      var refusal = Refusal(401, "unauthorized", "Please login.")
      refusal.headers["WWW-Authenticate"] = "Basic realm=\"tote\""
      throw refusal
    }
    var info: JSONObject = ["authentication_handlers": ["cookie", "default"]]
    if request.user.name != nil {
      let isCookie = !request.http.headers.contains("Authorization")
      info["authenticated"] = isCookie ? "cookie" : "default"
    }
    return .json(200, ["ok": true, "userCtx": request.user.json, "info": .object(info)])
  }

  private func logIn(_ request: ListenerRequest) async throws -> HTTPResponse {
    let (name, password) = try await credentials(request)
    guard let authenticator else {
      // Without users there is nobody to be; clients that insist get what they may do anyway.
      return .json(200, ["ok": true, "name": .string(name), "roles": ["_admin"]])
    }
    let user = try authenticator.verify(name, password, from: request.http.peer)
    var response = HTTPResponse.json(
      200,
      ["ok": true, "name": .string(name), "roles": .array(user.roles.map { .string($0) })])
    var cookie = SetCookie(name: "AuthSession", value: authenticator.startSession(user))
    cookie.isSecure = request.http.isSecure
    response.headers.add("Set-Cookie", cookie.headerValue)
    return response
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
    var cookie = SetCookie(name: "AuthSession", value: "")
    cookie.maximumAge = 0
    response.headers.add("Set-Cookie", cookie.headerValue)
    return response
  }
}
