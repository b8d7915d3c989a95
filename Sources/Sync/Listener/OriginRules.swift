import Core
import HTTP

/// Which web pages may call: cross-origin resource sharing as the Fetch standard has it and CouchDB
/// does it.
struct OriginRules: Sendable {
  private let allowed: [String]

  /// What pages may send and see beside the simple headers; CouchDB's lists.
  private static let methods = "GET, HEAD, POST, PUT, DELETE, COPY, OPTIONS"
  private static let requestHeaders =
    "accept, authorization, content-type, origin, referer, if-match, if-none-match, destination, "
    + "x-requested-with, x-http-method-override, x-couch-full-commit, range"
  private static let exposedHeaders =
    "cache-control, content-type, content-length, content-range, content-encoding, accept-ranges, "
    + "etag, location, server"
  private static let maximumAge = "600"

  /// - Parameter allowed: origins such as `http://localhost:8000`, or `*` for all.
  init(_ allowed: [String]) { self.allowed = allowed }

  /// The answer to a browser that asks before it sends a page's request; nil for other requests.
  func preflight(_ request: HTTPRequest) -> HTTPResponse? {
    guard request.method == .options, let origin = allowedOrigin(of: request),
      request.headers.contains("Access-Control-Request-Method")
    else { return nil }
    var response = HTTPResponse(status: 204)
    response.headers["Access-Control-Allow-Origin"] = origin
    response.headers["Access-Control-Allow-Credentials"] = "true"
    response.headers["Access-Control-Allow-Methods"] = Self.methods
    response.headers["Access-Control-Allow-Headers"] =
      request.headers["Access-Control-Request-Headers"] ?? Self.requestHeaders
    response.headers["Access-Control-Max-Age"] = Self.maximumAge
    response.headers["Vary"] = "Origin"
    return response
  }

  /// Lets an allowed page see the answer.
  func apply(to response: inout HTTPResponse, for request: HTTPRequest) {
    guard !allowed.isEmpty else { return }
    response.headers.add("Vary", "Origin")
    guard let origin = allowedOrigin(of: request) else { return }
    response.headers["Access-Control-Allow-Origin"] = origin
    response.headers["Access-Control-Allow-Credentials"] = "true"
    response.headers["Access-Control-Expose-Headers"] = Self.exposedHeaders
  }

  private func allowedOrigin(of request: HTTPRequest) -> String? {
    guard !allowed.isEmpty, let origin = request.headers["Origin"] else { return nil }
    return allowed.contains { $0 == "*" || utf8Equal($0, origin) } ? origin : nil
  }
}
