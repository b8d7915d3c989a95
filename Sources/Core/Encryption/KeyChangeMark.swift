import Glibc

/// The file that says that a store's key is being changed, or that a change was interrupted; who
/// changes it holds a lock on the file.
final class KeyChangeMark {
  private let file: OpenFile

  private static func path(_ folder: Folder) -> String { folder.appending("key-change") }

  /// Whether a store is marked.
  static func exists(_ folder: Folder) -> Bool { access(path(folder), F_OK) == 0 }

  /// Refuses to open a store while another process changes its key.
  static func checkIsFree(_ folder: Folder) throws(StoreError) {
    guard exists(folder), let file = try? OpenFile(path(folder), O_RDONLY) else { return }
    guard flock(file.descriptor, LOCK_SH | LOCK_NB) == 0 else {
      throw StoreError.busy(path: folder.path)
    }
  }

  /// Marks a store.
  ///
  /// - Throws: `StoreError.busy` when another process has marked it.
  init(_ folder: Folder) throws(StoreError) {
    file = try OpenFile(Self.path(folder), O_RDWR | O_CREAT)
    guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw StoreError.busy(path: folder.path)
    }
  }

  /// Takes the mark away.
  func remove() throws(StoreError) {
    guard unlink(file.path) == 0 || errno == ENOENT else { throw file.failure("remove") }
  }
}
