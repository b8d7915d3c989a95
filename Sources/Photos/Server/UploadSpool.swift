import Core
import Glibc

/// Where uploads wait on the disk until they have come whole and are looked at.
///
/// Their files have no names, so that nothing is left of them when the server is killed. Where the
/// file system cannot do that they lose their names at once; what a kill in between leaves is swept
/// at the next start.
struct UploadSpool: Sendable {
  private let folder: Folder

  private static let prefix = "upload-"

  /// Makes the folder, for its owner only, and removes what an earlier server left.
  ///
  /// - Parameter folder: on the file system of the library, and used by servers only.
  /// - Throws: `StoreError`.
  init(folder: String) throws(StoreError) {
    self.folder = Folder(folder)
    try self.folder.create()
    for name in try self.folder.names() where name.utf8.starts(with: Self.prefix.utf8) {
      unlink(self.folder.appending(name))
    }
  }

  /// Starts a file.
  ///
  /// - Throws: `StoreError`.
  func writer() throws(StoreError) -> SpoolWriter { SpoolWriter(try file()) }

  private func file() throws(StoreError) -> OpenFile {
    // O_TMPFILE, which glibc's headers hide from Swift: a directory flag with a bit of its own.
    let unnamed = Int32(0o20000000) | O_DIRECTORY
    do {
      return try OpenFile(folder.path, O_RDWR | unnamed)
    } catch .io(_, _, let code) where [EOPNOTSUPP, EISDIR, ENOENT, EINVAL].contains(code) {
      let path = folder.appending(Self.prefix + RandomIdentifier.uuid())
      let file = try OpenFile(path, O_RDWR | O_CREAT | O_EXCL)
      unlink(path)
      return file
    }
  }
}

/// Writes an upload to the disk and hashes it on the way.
final class SpoolWriter {
  private let file: OpenFile
  private var hasher = SHA256()
  private(set) var length: Int64 = 0

  fileprivate init(_ file: consuming OpenFile) { self.file = file }

  /// Adds bytes.
  ///
  /// - Throws: `StoreError.diskFull` and what else the disk says.
  func write(_ bytes: [UInt8]) throws(StoreError) {
    hasher.update(bytes)
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(StoreError) in try file.write(bytes) }
    }
    try result.get()
    length += Int64(bytes.count)
  }

  /// The whole file.
  ///
  /// - Throws: `StoreError`.
  func finish() throws(StoreError) -> SpooledFile {
    let descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { throw file.failure("duplicate") }
    return SpooledFile(descriptor: descriptor, length: length, digest: hasher.finish())
  }
}

/// An upload that has come whole; its file goes with the last reference.
final class SpooledFile: Sendable {
  let descriptor: Int32
  /// Bytes.
  let length: Int64
  /// SHA-256 of the bytes.
  let digest: [UInt8]

  fileprivate init(descriptor: Int32, length: Int64, digest: [UInt8]) {
    self.descriptor = descriptor
    self.length = length
    self.digest = digest
  }

  deinit { close(descriptor) }
}
