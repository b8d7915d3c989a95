import Glibc

/// The attachments' bytes: one file a content, in a balanced tree `3f/a9/3fa9…` named by SHA-256.
///
/// A file appears under its name only when it is complete and on the disk. Who writes blobs holds a
/// shared lock from the first byte until the revision that names them is committed; compaction takes
/// the exclusive lock, so it never removes what is about to be named.
package struct BlobStore: Sendable {
  package let folder: Folder

  private static let incoming = "incoming"
  private static let lockName = "lock"

  package init(_ folder: Folder) { self.folder = folder }

  /// Where a blob lies.
  package func path(of blob: BlobID) -> String {
    let hex = blob.hex
    return folder.path + "/" + hex.prefix(2) + "/" + hex.dropFirst(2).prefix(2) + "/" + hex
  }

  /// Bytes of a blob; nil when it is not there.
  package func size(of blob: BlobID) -> Int? {
    var status = stat()
    return stat(path(of: blob), &status) == 0 ? Int(status.st_size) : nil
  }

  package func open(_ blob: BlobID) throws(StoreError) -> OpenFile {
    try OpenFile(path(of: blob), O_RDONLY)
  }

  /// Takes the lock that keeps compaction away.
  package func lease() throws(StoreError) -> BlobLease {
    try folder.create()
    return try BlobLease(path: folder.appending(Self.lockName), exclusive: false)
  }

  /// Starts a new blob.
  package func writer() throws(StoreError) -> BlobWriter {
    let lease = try lease()
    let incoming = folder.subfolder(Self.incoming)
    try incoming.create()
    return try BlobWriter(store: self, incoming: incoming, lease: lease)
  }

  /// Writes a blob whose bytes are at hand.
  package func stage(_ bytes: [UInt8]) throws -> StagedBlob {
    let writer = try writer()
    try writer.append(bytes)
    return try writer.finish()
  }

  /// Makes sure the bytes of a blob are in this store, copying them from the one that holds them.
  package func adopt(_ staged: StagedBlob) throws -> StagedBlob {
    if staged.store.folder == folder { return staged }
    let source = try staged.store.open(staged.blob)
    let writer = try writer()
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
      guard count > 0 else { break }
      try buffer.withUnsafeBytes {
        try writer.append(UnsafeRawBufferPointer(rebasing: $0[..<count]))
      }
    }
    return try writer.finish()
  }

  /// Moves a finished temporary file to its name, unless the same content is there already.
  func adopt(_ temporary: String, as blob: BlobID, length: Int) throws(StoreError) {
    if size(of: blob) == length {
      unlink(temporary)
      return
    }
    let target = path(of: blob)
    let holder = Folder(String(target[..<(target.lastIndex(of: "/") ?? target.startIndex)]))
    let isNew = !holder.exists
    try holder.create()
    try renameFile(temporary, to: target)
    try holder.synchronize()
    if isNew {
      try Folder(String(holder.path.dropLast(3))).synchronize()
      try folder.synchronize()
    }
  }

  /// Removes every blob that `named` does not list, and what interrupted writers left behind.
  ///
  /// - Parameter named: called once nobody else can write, so that it sees every blob that is named.
  /// - Returns: how many files and bytes went; nil when a writer held the lock, so nothing was done.
  /// - Throws: what `named` throws, or `StoreError` when a file cannot be read.
  package func removeUnnamed(
    keeping named: () throws -> Set<BlobID>
  ) throws -> (files: Int, bytes: Int)? {
    guard folder.exists else { return (0, 0) }
    guard let lease = try BlobLease(tryingExclusive: folder.appending(Self.lockName)) else {
      return nil
    }
    defer { withExtendedLifetime(lease) {} }
    let kept = try named()
    var removed = (files: 0, bytes: 0)
    try forEachFile { path, blob in
      if let blob, kept.contains(blob) { return }
      var status = stat()
      guard lstat(path, &status) == 0, unlink(path) == 0 else { return }
      removed.files += 1
      removed.bytes += Int(status.st_size)
    }
    return removed
  }

  /// Visits all blob files, and temporary files with a nil id.
  package func forEachFile(_ body: (_ path: String, BlobID?) throws -> Void) throws {
    guard folder.exists else { return }
    for first in try folder.names() where first != Self.lockName {
      let outer = folder.subfolder(first)
      for second in try outer.names() {
        if first == Self.incoming {
          try body(outer.appending(second), nil)
          continue
        }
        let inner = outer.subfolder(second)
        for name in try inner.names() {
          try body(inner.appending(name), BlobID(hex: name))
        }
      }
    }
  }
}
