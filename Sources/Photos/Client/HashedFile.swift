import Core
import Glibc
import HTTP

/// A file that is about to be sent, and its hash.
enum HashedFile {
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
    do {
      return (file, try SHA256.digest(ofFile: descriptor))
    } catch {
      throw PhotoServerError.unreadable(path: path, code: error.code)
    }
  }
}
