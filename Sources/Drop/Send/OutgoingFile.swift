public import Core
import Glibc
import HTTP

/// A file that is to be handed over, as it was when it was found.
public struct OutgoingFile: Sendable {
  /// What its person calls it: the path as it was given or found; broken UTF-8 is replaced.
  public let label: String
  /// The last part of its path.
  public let name: String
  /// Where it lies in the folder that was given, with that folder's name, as `holiday/beach/1.jpg`;
  /// nil for a file that was given by itself.
  public let path: String?
  /// Bytes.
  public let size: Int64
  /// When its content changed last.
  public let modified: Instant
  /// Permission bits.
  public let mode: UInt32
  /// Its media type, guessed.
  public let type: String
  /// What takes the place of some of its bytes when it is sent, by offset, without overlaps.
  public var replacements: [Replacement] = []

  /// The path's own bytes, which may be no UTF-8.
  let location: [UInt8]
  private let device: UInt64
  private let inode: UInt64

  /// Bytes that are sent in place of a file's own.
  public struct Replacement: Sendable, Hashable {
    /// Where the first one goes.
    public var offset: Int64
    /// The bytes.
    public var bytes: [UInt8]

    /// Bytes for a place.
    public init(offset: Int64, bytes: [UInt8]) {
      self.offset = offset
      self.bytes = bytes
    }
  }

  /// A file with what the system says of it.
  init(
    label: String, name: String, path: String?, location: [UInt8], type: String, status: stat
  ) {
    self.label = label
    self.name = name
    self.path = path
    self.location = location
    self.type = type
    size = Int64(status.st_size)
    modified = Self.modified(status)
    mode = status.st_mode & 0o777
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }

  private static func modified(_ status: stat) -> Instant {
    Instant(seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int(status.st_mtim.tv_nsec))
  }

  /// Names the file on this machine, whatever its path.
  var identity: String { "\(device):\(inode)" }

  /// Opens the file for reading; it must still be the one that was found.
  ///
  /// - Returns: a descriptor, which the caller closes.
  /// - Throws: `FileFailure`.
  public func open() throws(FileFailure) -> Int32 {
    let descriptor = openFile(location)
    guard descriptor >= 0 else { throw FileFailure(errno: errno) }
    do throws(FileFailure) {
      try check(descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Checks that an open file is still what was found, and has not changed since.
  func check(_ descriptor: Int32) throws(FileFailure) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileFailure(errno: errno) }
    guard UInt64(status.st_dev) == device, UInt64(status.st_ino) == inode else {
      throw FileFailure(.changed, "another file has taken its place")
    }
    guard status.st_nlink > 0 else {
      throw FileFailure(.notFound, "it was removed while it was sent")
    }
    guard Int64(status.st_size) == size, Self.modified(status) == modified else {
      throw FileFailure(.changed, "it changed while it was sent")
    }
  }
}

// MARK: Bytes

extension OutgoingFile {
  /// Reads bytes as they are sent, replacements included.
  ///
  /// - Parameters:
  ///   - descriptor: the open file.
  ///   - offset: where the first one is.
  ///   - count: how many.
  /// - Returns: all of them; a failure when the file has become shorter, or cannot be read.
  func read(_ descriptor: Int32, at offset: Int64, count: Int) -> Result<[UInt8], FileFailure> {
    var code: Int32 = 0
    var bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      while filled < count {
        let got = pread(
          descriptor, buffer.baseAddress?.advanced(by: filled), count - filled,
          off_t(offset) + off_t(filled))
        if got < 0, errno == EINTR { continue }
        if got < 0 { code = errno }
        guard got > 0 else { break }
        filled += got
      }
    }
    guard code == 0 else { return .failure(FileFailure(errno: code)) }
    guard bytes.count == count else {
      return .failure(FileFailure(.changed, "it became shorter while it was sent"))
    }
    replace(in: &bytes, at: offset)
    return .success(bytes)
  }

  /// Puts the replacements over what was read at an offset.
  private func replace(in bytes: inout [UInt8], at offset: Int64) {
    guard !replacements.isEmpty else { return }
    let end = offset + Int64(bytes.count)
    for replacement in replacements {
      let first = max(offset, replacement.offset)
      let last = min(end, replacement.offset + Int64(replacement.bytes.count))
      guard first < last else { continue }
      let source = Int(first - replacement.offset)..<Int(last - replacement.offset)
      bytes.replaceSubrange(
        Int(first - offset)..<Int(last - offset), with: replacement.bytes[source])
    }
  }
}

/// Opens a path of bytes for reading, without waiting for whoever writes a pipe.
func openFile(_ path: [UInt8]) -> Int32 {
  (path.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
    open($0.baseAddress.unsafelyUnwrapped, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  }
}

extension FileFailure {
  /// What a system call on a file said.
  init(errno code: Int32) {
    switch code {
    case ENOENT, ENOTDIR: self.init(.notFound, "there is no such file")
    case EACCES, EPERM: self.init(.forbidden, "it may not be read")
    default: self.init(.io, "it cannot be read: \(systemText(code))")
    }
  }
}
