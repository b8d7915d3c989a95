import CZlib
import Glibc

/// Where an import's bytes come from, in order.
package protocol ByteSource: AnyObject {
  /// Reads up to the buffer's size; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransferError) -> Int
  /// Bytes taken from the file so far, before decompression.
  var bytesRead: Int { get }
}

/// An open file, pipe or terminal; not closed here.
package final class DescriptorSource: ByteSource {
  private let descriptor: Int32
  private let name: String
  package private(set) var bytesRead = 0

  package init(_ descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransferError) -> Int {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 {
        bytesRead += count
        return count
      }
      guard errno == EINTR else { throw .io(path: name, operation: "read", code: errno) }
    }
  }
}

/// Bytes that were read to look at them, then the rest of the source.
final class ReplayedSource: ByteSource {
  private var head: ArraySlice<UInt8>
  private let rest: any ByteSource

  init(_ head: [UInt8], then rest: any ByteSource) {
    self.head = head[...]
    self.rest = rest
  }

  // The head may be decompressed bytes, more than were read for them.
  var bytesRead: Int { max(rest.bytesRead - head.count, 0) }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransferError) -> Int {
    guard !head.isEmpty else { return try rest.read(into: buffer) }
    let count = min(head.count, buffer.count)
    buffer.copyBytes(from: head.prefix(count))
    head = head.dropFirst(count)
    return count
  }
}

/// Decompresses a gzip stream (RFC 1952), also one of several members.
final class GzipSource: ByteSource {
  private let source: any ByteSource
  private let name: String
  private var stream = z_stream()
  private let input: UnsafeMutableRawBufferPointer
  private var isAtMemberEnd = false
  private var isOpen = false

  private static let inputSize = 64 << 10

  init(_ source: any ByteSource, name: String) throws(TransferError) {
    self.source = source
    self.name = name
    input = .allocate(byteCount: Self.inputSize, alignment: 1)
    // 15 bits of window, plus 16: a gzip header is expected.
    guard tote_zlib_load() == 0, tote_zlib_inflate_init(&stream, 15 + 16) == Z_OK else {
      throw .noCompression(path: name)
    }
    isOpen = true
  }

  deinit {
    if isOpen { tote_zlib_inflate_end(&stream) }
    input.deallocate()
  }

  var bytesRead: Int { source.bytesRead }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransferError) -> Int {
    stream.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.avail_out = UInt32(buffer.count)
    while stream.avail_out == UInt32(buffer.count) {
      if stream.avail_in == 0 {
        let count = try source.read(into: input)
        if count == 0 {
          guard isAtMemberEnd else {
            throw .damagedGzip(input: name, detail: "it ends too early")
          }
          return 0
        }
        stream.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.avail_in = UInt32(count)
      }
      if isAtMemberEnd {
        guard tote_zlib_inflate_reset(&stream) == Z_OK else { throw damaged() }
        isAtMemberEnd = false
      }
      switch tote_zlib_inflate(&stream, Z_NO_FLUSH) {
      case Z_OK, Z_BUF_ERROR: break
      case Z_STREAM_END: isAtMemberEnd = true
      default: throw damaged()
      }
    }
    return buffer.count - Int(stream.avail_out)
  }

  private func damaged() -> TransferError {
    let detail = stream.msg.map { String(cString: $0) } ?? "it cannot be decompressed"
    return .damagedGzip(input: name, detail: detail)
  }
}
