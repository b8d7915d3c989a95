/// The bytes of a message as chunks, read once and in order.
///
/// A body that comes from the network holds its sender back while it is not read: memory stays
/// bounded whatever its length.
public struct HTTPBody: AsyncSequence, Sendable {
  /// A chunk, never empty, of any size.
  public typealias Element = [UInt8]

  /// The number of bytes when it is known beforehand.
  public let length: Int64?
  private let source: @Sendable () -> Iterator

  /// No bytes.
  public static let empty = HTTPBody([])

  /// Bytes that are there.
  public init(_ bytes: [UInt8]) {
    length = Int64(bytes.count)
    source = {
      var rest: [UInt8]? = bytes.isEmpty ? nil : bytes
      return Iterator {
        defer { rest = nil }
        return rest
      }
    }
  }

  /// The UTF-8 bytes of a text.
  public init(_ text: String) {
    self.init(Array(text.utf8))
  }

  /// The chunks of a sequence; `length` is what they add up to, when that is known.
  public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int64? = nil)
  where Chunks.Element == [UInt8] {
    self.length = length
    source = {
      var iterator = chunks.makeAsyncIterator()
      return Iterator { try await iterator.next() }
    }
  }

  /// The chunks that a closure gives, until it gives nil.
  public init(length: Int64? = nil, next: @escaping @Sendable () async throws -> [UInt8]?) {
    self.length = length
    source = { Iterator(next) }
  }

  /// The bytes of a file, read as they are asked for.
  ///
  /// Reading throws `HTTPError.file` when the file has become shorter.
  public init(_ file: HTTPFile) {
    length = file.length
    source = {
      var position: Int64 = 0
      return Iterator {
        guard position < file.length else { return nil }
        let chunk = [UInt8](
          unsafeUninitializedCapacity: Int(Swift.min(256 << 10, file.length - position))
        ) { buffer, count in
          count = Swift.max(0, file.read(at: position, into: UnsafeMutableRawBufferPointer(buffer)))
        }
        guard !chunk.isEmpty else {
          throw HTTPError.file(path: "", code: 0, text: "the file has become shorter")
        }
        position += Int64(chunk.count)
        return chunk
      }
    }
  }

  init(_ pipe: BytePipe, length: Int64?) {
    self.init(length: length) { try await pipe.next() }
  }

  /// Starts reading.
  public func makeAsyncIterator() -> Iterator { source() }

  /// Reads the chunks one after another.
  public struct Iterator: AsyncIteratorProtocol {
    private let read: () async throws -> [UInt8]?

    init(_ read: @escaping () async throws -> [UInt8]?) { self.read = read }

    /// The next chunk, nil at the end.
    public mutating func next() async throws -> [UInt8]? { try await read() }
  }

  /// All bytes.
  ///
  /// - Throws: `HTTPError.bodyTooLarge` as soon as there are more than `limit`, and what reading
  ///   throws.
  public func collect(upTo limit: Int) async throws -> [UInt8] {
    if let length, length > limit { throw HTTPError.bodyTooLarge(limit: Int64(limit)) }
    var result: [UInt8] = []
    for try await chunk in self {
      guard result.count + chunk.count <= limit else {
        throw HTTPError.bodyTooLarge(limit: Int64(limit))
      }
      // The usual body is one chunk: it is handed on as it is.
      if result.isEmpty { result = chunk } else { result += chunk }
    }
    return result
  }
}
