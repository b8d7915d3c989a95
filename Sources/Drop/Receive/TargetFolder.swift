import Core
import Glibc
import Synchronization

/// The folder that files are received into, with the hidden one inside where they lie until they are
/// complete.
///
/// Both are on one file system, so that a complete file gets its name by a rename. What a killed
/// receiver left behind is swept by the next one in the same folder.
final class TargetFolder: Sendable {
  /// What is done with names.
  struct Rules: Sendable {
    var overwrites = false
    var keepsMode = false
    var allowsDotfiles = false
  }

  let root: FolderHandle
  let hidden: FolderHandle
  let rules: Rules
  /// The names of the folders that were looked into, folded, by the folder's device and number.
  let known = Mutex<[FolderNumber: Set<String>]>([:])
  /// What the process's umask takes away from the modes of files.
  let mask: mode_t
  private let hiddenName: String
  private let isRemoved = Mutex(false)
  /// Held while a subfolder is looked for and made.
  let makingFolders = Mutex(())
  /// The paths of files that were saved and may not be on the disk yet, folder by folder.
  let unsynchronized = Mutex<[[String]]>([])
  private let synchronizing = Mutex(())

  struct FolderNumber: Hashable {
    var device: dev_t
    var inode: ino_t
  }

  private static let prefix = ".tote-drop-"

  /// Whether a name is one that hidden folders have.
  static func isHiddenName(_ name: String) -> Bool { name.lowercased().hasPrefix(prefix) }

  /// Kept free when files are accepted: a disk filled to the last byte stops more than us.
  private static let reserve: Int64 = 16 << 20

  /// Opens a folder, sweeps what killed receivers left there, and makes the hidden folder.
  init(_ path: String, rules: Rules) throws(StoreError) {
    self.rules = rules
    root = try FolderHandle(path)
    mask = Self.processMask()
    Self.sweep(root)
    (hiddenName, hidden) = try Self.makeHidden(in: root)
  }

  deinit { remove() }

  /// Whether this is the same folder as that of a path.
  func isSame(as path: String) -> Bool {
    var own = stat()
    var other = stat()
    return fstat(root.descriptor, &own) == 0 && stat(path, &other) == 0
      && own.st_dev == other.st_dev && own.st_ino == other.st_ino
  }

  /// Bytes that may still be received into it.
  var freeBytes: Int64 {
    var status = statvfs()
    guard fstatvfs(root.descriptor, &status) == 0 else { return .max }
    return max(0, Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize)) - Self.reserve)
  }

  /// Returns when everything that was saved would survive a power cut.
  ///
  /// Once for all files, when their sender is done: waiting for the disk after each would make
  /// many small files several times slower. Who comes while that is being done waits for it as well.
  ///
  /// - Throws: `StoreError` when the disk does not take something.
  func synchronize() throws(StoreError) {
    try synchronizing.withLock { _ throws(StoreError) in try synchronizeAll() }
  }

  private func synchronizeAll() throws(StoreError) {
    let paths = unsynchronized.withLock { paths in
      defer { paths = [] }
      return paths
    }
    // What fails does not keep the others from the disk.
    var failure: StoreError?
    var folders: Set<[String]> = []
    for (above, files) in Dictionary(grouping: paths, by: { Array($0.dropLast()) }) {
      let folder = folder(above)
      for name in files.compactMap(\.last) {
        // Somebody else may have moved it away meanwhile.
        guard let file = try? folder?.openFile(name, O_RDONLY) else { continue }
        do throws(StoreError) { try file.synchronize() } catch { failure = failure ?? error }
      }
      for count in 0...above.count { folders.insert(Array(above.prefix(count))) }
    }
    // Also those above: they may be new as well.
    for names in folders {
      do throws(StoreError) { try folder(names)?.synchronize() } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// The folder at a path beneath the target, nil when it is not there.
  private func folder(_ names: [String]) -> FolderHandle? {
    names.reduce(root) { $0?.folder($1) }
  }

  /// Removes the hidden folder and what is in it; once is enough.
  func remove() {
    let isFirst = isRemoved.withLock { isRemoved in
      defer { isRemoved = true }
      return !isRemoved
    }
    guard isFirst else { return }
    Self.empty(hidden)
    _ = root.removeFolder(hiddenName)
  }

  // MARK: The hidden folder

  private static func makeHidden(
    in root: FolderHandle
  ) throws(StoreError) -> (String, FolderHandle) {
    for _ in 0..<16 {
      var generator = SystemRandomNumberGenerator()
      let name = prefix + DropToken.random(using: &generator).text.prefix(8)
      guard try root.makeFolder(name, mode: 0o700), let folder = root.folder(name) else { continue }
      // A sweeper that was quicker than our lock has removed it: then it has no name any more.
      if flock(folder.descriptor, LOCK_EX | LOCK_NB) == 0, root.status(of: name) != nil {
        return (name, folder)
      }
    }
    throw .io(operation: "create folder", path: root.path + "/" + prefix, code: EEXIST)
  }

  /// Removes hidden folders of receivers that are no more: those whose lock is free.
  private static func sweep(_ root: FolderHandle) {
    let names = (try? root.names()) ?? []
    for name in names where name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + 8 {
      guard let folder = root.folder(name) else { continue }
      var status = stat()
      guard fstat(folder.descriptor, &status) == 0, status.st_uid == geteuid(),
        flock(folder.descriptor, LOCK_EX | LOCK_NB) == 0
      else { continue }
      empty(folder)
      _ = root.removeFolder(name)
    }
  }

  /// Removes the files that we make in a hidden folder, and nothing else.
  private static func empty(_ folder: FolderHandle) {
    for name in (try? folder.names()) ?? []
    where name.hasSuffix(".part")
      && name.utf8.dropLast(5).allSatisfy({ (0x30...0x39).contains($0) })
    {
      folder.removeFile(name)
    }
  }

  /// The process's umask, which can only be read by setting it.
  private static func processMask() -> mode_t {
    let mask = umask(0o077)
    umask(mask)
    return mask
  }
}
