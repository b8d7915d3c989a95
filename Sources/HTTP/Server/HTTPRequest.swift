/// A request as a handler of `HTTPServer` gets it, checked and with its path taken apart.
public struct HTTPRequest: Sendable {
  /// The method.
  public let method: HTTPMethod
  /// The target as it was sent, `/db/a%2Fb?x=1`; for access logs.
  public let target: String
  /// The path as it was sent, without the query: `/db/a%2Fb`.
  public let path: String
  /// The path's segments, decoded once; `/db/a%2Fb/` gives `db`, `a/b` and an empty one.
  ///
  /// A `/` inside a segment came as `%2F`. `..` is a segment like any other: never make a file
  /// path of segments. A plus stays a plus.
  public let segments: [String]
  /// The path's segments as they were sent.
  public let rawSegments: [String]
  /// The query as it was sent, without `?`.
  public let queryText: String?
  /// The query's parameters, decoded, in order.
  public let query: HTTPQuery
  /// The header fields, in order.
  public let headers: HTTPHeaders
  /// The body as it was sent (see `decodedBody(limit:)`); to be read once, before the handler
  /// returns: what is left then is dropped, since libmicrohttpd answers after the body only.
  ///
  /// Reading throws `HTTPError.connectionClosed` when the client goes away in the middle
  /// (or `CancellationError`, since the handler's task is cancelled then),
  /// `.bodyTooLarge` past the server's limit (413 is answered by the server itself).
  public internal(set) var body: HTTPBody
  /// The client's address, `127.0.0.1` or `fe80::1`.
  public let peer: String
  /// Whether it came over TLS.
  public let isSecure: Bool

  /// Takes a target apart, as the server does; also for tests of handlers without a server.
  ///
  /// - Throws: `HTTPError.protocolViolation` for a target that is not a path: broken escapes, NULs,
  ///   control characters or bytes that are not UTF-8.
  public init(
    method: HTTPMethod, target: String, headers: HTTPHeaders = HTTPHeaders(),
    body: HTTPBody = .empty, peer: String = "127.0.0.1", isSecure: Bool = false
  ) throws(HTTPError) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    self.peer = peer
    self.isSecure = isSecure
    let parts = try Self.parts(of: target)
    path = parts.path
    queryText = parts.query
    var decoded: [String] = []
    var raw: [String] = []
    for segment in path.utf8.dropFirst().split(separator: 0x2f, omittingEmptySubsequences: false) {
      raw.append(String(Substring(segment)))
      guard let text = PercentEncoding.decodeText(segment) else {
        throw .protocolViolation(text: "the path has a broken escape")
      }
      decoded.append(text)
    }
    segments = decoded
    rawSegments = raw
    guard let query = HTTPQuery(parsing: parts.query ?? "") else {
      throw .protocolViolation(text: "the query has a broken escape")
    }
    self.query = query
  }

  /// The body expanded if it came compressed.
  ///
  /// - Throws: `HTTPError.protocolViolation` for an unknown encoding: answer 415. Reading throws
  ///   `.bodyTooLarge` past the limit.
  public func decodedBody(limit: Int64) throws(HTTPError) -> HTTPBody {
    try body.decoded(headers["Content-Encoding"], limit: limit)
  }

  /// The `Content-Type`, taken apart; nil when there is none.
  public var contentType: MediaType? { headers["Content-Type"].map { MediaType($0) } }

  /// The credentials of Basic authentication, if the request has any.
  public var basicCredentials: BasicCredentials? {
    headers["Authorization"].flatMap { BasicCredentials(authorization: $0) }
  }

  /// Splits a target into path and query; an absolute URL (RFC 9112 §3.2.2) loses its authority.
  private static func parts(
    of target: String
  ) throws(HTTPError) -> (path: String, query: String?) {
    var bytes = target.utf8[...]
    guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else {
      throw .protocolViolation(text: "the target has a control character")
    }
    guard !bytes.contains(UInt8(ascii: "#")) else {
      throw .protocolViolation(text: "the target has a fragment")
    }
    if bytes.first != 0x2f {
      if bytes.elementsEqual("*".utf8) { return ("*", nil) }
      guard bytes.starts(with: "http://".utf8) || bytes.starts(with: "https://".utf8) else {
        throw .protocolViolation(text: "the target is not a path")
      }
      let afterScheme = bytes.firstIndex(of: UInt8(ascii: ":")).map { bytes[$0...].dropFirst(3) }
      let slash = afterScheme?.firstIndex { $0 == 0x2f || $0 == 0x3f }
      bytes = slash.map { bytes[$0...] } ?? bytes[bytes.endIndex...]
    }
    guard let mark = bytes.firstIndex(of: 0x3f) else {
      return (bytes.isEmpty ? "/" : String(Substring(bytes)), nil)
    }
    let path = String(Substring(bytes[..<mark]))
    return (path.isEmpty ? "/" : path, String(Substring(bytes[bytes.index(after: mark)...])))
  }
}
