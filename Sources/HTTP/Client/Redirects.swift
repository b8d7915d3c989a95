/// The rules of following redirects; ours, since credentials depend on them.
enum Redirects {
  /// The request with the URL's user-info turned into a header, so that no URL carries secrets on.
  static func prepared(_ request: HTTPClientRequest) throws(HTTPError) -> HTTPClientRequest {
    var request = request
    guard isToken(request.method.rawValue) else {
      throw .invalidRequest("'\(request.method.rawValue)' is not a method")
    }
    for field in request.headers where !isToken(field.name) || !isFieldValue(field.value) {
      throw .invalidRequest("the header '\(cleanFieldValue(field.name))' cannot be sent")
    }
    if let user = request.url.user, request.headers["Authorization"] == nil {
      request.headers["Authorization"] =
        BasicCredentials(user: user, password: request.url.password ?? "").authorization
    }
    request.url = request.url.withoutUserInfo
    return request
  }

  /// The target of a response that is a redirect.
  static func location(of response: HTTPClientResponse) -> String? {
    guard [301, 302, 303, 307, 308].contains(response.status) else { return nil }
    return response.headers["Location"]
  }

  /// The request that a redirect asks for.
  ///
  /// - Throws: `HTTPError.redirectRefused`.
  static func next(
    after request: HTTPClientRequest, _ response: HTTPClientResponse, _ location: String
  ) throws(HTTPError) -> HTTPClientRequest {
    let target: WebURL
    do throws(HTTPError) {
      target = try request.url.resolving(location)
    } catch {
      throw .redirectRefused(
        to: "\(cleanFieldValue(location).utf8.prefix(200).text)", reason: "not an http or https URL"
      )
    }
    if request.url.scheme == .https, target.scheme == .http {
      throw .redirectRefused(to: target.description, reason: "it leads from https to http")
    }
    var next = request
    next.url = target.withoutUserInfo
    if next.url.fragment == nil { next.url.fragment = request.url.fragment }
    if !target.hasSameOrigin(as: request.url) {
      for name in ["Authorization", "Cookie", "Proxy-Authorization"] { next.headers.remove(name) }
    }
    next.headers.remove("Host")
    if becomesGet(request.method, response.status) {
      next.method = .get
      next.body = .none
      for name in ["Content-Type", "Content-Encoding", "Content-Length"] {
        next.headers.remove(name)
      }
    } else if case .stream = request.body {
      throw .redirectRefused(
        to: target.description, reason: "the streamed body cannot be sent again")
    }
    return next
  }

  /// RFC 9110 §15.4: 303 always, 301 and 302 for POST, as every client does.
  private static func becomesGet(_ method: HTTPMethod, _ status: Int) -> Bool {
    if status == 303 { return method != .head }
    return (status == 301 || status == 302) && method == .post
  }
}
