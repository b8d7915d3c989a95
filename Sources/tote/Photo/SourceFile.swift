import Core
import Glibc
import Photos

/// A file that is open for reading; closed with the last reference.
final class SourceFile: Sendable {
  /// Where it can be opened again.
  let path: String
  private let descriptor: Int32
  private let isTemporary: Bool

  /// Opens a file, or writes bytes into one that is gone afterwards.
  ///
  /// - Parameters:
  ///   - input: the file or the bytes.
  ///   - temporaryFolder: where bytes are written; nil for `/tmp`.
  /// - Throws: `InputError`, or `CommandError` when bytes cannot be written.
  init(_ input: PhotoInput, temporaryFolder: String?) throws {
    switch input {
    case .unreadable(let error): throw error
    case .bytes(let bytes):
      var template = Array("\(temporaryFolder ?? "/tmp")/tote-photo.XXXXXX".utf8CString)
      descriptor = mkstemp(&template)
      closeOnExec(descriptor)
      path = template.withUnsafeBufferPointer {
        String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      }
      isTemporary = descriptor >= 0
      guard descriptor >= 0 else { throw InputError(name: path, errno: errno) }
      if let failure = bytes.withUnsafeBytes({ writeAll($0, to: descriptor) }) { throw failure }
    case .file(let path):
      self.path = path
      isTemporary = false
      // A pipe without a writer would wait for one.
      descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard descriptor >= 0 else { throw InputError(name: path, errno: errno) }
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw InputError(name: path, errno: errno) }
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw InputError(
          name: path, errno: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
      }
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if isTemporary { unlink(path) }
  }

  /// The file as the pipeline takes it; only while this object lives.
  var source: PhotoSource { .file(descriptor: descriptor) }

  /// The SHA-256 of all its bytes.
  func sha256() throws(PhotoRefusal) -> [UInt8] {
    do {
      return try SHA256.digest(ofFile: descriptor)
    } catch {
      throw .unreadable(error.code)
    }
  }
}
