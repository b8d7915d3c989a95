import HTTP

/// The headers that every answer has, so that a browser does with it just what is meant.
struct HeaderPolicy {
  /// Everything else is no document.
  private static let nothing = "default-src 'none'; frame-ancestors 'none'"

  /// Whether reading needs a login.
  let isPrivate: Bool

  func apply(
    to response: inout HTTPResponse, _ route: PhotoRoute? = nil, for request: HTTPRequest? = nil
  ) {
    let isPage = response.headers["Content-Type"]?.hasPrefix("text/html") == true
    response.headers["Server"] = "tote"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["X-Frame-Options"] = "DENY"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Content-Security-Policy"] =
      isPage ? LibraryPage.contentSecurityPolicy : Self.nothing
    if isPage { response.headers["Cross-Origin-Opener-Policy"] = "same-origin" }
    if response.headers["Cache-Control"] == nil { response.headers["Cache-Control"] = "no-store" }
    let isRead = request.map { $0.method == .get || $0.method == .head } ?? false
    let isShared = !isPrivate && route?.isShared == true && isRead
    response.headers["Cross-Origin-Resource-Policy"] = isShared ? "cross-origin" : "same-origin"
    guard isShared, let request else { return }
    share(&response, request)
  }

  /// Lets any page read it, without credentials: the wildcard forbids those.
  private func share(_ response: inout HTTPResponse, _ request: HTTPRequest) {
    guard !request.headers.contains("Authorization") else { return }
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Access-Control-Expose-Headers"] =
      "Accept-Ranges, Content-Length, Content-Range, ETag"
  }

  /// The answer to OPTIONS: what can be done here, and what other sites' pages may.
  func options(_ route: PhotoRoute, for request: HTTPRequest) -> HTTPResponse {
    var response = HTTPResponse(status: 204)
    response.headers["Allow"] = route.methods.map(\.rawValue).joined(separator: ", ")
    if !isPrivate, route.isShared, request.headers.contains("Origin") {
      response.headers["Access-Control-Allow-Origin"] = "*"
      response.headers["Access-Control-Allow-Methods"] = "GET, HEAD"
      response.headers["Access-Control-Allow-Headers"] = "Range, If-None-Match, Last-Event-ID"
      response.headers["Access-Control-Max-Age"] = "86400"
    }
    return response
  }
}
