package import Core
package import HTTP

/// The bytes of an open attachment as parts of HTTP bodies: by the kernel from a plain file, and
/// through the cipher from an encrypted one.
package final class AttachmentBytes: Sendable {
  private let reader: AttachmentReader

  private static let chunkSize = 128 << 10

  package init(_ reader: consuming AttachmentReader) { self.reader = reader }

  /// What the document says of the attachment.
  package var description: Attachment { reader.attachment }

  /// Bytes as stored.
  package var count: Int64 { Int64(reader.count) }

  /// The plain file that holds just these bytes; nil for a sealed one.
  package func file() throws -> HTTPFile? {
    guard let path = reader.plainPath else { return nil }
    return try HTTPFile(path: path)
  }

  /// A part of the bytes, read while it is sent.
  package func body(_ range: Range<Int64>) -> HTTPBody {
    let position = Position(range)
    return HTTPBody(length: Int64(range.count)) { [self] in
      let (offset, wanted) = position.take(upTo: Self.chunkSize)
      guard wanted > 0 else { return nil }
      var chunk = [UInt8](repeating: 0, count: wanted)
      var filled = 0
      while filled < wanted {
        let count = try chunk.withUnsafeMutableBytes {
          try reader.read(
            into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]), at: offset + filled)
        }
        guard count > 0 else {
          throw StoreError.damagedAttachment(name: description.name, detail: "it is cut short")
        }
        filled += count
      }
      return chunk
    }
  }
}
