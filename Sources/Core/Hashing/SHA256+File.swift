import Glibc

extension SHA256 {
  /// Why a file could not be read.
  package struct ReadFailure: Error {
    /// The `errno`.
    package let code: Int32
  }

  /// The digest of all bytes of an open file, which is read from its start; its position stays.
  ///
  /// - Parameter descriptor: the file.
  /// - Returns: 32 bytes.
  /// - Throws: `ReadFailure`.
  package static func digest(ofFile descriptor: Int32) throws(ReadFailure) -> [UInt8] {
    var hasher = SHA256()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var offset = 0
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw ReadFailure(code: errno) }
      guard count > 0 else { return hasher.finish() }
      hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += count
    }
  }
}
