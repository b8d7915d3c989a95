import Core
import HTTP

/// A request on its way through the server: where it goes, and who makes it.
struct PhotoCall: Sendable {
  let http: HTTPRequest
  let route: PhotoRoute
  let origin: ProxyRules.Origin
  /// Who is logged in; nil for nobody.
  var login: PhotoLogin?
  /// The session's cookie that says so, or said so once.
  var cookie: String?

  static let cookieName = "tote_session"

  init(http: HTTPRequest, route: PhotoRoute, origin: ProxyRules.Origin) {
    self.http = http
    self.route = route
    self.origin = origin
  }

  /// Whether the request may change something.
  var changes: Bool { http.method == .post || http.method == .delete }

  /// The user, who must be logged in.
  ///
  /// - Throws: 401.
  func user() throws(PhotoProblem) -> String {
    guard let login else { throw .unauthorized }
    return login.user
  }

  /// Refuses what another site's page makes a browser send.
  ///
  /// Browsers say where a request comes from; programs that are no browsers say nothing.
  ///
  /// - Throws: 403.
  func checkOrigin() throws(PhotoProblem) {
    let foreign = PhotoProblem(403, "foreign_origin", "another site's page may not do that")
    if let site = http.headers["Sec-Fetch-Site"] {
      guard ["same-origin", "none"].contains(site) else { throw foreign }
    }
    for name in ["Origin", "Referer"] {
      guard let text = http.headers[name] else { continue }
      guard let authority = Self.authority(of: text), let host = origin.host,
        utf8Equal(authority.lowercased(), host.lowercased())
      else { throw foreign }
    }
  }

  /// Refuses a cookie's login without the header that no form can send.
  ///
  /// - Throws: 403.
  func checkHeader() throws(PhotoProblem) {
    guard http.headers["X-Tote"] == "1" else {
      throw PhotoProblem(
        403, "header_missing", "with a cookie's login, changes need the header 'X-Tote: 1'")
    }
  }

  /// A parameter of the address; nil when it is not there.
  ///
  /// - Throws: 400 when it is there more than once.
  func parameter(_ name: String) throws(PhotoProblem) -> String? {
    let values = http.query.values(of: name)
    guard values.count < 2 else { throw .badRequest("'\(name)' is there more than once") }
    return values.first
  }

  /// The JSON object that was sent.
  ///
  /// - Throws: 400, 413 or 415.
  func object() async throws -> JSONObject {
    // A form of another site cannot send this type without asking first.
    guard http.contentType?.value == "application/json" else {
      throw PhotoProblem(415, "unsupported_media_type", "send JSON: application/json")
    }
    let bytes = try await http.body.collect(upTo: 16 << 10)
    guard case .object(let object) = try JSON(parsing: bytes) else {
      throw PhotoProblem.badRequest("the body is not a JSON object")
    }
    return object
  }

  /// The root of the server as the client knows it: `https://photos.example`.
  var root: String { "\(origin.isSecure ? "https" : "http")://\(origin.host ?? "localhost")" }

  /// `host:port` of an origin or URL; nil for `null` and what is neither.
  private static func authority(of text: String) -> String? {
    let bytes = text.utf8
    guard bytes.starts(with: "http://".utf8) || bytes.starts(with: "https://".utf8) else {
      return nil
    }
    let rest = text.drop { $0 != "/" }.dropFirst(2)
    return String(rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
  }
}
