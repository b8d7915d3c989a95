import Core
import Glibc

/// A folder held open: what is inside is reached beneath it by one name at a time, never by a joined
/// path, and links are not followed.
final class FolderHandle: Sendable {
  let descriptor: Int32
  /// For messages.
  let path: String

  /// Opens a folder that the person named; links on the way are theirs.
  init(_ path: String) throws(StoreError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw StoreError(errno: errno, operation: "open folder", path: path)
    }
    self.descriptor = descriptor
    self.path = path
  }

  private init(adopting descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  // MARK: Names inside

  /// Opens a folder inside; nil when the name is something else, a link too, or nothing.
  func folder(_ name: String) -> FolderHandle? {
    let inside = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    return inside >= 0 ? FolderHandle(adopting: inside, path: path + "/" + name) : nil
  }

  /// Makes a folder inside; false when something has the name already.
  func makeFolder(_ name: String, mode: mode_t) throws(StoreError) -> Bool {
    if mkdirat(descriptor, name, mode) == 0 { return true }
    guard errno == EEXIST else { throw failure("create folder", name) }
    return false
  }

  /// Makes a file inside that was not there, for its owner only.
  func makeFile(_ name: String) throws(StoreError) -> OpenFile {
    try openFile(name, O_RDWR | O_CREAT | O_EXCL)
  }

  /// Opens a file inside.
  func openFile(_ name: String, _ flags: Int32) throws(StoreError) -> OpenFile {
    // Non-blocking, so that a fifo of the name does not hold us up; for regular files it is nothing.
    let inside = openat(descriptor, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard inside >= 0 else { throw failure("open", name) }
    return OpenFile(adopting: inside, path: path + "/" + name)
  }

  /// What stands under a name, links not followed; nil when there is nothing.
  func status(of name: String) -> stat? {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// The names inside, without `.` and `..`, sorted by their bytes.
  func names() throws(StoreError) -> [String] {
    // A copy of its own: reading moves the position, and closing the stream closes the descriptor.
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let directory = fdopendir(copy) else {
      if copy >= 0 { close(copy) }
      throw failure("read folder", ".")
    }
    defer { closedir(directory) }
    return Folder.names(in: directory)
  }

  /// Removes a file inside; one that is not there is removed already.
  func removeFile(_ name: String) { _ = unlinkat(descriptor, name, 0) }

  /// Removes an empty folder inside.
  func removeFolder(_ name: String) -> Bool { unlinkat(descriptor, name, AT_REMOVEDIR) == 0 }

  /// Moves a file inside to a name in another folder of the same file system.
  ///
  /// - Returns: false when something has the name already and is not to be replaced.
  func move(
    _ name: String, to other: FolderHandle, as newName: String, replacing: Bool
  ) throws(StoreError) -> Bool {
    if replacing {
      if renameat(descriptor, name, other.descriptor, newName) == 0 { return true }
      // A folder is in the way.
      guard errno != EISDIR, errno != ENOTEMPTY, errno != EEXIST else { return false }
      throw other.failure("rename", newName)
    }
    switch Self.renameWithoutReplacing(descriptor, name, other.descriptor, newName) {
    case 0: return true
    case EEXIST: return false
    case EINVAL, ENOSYS: break
    case let code: throw StoreError(errno: code, operation: "rename", path: other.path)
    }
    // File systems that do not know the flag: a second name is made atomically, too.
    if linkat(descriptor, name, other.descriptor, newName, 0) == 0 {
      removeFile(name)
      return true
    }
    guard errno == EEXIST else { throw other.failure("rename", newName) }
    return false
  }

  /// Waits until names that were made or moved inside are on the disk.
  ///
  /// - Throws: `StoreError`.
  func synchronize() throws(StoreError) {
    // Some network file systems know no such call for folders.
    guard fsync(descriptor) != 0, errno != EINVAL else { return }
    throw failure("synchronize", ".")
  }

  private func failure(_ operation: String, _ name: String) -> StoreError {
    StoreError(errno: errno, operation: operation, path: path + "/" + name)
  }

  // MARK: What glibc's headers show to GNU sources only

  private typealias SyncRange = @convention(c) (Int32, off_t, off_t, UInt32) -> Int32

  private static let syncFileRange: SyncRange? = dlsym(nil, "sync_file_range").map {
    unsafeBitCast($0, to: SyncRange.self)
  }

  /// SYNC_FILE_RANGE_WRITE.
  private static let write: UInt32 = 2

  /// Begins to write what was written to a file to the disk, without waiting.
  static func startWriting(_ file: borrowing OpenFile) {
    _ = syncFileRange?(file.descriptor, 0, 0, write)
  }

  private typealias Rename =
    @convention(c) (
      Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
    ) -> Int32

  private static let renameat2: Rename? = dlsym(nil, "renameat2").map {
    unsafeBitCast($0, to: Rename.self)
  }

  /// RENAME_NOREPLACE.
  private static let noReplace: UInt32 = 1

  /// - Returns: 0 or the error's number.
  private static func renameWithoutReplacing(
    _ folder: Int32, _ name: String, _ newFolder: Int32, _ newName: String
  ) -> Int32 {
    guard let renameat2 else { return ENOSYS }
    return renameat2(folder, name, newFolder, newName, noReplace) == 0 ? 0 : errno
  }
}
