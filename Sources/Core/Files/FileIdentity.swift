import Glibc

/// Tells a file from every other, whatever its path.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let inode: ino_t

  /// The file at a path; nil when there is none.
  init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
  }
}
