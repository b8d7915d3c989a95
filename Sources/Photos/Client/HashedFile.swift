import Core
import Glibc
import HTTP

/// A file that is about to be sent, and its hash.
enum HashedFile {
  private static let pieceLength = 1 << 20

  /// Opens a regular file and reads it once.
  ///
  /// - Throws: ``PhotoServerError/unreadable(path:code:)``.
  static func read(_ path: String) throws -> (file: HTTPFile, digest: [UInt8]) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw PhotoServerError.unreadable(path: path, code: errno) }
    let file: HTTPFile
    do {
      file = try HTTPFile(descriptor: descriptor, path: path)
    } catch HTTPError.file(_, let code, _) {
      throw PhotoServerError.unreadable(path: path, code: Int32(code))
    }
    return (file, try digest(of: descriptor, path))
  }

  private static func digest(of descriptor: Int32, _ path: String) throws -> [UInt8] {
    var hasher = SHA256()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceLength, alignment: 16)
    defer { buffer.deallocate() }
    var offset = 0
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw PhotoServerError.unreadable(path: path, code: errno) }
      guard count > 0 else { return hasher.finish() }
      hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += count
    }
  }
}
