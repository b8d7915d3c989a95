import Glibc

/// Keeps a descriptor from the children started later.
func closeOnExec(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

/// A file that appears whole or not at all.
///
/// The bytes go to a temporary name beside the real target (a symbolic link is followed, not
/// replaced), which is synced and renamed when complete; mode and owner of a replaced file are kept.
/// A FIFO or device is written straight.
final class OutputFile {
  private let descriptor: Int32
  private let target: String
  private let temporary: String?
  private let cleanup: Int?
  private var buffer: [UInt8] = []
  private var isOpen = true

  /// Opens a target.
  ///
  /// - Parameters:
  ///   - path: the path as typed.
  ///   - mode: permissions of a new file, before the umask.
  ///   - replaces: whether an existing regular file may be replaced.
  /// - Throws: `CommandError` when it exists or cannot be created.
  init(path: String, mode: mode_t = 0o666, replaces: Bool = true) throws(CommandError) {
    var status = stat()
    let exists = stat(path, &status) == 0
    let isRegular = status.st_mode & S_IFMT == S_IFREG
    if exists, status.st_mode & S_IFMT == S_IFDIR {
      throw CommandError(.cannotCreate, "cannot_create", "'\(path)' is a folder")
    }
    if exists, !isRegular {
      (target, temporary, cleanup) = (path, nil, nil)
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
    } else {
      if exists, !replaces {
        throw CommandError(
          .cannotCreate, "exists", "'\(path)' already exists",
          hint: "choose another name, or remove it")
      }
      let resolved = exists ? OutputFile.resolve(path) : path
      var template = Array((resolved + ".XXXXXX.tmp").utf8CString)
      descriptor = mkstemps(&template, 4)
      if descriptor >= 0 { closeOnExec(descriptor) }
      let name = template.withUnsafeBufferPointer {
        String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      }
      (target, temporary) = (resolved, name)
      cleanup = descriptor >= 0 ? Cleanup.add { unlink(name) } : nil
    }
    guard descriptor >= 0 else {
      throw CommandError(
        .cannotCreate, "cannot_create", "cannot create '\(path)': \(systemMessage(errno))")
    }
    guard temporary != nil else { return }
    if exists {
      // Only root may give a file away; the mode is what matters.
      _ = fchown(descriptor, status.st_uid, status.st_gid)
      _ = fchmod(descriptor, status.st_mode & 0o7777)
    } else {
      let mask = umask(0)
      umask(mask)
      _ = fchmod(descriptor, mode & ~mask)
    }
  }

  deinit { discard() }

  /// The open descriptor, for code that writes in large pieces itself; call `flush()` first.
  var fileDescriptor: Int32 { descriptor }

  /// Writes bytes.
  func write(_ bytes: some Sequence<UInt8>) throws(OutputError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= 262_144 { try flush() }
  }

  /// Passes on what is buffered.
  func flush() throws(OutputError) {
    guard !buffer.isEmpty else { return }
    let failure = buffer.withUnsafeBytes { writeAll($0, to: descriptor) }
    buffer.removeAll(keepingCapacity: true)
    if let failure { throw failure }
  }

  /// Makes the file appear under its name, complete and on disk.
  func commit() throws {
    try flush()
    guard let temporary else {
      isOpen = false
      close(descriptor)
      return
    }
    guard fsync(descriptor) == 0 || errno == EINVAL, rename(temporary, target) == 0 else {
      throw OutputError.failed(errno: errno)
    }
    isOpen = false
    close(descriptor)
    if let cleanup { Cleanup.remove(cleanup) }
    OutputFile.syncFolder(of: target)
  }

  /// Gives up: the temporary file goes, the target stays as it was.
  func discard() {
    guard isOpen else { return }
    isOpen = false
    close(descriptor)
    if let temporary { unlink(temporary) }
    if let cleanup { Cleanup.remove(cleanup) }
  }

  private static func resolve(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func syncFolder(of path: String) {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
    let descriptor = open(folder ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
