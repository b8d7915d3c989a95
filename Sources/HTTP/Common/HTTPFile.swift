import Glibc

/// Part of an open file, as the body of a response or a request.
public struct HTTPFile: Sendable {
  /// Closes the descriptor with the last copy.
  final class Handle: Sendable {
    let descriptor: Int32
    init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }
  }

  let handle: Handle
  /// The first byte's position in the file.
  public let offset: Int64
  /// The number of bytes.
  public let length: Int64
  /// When the file was last changed, in seconds since 1970.
  public let modified: Int64
  /// The size of the whole file in bytes.
  public let fileSize: Int64

  /// Opens a regular file for reading; a symbolic link is followed.
  ///
  /// - Throws: `HTTPError.file` with `errno`.
  public init(path: String) throws(HTTPError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw .file(path: path, code: Int(errno), text: systemText(errno))
    }
    try self.init(descriptor: descriptor, path: path)
  }

  /// Takes over an open descriptor of a regular file, and closes it when no longer needed.
  ///
  /// `path` is for the text of errors.
  ///
  /// - Throws: `HTTPError.file` with `errno`.
  public init(descriptor: Int32, path: String = "") throws(HTTPError) {
    handle = Handle(descriptor)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .file(path: path, code: Int(errno), text: systemText(errno))
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .file(path: path, code: Int(EINVAL), text: "not a regular file")
    }
    offset = 0
    length = Int64(status.st_size)
    fileSize = length
    modified = Int64(status.st_mtim.tv_sec)
  }

  /// A part of the file's bytes; the range is clamped to the file.
  public func part(_ range: Range<Int64>) -> HTTPFile {
    HTTPFile(self, range.clamped(to: 0..<fileSize))
  }

  private init(_ file: HTTPFile, _ range: Range<Int64>) {
    handle = file.handle
    offset = range.lowerBound
    length = Int64(range.count)
    modified = file.modified
    fileSize = file.fileSize
  }

  /// Reads at a position of this part into a buffer; 0 at the end, negative on errors.
  func read(at position: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let size = min(buffer.count, Int(max(0, length - position)))
    guard size > 0 else { return 0 }
    return pread(handle.descriptor, buffer.baseAddress, size, off_t(offset + position))
  }
}

/// The system's text for an error number.
package func systemText(_ code: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 128)
  return buffer.withUnsafeMutableBufferPointer { buffer in
    guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
      return "error \(code)"
    }
    return String(cString: base)
  }
}
