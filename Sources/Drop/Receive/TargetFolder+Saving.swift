import Core
import Glibc
import Synchronization

extension TargetFolder {
  /// Where a file was put.
  struct Place: Sendable {
    /// The path beneath the target folder.
    var relativePath: String
    /// The same file had been there: nothing new was written.
    var wasThere: Bool
  }

  /// So many numbers are tried for a name before giving up.
  private static let attempts = 10_000

  /// Gives a complete file its final name.
  ///
  /// - Parameters:
  ///   - part: the name in the hidden folder.
  ///   - content: the open part, to set its mode and times and to compare it.
  ///   - file: what the sender said of it.
  /// - Returns: where it is now.
  /// - Throws: `StoreError`.
  func save(
    part: String, content: borrowing OpenFile, of file: DropFile
  ) throws(StoreError) -> Place {
    prepare(content, file)
    let (folder, folders) = try folder(of: file)
    let name = safeName(file.name)
    var candidate = name
    for number in 2..<Self.attempts {
      if rules.overwrites, number == 2 {
        if try hidden.move(part, to: folder, as: candidate, replacing: true) {
          remember(candidate, in: folder)
          return placed(folders + [candidate], content)
        }
      } else if holdsSame(content, as: candidate, in: folder) {
        // Also under a name with a number: sending the same again makes no further copy.
        hidden.removeFile(part)
        return Place(
          relativePath: (folders + [candidate]).joined(separator: "/"), wasThere: true)
      } else if isFree(candidate, in: folder),
        try hidden.move(part, to: folder, as: candidate, replacing: false)
      {
        return placed(folders + [candidate], content)
      }
      candidate = ReceivedName.numbered(name, number)
    }
    throw .io(operation: "create", path: folder.path + "/" + name, code: EEXIST)
  }

  /// The place of a file that has got its name: `synchronize` waits for its bytes, which are on
  /// their way to the disk from now on.
  private func placed(_ path: [String], _ content: borrowing OpenFile) -> Place {
    FolderHandle.startWriting(content)
    unsynchronized.withLock { $0.append(path) }
    return Place(relativePath: path.joined(separator: "/"), wasThere: false)
  }

  /// Sets mode and time.
  private func prepare(_ content: borrowing OpenFile, _ file: DropFile) {
    let asked = rules.keepsMode ? file.mode.map { mode_t($0) & 0o755 | 0o600 } : nil
    _ = fchmod(content.descriptor, (asked ?? 0o666) & ~mask)
    if let modified = file.modified {
      // UTIME_OMIT, which glibc's headers show to GNU sources only: the time of access stays.
      let times = [
        timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2),
        timespec(tv_sec: Int(modified.seconds), tv_nsec: modified.nanoseconds),
      ]
      // A time that the file system cannot hold is not worth losing the file for.
      _ = futimens(content.descriptor, times)
    }
  }

  // MARK: Names

  /// A safe name for a sender's, which is never that of a hidden folder of ours.
  private func safeName(_ hint: String) -> String {
    let name = ReceivedName.safe(hint, allowsDotfiles: rules.allowsDotfiles)
    return Self.isHiddenName(name) ? "_" + name.dropFirst() : name
  }

  // MARK: Subfolders

  /// The folder of a file, made where it is missing, component by component.
  private func folder(
    of file: DropFile
  ) throws(StoreError) -> (handle: FolderHandle, names: [String]) {
    var handle = root
    var names: [String] = []
    for hint in file.folders {
      let name = safeName(hint)
      let (next, used) = try subfolder(name, of: handle)
      handle = next
      names.append(used)
    }
    return (handle, names)
  }

  /// The folder of a name inside another; where a file or a link has the name it gets a number.
  ///
  /// One at a time: of several files of a new folder the first makes it, the others find it.
  private func subfolder(
    _ name: String, of parent: FolderHandle
  ) throws(StoreError) -> (FolderHandle, String) {
    try makingFolders.withLock { _ throws(StoreError) in try findOrMake(name, in: parent) }
  }

  private func findOrMake(
    _ name: String, in parent: FolderHandle
  ) throws(StoreError) -> (FolderHandle, String) {
    var candidate = name
    for number in 2..<Self.attempts {
      if let there = parent.folder(candidate) { return (there, candidate) }
      if isFree(candidate, in: parent) {
        _ = try parent.makeFolder(candidate, mode: 0o777)
        if let made = parent.folder(candidate) { return (made, candidate) }
      }
      candidate = ReceivedName.numbered(name, number)
    }
    throw .io(operation: "create folder", path: parent.path + "/" + name, code: EEXIST)
  }

  // MARK: Collisions

  /// Whether no name of a folder is the same for a file system that ignores case or the form of
  /// accents; if so, it is taken from now on.
  ///
  /// Names that others make meanwhile are met by the rename, which replaces nothing.
  private func isFree(_ name: String, in folder: FolderHandle) -> Bool {
    let key = number(of: folder)
    return known.withLock { known in
      if known[key] == nil {
        // A folder that cannot be read is no reason to refuse: the rename still replaces nothing.
        known[key] = Set(((try? folder.names()) ?? []).map(Self.folded))
      }
      return known[key]?.insert(Self.folded(name)).inserted ?? true
    }
  }

  private func remember(_ name: String, in folder: FolderHandle) {
    let key = number(of: folder)
    known.withLock { _ = $0[key]?.insert(Self.folded(name)) }
  }

  private func number(of folder: FolderHandle) -> FolderNumber {
    var status = stat()
    _ = fstat(folder.descriptor, &status)
    return FolderNumber(device: status.st_dev, inode: status.st_ino)
  }

  /// A name without its case; `String` itself compares without regard to the form of accents.
  private static func folded(_ name: String) -> String { name.uppercased().lowercased() }

  /// Whether a regular file of a name has the same bytes.
  private func holdsSame(
    _ content: borrowing OpenFile, as name: String, in folder: FolderHandle
  ) -> Bool {
    guard let size = try? content.size(), let status = folder.status(of: name),
      status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == size
    else { return false }
    do {
      let other = try folder.openFile(name, O_RDONLY)
      return try Self.areEqual(content, other)
    } catch {
      // What cannot be read cannot be known to be the same.
      return false
    }
  }

  private static func areEqual(
    _ left: borrowing OpenFile, _ right: borrowing OpenFile
  ) throws(StoreError) -> Bool {
    var a = [UInt8](repeating: 0, count: 256 << 10)
    var b = a
    var offset = 0
    while true {
      let count = try read(left, &a, offset)
      guard try read(right, &b, offset) == count else { return false }
      guard count > 0 else { return true }
      guard a.prefix(count) == b.prefix(count) else { return false }
      offset += count
    }
  }

  private static func read(
    _ file: borrowing OpenFile, _ buffer: inout [UInt8], _ offset: Int
  ) throws(StoreError) -> Int {
    let descriptor = file.descriptor
    var total = 0
    while total < buffer.count {
      let count = buffer.withUnsafeMutableBytes { bytes in
        pread(
          descriptor, bytes.baseAddress.map { $0 + total }, bytes.count - total,
          off_t(offset + total))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw file.failure("read") }
      guard count > 0 else { break }
      total += count
    }
    return total
  }
}
