import Glibc

/// A file that is read from its start to its end.
final class InputFile {
  private let path: String
  private let descriptor: Int32

  /// Opens a file.
  ///
  /// - Throws: `InputError` when it cannot be opened, or is a folder.
  init(path: String) throws(InputError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw InputError(name: path, errno: errno) }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw InputError(name: path, errno: EISDIR)
    }
  }

  deinit { close(descriptor) }

  /// The open descriptor, for code that reads it itself.
  var fileDescriptor: Int32 { descriptor }

  /// Bytes in the file; nil when that is not known, as of a pipe.
  var size: Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Reads the next bytes; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno != EINTR { throw InputError(name: path, errno: errno) }
    }
  }
}
