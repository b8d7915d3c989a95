import Glibc

/// Checks the end line of an export before anything of it is imported.
///
/// While an import streams, a wrong end line is found last, when earlier records of a store that is in
/// use are committed already. A file can be read twice, and hashing costs a twentieth of importing.
struct ExportProof {
  private let descriptor: Int32
  private let name: String
  private let size: Int

  /// Long enough for an end line with its line feed.
  private static let tailSize = 256

  /// A proof of a regular file that is read from its beginning; `nil` for anything else.
  init?(_ descriptor: Int32, name: String) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      lseek(descriptor, 0, SEEK_CUR) == 0
    else { return nil }
    self.descriptor = descriptor
    self.name = name
    size = Int(status.st_size)
  }

  /// Compares the end line, if there is one, with the bytes before it.
  ///
  /// - Throws: `TransferError.incomplete` when they do not fit.
  func check() throws(TransferError) {
    var tail = try bytes(at: max(size - Self.tailSize, 0), count: min(size, Self.tailSize))[...]
    if tail.last == UInt8(ascii: "\n") { tail.removeLast() }
    guard let start = tail.lastIndex(of: UInt8(ascii: "\n")),
      let line = tail[(start + 1)...].withUnsafeBytes({ EndLine($0) })
    else { return }
    let length = max(size - Self.tailSize, 0) + start + 1
    var digest = SHA256()
    var offset = 0
    while offset < length {
      let block = try bytes(at: offset, count: min(length - offset, 1 << 20))
      digest.update(block)
      offset += block.count
    }
    guard hexadecimal(digest.finish()) == line.digest else {
      throw .incomplete(
        input: name, detail: "its content is not what its end line was made for")
    }
  }

  private func bytes(at offset: Int, count: Int) throws(TransferError) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = pread(
          descriptor, buffer.baseAddress.map { $0 + filled }, count - filled,
          off_t(offset + filled))
        if got < 0 && errno == EINTR { continue }
        // A file that shrinks while it is read is caught by the import itself.
        guard got > 0 else {
          failure = got < 0 ? errno : EIO
          return
        }
        filled += got
      }
    }
    guard failure == 0 else { throw .io(path: name, operation: "read", code: failure) }
    return bytes
  }
}
