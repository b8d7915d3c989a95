/// A request method: a token that is compared with regard to case (RFC 9110 §9.1).
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The token as it is sent, `GET`.
  public let rawValue: String

  /// Wraps a token without checking it.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Wraps a literal.
  public init(stringLiteral value: String) { rawValue = value }

  /// `GET`.
  public static let get = HTTPMethod(rawValue: "GET")
  /// `HEAD`.
  public static let head = HTTPMethod(rawValue: "HEAD")
  /// `PUT`.
  public static let put = HTTPMethod(rawValue: "PUT")
  /// `POST`.
  public static let post = HTTPMethod(rawValue: "POST")
  /// `DELETE`.
  public static let delete = HTTPMethod(rawValue: "DELETE")
  /// `OPTIONS`.
  public static let options = HTTPMethod(rawValue: "OPTIONS")
  /// `PATCH`.
  public static let patch = HTTPMethod(rawValue: "PATCH")
  /// `COPY`, CouchDB's (and WebDAV's) copy of a document.
  public static let copy = HTTPMethod(rawValue: "COPY")

  /// Those above.
  public static let common: Set<HTTPMethod> = [
    .get, .head, .put, .post, .delete, .options, .patch, .copy,
  ]
}
