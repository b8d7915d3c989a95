import Core
import HTTP

/// The files of a body that carries several small ones: each is a line of JSON,
/// `{"id":ID,"sha256":DIGEST,"size":BYTES}`, and then its bytes.
///
/// A request for each of a thousand small files costs both sides more than the files do.
struct UploadParts {
  /// One file.
  struct Part {
    /// The file's document.
    var id: String
    /// The digest of its bytes in hexadecimal digits.
    var sha256: String
    var bytes: [UInt8]
  }

  /// Bytes of a file that may be sent so.
  static let sizeLimit = 256 << 10
  /// Files of one body.
  static let countLimit = 1_000
  /// Bytes of a line.
  private static let lineLimit = 512

  private var chunks: HTTPBody.Iterator
  private var chunk: [UInt8] = []
  private var position = 0

  /// The files of a body.
  init(_ body: HTTPBody) { chunks = body.makeAsyncIterator() }

  /// What stands before the bytes of a file.
  static func head(id: String, size: Int, sha256: String) -> [UInt8] {
    let head: JSON = ["id": .string(id), "sha256": .string(sha256), "size": .integer(Int64(size))]
    return head.serializedBytes() + [UInt8(ascii: "\n")]
  }

  /// The next file, once it is complete; nil at the end.
  ///
  /// - Throws: `Problem` when the body is not such, and what reading throws.
  mutating func next() async throws -> Part? {
    guard let line = try await line() else { return nil }
    guard let head = try? JSON(parsing: line), let id = head["id"]?.stringValue,
      let sha256 = head["sha256"]?.stringValue, let size = head["size"]?.integerValue, size >= 0
    else { throw Problem.malformed }
    guard size <= Self.sizeLimit else { throw Problem.tooLarge }
    return Part(id: id, sha256: sha256, bytes: try await bytes(Int(size)))
  }

  /// Why a body is not understood.
  enum Problem: Error {
    /// A line that is none, or a body that ends too soon.
    case malformed
    /// A file that is sent on its own.
    case tooLarge
  }

  private mutating func line() async throws -> [UInt8]? {
    var line: [UInt8] = []
    while try await fill() {
      let rest = chunk[position...]
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      line += rest[..<(end ?? rest.endIndex)]
      position = end.map { $0 + 1 } ?? rest.endIndex
      guard line.count <= Self.lineLimit else { throw Problem.malformed }
      if end != nil { return line }
    }
    guard line.isEmpty else { throw Problem.malformed }
    return nil
  }

  private mutating func bytes(_ count: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      guard try await fill() else { throw Problem.malformed }
      let piece = chunk[position...].prefix(count - bytes.count)
      bytes += piece
      position = piece.endIndex
    }
    return bytes
  }

  /// Makes sure that there are unread bytes; false at the end.
  private mutating func fill() async throws -> Bool {
    if position < chunk.count { return true }
    position = 0
    chunk = try await chunks.next() ?? []
    return !chunk.isEmpty
  }
}
