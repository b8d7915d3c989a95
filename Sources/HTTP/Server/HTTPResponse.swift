import Synchronization

/// What a handler answers.
///
/// `Content-Length` or chunks, `Date` and `Connection` are the server's affair: do not set them. A
/// `HEAD` is answered like a `GET`; the server sends the headers only and never runs a stream.
public struct HTTPResponse: Sendable {
  /// A status from 200 to 599.
  public var status: Int
  /// The header fields; line ends in values become blanks.
  public var headers: HTTPHeaders
  /// The body.
  public var body: Body

  /// The forms of a body.
  public enum Body: Sendable {
    /// These bytes.
    case bytes([UInt8])
    /// Part of a file, sent by the kernel without copying through the process (plain HTTP).
    case file(HTTPFile)
    /// What a closure writes: chunks, each sent whole and at once, or `length` bytes.
    ///
    /// The closure runs once, after the handler returned; it may run for hours. It is cancelled when
    /// the client goes away or the server stops. If it throws, or writes less than `length`, the
    /// connection is cut, so that the client can tell.
    case stream(length: Int64?, @Sendable (HTTPBodyWriter) async throws -> Void)
  }

  /// A response with these bytes.
  public init(status: Int = 200, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = .bytes(body)
  }

  /// A response of another form.
  public init(status: Int = 200, headers: HTTPHeaders = HTTPHeaders(), body: Body) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A response with a text, `text/plain` in UTF-8 unless another type is given.
  public init(status: Int = 200, text: String, contentType: String = "text/plain; charset=utf-8") {
    self.init(
      status: status, headers: ["Content-Type": contentType], body: Array(text.utf8))
  }

  /// A response that hands on a body chunk by chunk.
  public init(status: Int = 200, headers: HTTPHeaders = HTTPHeaders(), streaming body: HTTPBody) {
    self.init(
      status: status, headers: headers,
      body: .stream(length: body.length) { writer in
        for try await chunk in body { try await writer.write(chunk) }
      })
  }

  /// This response compressed, when the client takes gzip and it pays: bytes from 1 KiB, streams.
  ///
  /// Sets `Content-Encoding` and `Vary`. Responses that are encoded already, have no content or are
  /// files stay as they are; so give it text and JSON only.
  public func gzipped(for request: HTTPRequest) -> HTTPResponse {
    guard headers["Content-Encoding"] == nil, status >= 200, status != 204, status != 206,
      status != 304
    else { return self }
    let quality = HTTPAccept.quality(
      of: "gzip", in: request.headers, header: "Accept-Encoding")
    var response = self
    response.headers.add("Vary", "Accept-Encoding")
    guard quality ?? 0 > 0 else { return response }
    switch body {
    case .bytes(let bytes):
      guard bytes.count >= 1024, let small = try? GzipEncoder.encode(bytes) else {
        // Without zlib the response is as good, only larger.
        return response
      }
      response.body = .bytes(small)
    case .stream(_, let write):
      response.body = .stream(length: nil) { writer in
        let encoder = Mutex(try GzipEncoder())
        try await write(
          HTTPBodyWriter { chunk in
            try await writer.write(encoder.withLock { $0.encodeAndFlush(chunk) })
          })
        try await writer.write(encoder.withLock { $0.finish() })
      }
    case .file: return self
    }
    response.headers["Content-Encoding"] = "gzip"
    // A strong tag names exact bytes, and these are others now (RFC 9110 §8.8.3.3).
    if let tag = response.headers["ETag"], tag.utf8.first == 0x22 {
      response.headers["ETag"] = "W/\(tag)"
    }
    return response
  }
}

/// Takes the chunks of a streamed response.
public struct HTTPBodyWriter: Sendable {
  private let take: @Sendable ([UInt8]) async throws -> Void

  /// A writer over a closure; for tests and for wrapping another writer.
  public init(_ take: @escaping @Sendable ([UInt8]) async throws -> Void) { self.take = take }

  /// Sends a chunk, waiting while the client is slow.
  ///
  /// - Throws: `HTTPError.connectionClosed` when the client has gone, `CancellationError`.
  public func write(_ bytes: [UInt8]) async throws {
    guard !bytes.isEmpty else { return }
    try await take(bytes)
  }

  /// Sends the UTF-8 bytes of a text.
  public func write(_ text: String) async throws {
    try await write(Array(text.utf8))
  }
}
