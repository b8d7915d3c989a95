import CZlib

/// Compresses chunk by chunk in the gzip format (RFC 1952).
public final class GzipEncoder {
  private var stream = z_stream()

  /// - Parameter level: 1 (fast) to 9 (small).
  /// - Throws: `HTTPError.libraryMissing`.
  public init(level: Int = 6) throws(HTTPError) {
    try loadZlib()
    let code = tote_zlib_deflate_init(&stream, Int32(level), 31)
    precondition(code == Z_OK, "deflateInit refuses level \(level)")
  }

  deinit { tote_zlib_deflate_end(&stream) }

  /// Takes bytes and gives what is compressed by now, which may be nothing.
  public func encode(_ bytes: [UInt8]) -> [UInt8] { run(bytes, flush: Z_NO_FLUSH) }

  /// Takes bytes and gives all there is, so that the reader can see them now.
  public func encodeAndFlush(_ bytes: [UInt8]) -> [UInt8] { run(bytes, flush: Z_SYNC_FLUSH) }

  /// The rest and the trailer.
  ///
  /// Nothing may be encoded afterwards.
  public func finish() -> [UInt8] { run([], flush: Z_FINISH) }

  private func run(_ bytes: [UInt8], flush: Int32) -> [UInt8] {
    var result: [UInt8] = []
    var input = bytes
    input.withUnsafeMutableBufferPointer { source in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(source.count)
      repeat {
        let block = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
          stream.next_out = buffer.baseAddress
          stream.avail_out = UInt32(buffer.count)
          _ = tote_zlib_deflate(&stream, flush)
          count = buffer.count - Int(stream.avail_out)
        }
        result += block
      } while stream.avail_out == 0
      stream.next_in = nil
    }
    return result
  }

  /// Compresses bytes that are all there.
  ///
  /// - Throws: `HTTPError.libraryMissing`.
  public static func encode(_ bytes: [UInt8], level: Int = 6) throws(HTTPError) -> [UInt8] {
    let encoder = try GzipEncoder(level: level)
    return encoder.encode(bytes) + encoder.finish()
  }
}

/// Expands gzip or zlib data chunk by chunk, up to a limit.
public final class GzipDecoder {
  private var stream = z_stream()
  private var total: Int64 = 0
  private let limit: Int64
  private var isAtEnd = false

  /// - Parameter limit: bytes that may come out; a small bomb expands a thousandfold.
  /// - Throws: `HTTPError.libraryMissing`.
  public init(limit: Int64 = .max) throws(HTTPError) {
    try loadZlib()
    self.limit = limit
    let code = tote_zlib_inflate_init(&stream, 47)
    precondition(code == Z_OK, "inflateInit failed")
  }

  deinit { tote_zlib_inflate_end(&stream) }

  /// Expands a chunk, giving the result in blocks of at most 64 KiB.
  ///
  /// - Throws: `HTTPError.bodyTooLarge` past the limit, `.protocolViolation` for damaged data.
  public func decode(
    _ bytes: [UInt8], into output: (_ block: [UInt8]) throws -> Void
  ) throws {
    var input = bytes
    try input.withUnsafeMutableBufferPointer { source in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(source.count)
      defer { stream.next_in = nil }
      repeat {
        // A gzip file may have several members (RFC 1952 §2.2).
        if isAtEnd {
          guard stream.avail_in > 0 else { break }
          _ = tote_zlib_inflate_reset(&stream)
          isAtEnd = false
        }
        var code: Int32 = Z_OK
        let block = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
          stream.next_out = buffer.baseAddress
          stream.avail_out = UInt32(buffer.count)
          code = tote_zlib_inflate(&stream, Z_NO_FLUSH)
          count = buffer.count - Int(stream.avail_out)
        }
        guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
          throw HTTPError.protocolViolation(text: "damaged gzip data (zlib \(code))")
        }
        isAtEnd = code == Z_STREAM_END
        total += Int64(block.count)
        guard total <= limit else { throw HTTPError.bodyTooLarge(limit: limit) }
        if !block.isEmpty { try output(block) }
      } while stream.avail_in > 0 || stream.avail_out == 0
    }
  }

  /// Checks that the data ended where its format says.
  ///
  /// - Throws: `HTTPError.protocolViolation` for truncated data.
  public func finish() throws(HTTPError) {
    guard isAtEnd else { throw .protocolViolation(text: "truncated gzip data") }
  }

  /// Expands bytes that are all there.
  public static func decode(_ bytes: [UInt8], limit: Int = .max) throws -> [UInt8] {
    let decoder = try GzipDecoder(limit: Int64(limit))
    var result: [UInt8] = []
    try decoder.decode(bytes) { result += $0 }
    try decoder.finish()
    return result
  }
}

/// - Throws: `HTTPError.libraryMissing`.
private func loadZlib() throws(HTTPError) {
  guard tote_zlib_load() == 0 else {
    throw .libraryMissing(name: "zlib", package: "zlib1g")
  }
}

extension HTTPBody {
  /// The body expanded as its `Content-Encoding` says, up to a limit of bytes.
  ///
  /// `gzip`, `x-gzip`, `deflate` and `identity` are known.
  ///
  /// - Throws: `HTTPError.protocolViolation` for another encoding (answer 415). Reading throws
  ///   `.bodyTooLarge` past the limit.
  public func decoded(_ contentEncoding: String?, limit: Int64 = .max) throws(HTTPError) -> HTTPBody
  {
    switch contentEncoding.map(asciiLowercased) ?? "identity" {
    case "identity", "": return self
    case "gzip", "x-gzip", "deflate":
      return HTTPBody(DecodedChunks(base: self, limit: limit))
    case let other: throw .protocolViolation(text: "unknown content encoding '\(other)'")
    }
  }

  /// The body compressed with gzip, each chunk flushed so that a reader sees it at once.
  public func gzipped(level: Int = 6) -> HTTPBody {
    HTTPBody(EncodedChunks(base: self, level: level))
  }
}

private struct DecodedChunks: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  let base: HTTPBody
  let limit: Int64

  func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), limit: limit) }

  struct Iterator: AsyncIteratorProtocol {
    var base: HTTPBody.Iterator
    let limit: Int64
    var decoder: GzipDecoder?
    var ready: [[UInt8]] = []
    var pending: ArraySlice<UInt8> = []
    var isAtEnd = false

    mutating func next() async throws -> [UInt8]? {
      while ready.isEmpty {
        guard !isAtEnd else { return nil }
        if !pending.isEmpty {
          // Small pieces: each may expand a thousandfold before the next one is looked at.
          let piece = Array(pending.prefix(4 << 10))
          pending = pending.dropFirst(piece.count)
          let decoder = try self.decoder ?? GzipDecoder(limit: limit)
          self.decoder = decoder
          try decoder.decode(piece) { ready.append($0) }
          continue
        }
        guard let chunk = try await base.next() else {
          isAtEnd = true
          // An empty body is no gzip file, but every peer means nothing by it.
          try decoder?.finish()
          return nil
        }
        pending = chunk[...]
      }
      return ready.removeFirst()
    }
  }
}

private struct EncodedChunks: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  let base: HTTPBody
  let level: Int

  func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), level: level) }

  struct Iterator: AsyncIteratorProtocol {
    var base: HTTPBody.Iterator
    let level: Int
    var encoder: GzipEncoder?
    var isAtEnd = false

    mutating func next() async throws -> [UInt8]? {
      guard !isAtEnd else { return nil }
      let encoder = try self.encoder ?? GzipEncoder(level: level)
      self.encoder = encoder
      while let chunk = try await base.next() {
        let block = encoder.encodeAndFlush(chunk)
        if !block.isEmpty { return block }
      }
      isAtEnd = true
      return encoder.finish()
    }
  }
}
