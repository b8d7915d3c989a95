import CZlib
import Glibc

/// Where an export's bytes go: through a buffer and a digest, compressed on demand, into a file.
final class ExportSink {
  private let descriptor: Int32
  private let name: String
  private var digest = SHA256()
  private var stream: UnsafeMutablePointer<z_stream>?
  private let block: UnsafeMutableRawBufferPointer
  /// Bytes written to the file.
  private(set) var bytesWritten = 0

  static let blockSize = 256 << 10

  init(_ descriptor: Int32, name: String, gzip: Bool) throws(TransferError) {
    self.descriptor = descriptor
    self.name = name
    block = .allocate(byteCount: Self.blockSize, alignment: 16)
    guard gzip else { return }
    guard tote_zlib_load() == 0 else { throw .noCompression(path: name) }
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15 bits of window, plus 16: a gzip header and trailer are written.
    guard tote_zlib_deflate_init(stream, Z_DEFAULT_COMPRESSION, 15 + 16) == Z_OK else {
      stream.deallocate()
      throw .noCompression(path: name)
    }
    self.stream = stream
  }

  deinit {
    if let stream {
      tote_zlib_deflate_end(stream)
      stream.deallocate()
    }
    block.deallocate()
  }

  /// Writes the buffer's bytes and empties it.
  func drain(_ buffer: inout ByteBuffer) throws(TransferError) {
    try buffer.withUnsafeBytes { bytes throws(TransferError) in
      digest.update(bytes)
      try pass(bytes, Z_NO_FLUSH)
    }
    buffer.reset()
  }

  /// The SHA-256 of all bytes so far, before compression, in hexadecimal; asked for once.
  func finishDigest() -> String { hexadecimal(digest.finish()) }

  /// Writes what the compression still holds.
  func finish() throws(TransferError) {
    guard stream != nil else { return }
    try pass(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH)
  }

  private func pass(_ bytes: UnsafeRawBufferPointer, _ flush: Int32) throws(TransferError) {
    guard let stream else { return try write(bytes) }
    // zlib reads from this pointer only.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(bytes.count)
    repeat {
      stream.pointee.next_out = block.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(block.count)
      _ = tote_zlib_deflate(stream, flush)
      let count = block.count - Int(stream.pointee.avail_out)
      try write(UnsafeRawBufferPointer(rebasing: block[..<count]))
    } while stream.pointee.avail_out == 0
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(TransferError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(
        descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw .io(path: name, operation: "write", code: errno)
      }
      rest = rest.dropFirst(count)
      bytesWritten += count
    }
  }
}
