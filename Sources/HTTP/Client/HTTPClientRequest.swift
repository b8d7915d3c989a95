/// A request for `HTTPClient` to send.
public struct HTTPClientRequest: Sendable {
  /// The method.
  public var method: HTTPMethod
  /// Where to; its user and password become Basic authentication unless there is an
  /// `Authorization` header.
  public var url: WebURL
  /// The header fields.
  ///
  /// `Host`, `Content-Length`, `Accept-Encoding` and `User-Agent` are added
  /// where they are missing.
  public var headers: HTTPHeaders
  /// The body.
  public var body: Body
  /// Limits of time that differ from the client's.
  public var timeouts: HTTPClient.Timeouts?
  /// Whether a compressed response is asked for, and expanded; without it `Content-Encoding` is
  /// the reader's affair.
  public var decompresses = true
  /// Redirects that are followed, 0 to get them as responses.
  public var maximumRedirects = 10
  /// Whether to send `Expect: 100-continue` with the body and wait for up to a second, so that a
  /// refused body is not sent; by default with bodies past 1 MiB or of unknown length.
  public var expectsContinue: Bool?

  /// The forms of a body.
  public enum Body: Sendable {
    /// No body.
    case none
    /// These bytes.
    case bytes([UInt8])
    /// Part of a file.
    case file(HTTPFile)
    /// Chunks; sent with `Content-Length` when the length is known, else chunked. It can be sent
    /// only once: a redirect that needs it again fails.
    case stream(HTTPBody)
  }

  /// A request.
  public init(
    _ method: HTTPMethod = .get, _ url: WebURL, headers: HTTPHeaders = HTTPHeaders(),
    body: Body = .none
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}

/// A response: its head, and a body that arrives while it is read.
public struct HTTPClientResponse: Sendable {
  /// The status; 1xx are not shown.
  public let status: Int
  /// The header fields; after decompression `Content-Encoding` and `Content-Length` still tell of
  /// the encoded form.
  public let headers: HTTPHeaders
  /// The URL that answered, after redirects.
  public let url: WebURL
  /// `1.0`, `1.1` or `2`.
  public let version: String
  /// The body.
  ///
  /// Not reading it holds the sender back; letting go of it ends the transfer.
  ///
  /// Reading throws `HTTPError`, `.connectionClosed` when it is shorter than announced.
  public let body: HTTPBody

  /// All bytes of the body.
  ///
  /// - Throws: `HTTPError.bodyTooLarge` past the limit, and what reading throws.
  public func bytes(upTo limit: Int = 64 << 20) async throws -> [UInt8] {
    try await body.collect(upTo: limit)
  }

  /// Reads the rest of the body up to 64 KiB and drops it, so that the connection can be used again.
  public func discard() async {
    // Whether it works or not, the caller has no use for the body.
    _ = try? await body.collect(upTo: 64 << 10)
  }
}
