import Glibc

/// The attachments' bytes: one file a content, in a balanced tree `3f/a9/3fa9…` named by SHA-256.
///
/// In an encrypted store a file has the form of `SealedBlob`, which also says what its name is.
///
/// A file appears under its name only when it is complete and on the disk. Who writes blobs holds a
/// shared lock from the first byte until the revision that names them is committed; compaction takes
/// the exclusive lock, so it never removes what is about to be named.
package struct BlobStore: Sendable {
  package let folder: Folder
  /// The keys of an encrypted store's blobs.
  let keys: BlobKeys?

  private static let incoming = "incoming"
  /// Where files lie that are still being written.
  var incomingFolder: Folder { folder.subfolder(Self.incoming) }
  private static let lockName = "lock"

  package init(_ folder: Folder, keys: BlobKeys? = nil) {
    self.folder = folder
    self.keys = keys
  }

  /// What a blob's file is named by.
  package func fileName(of blob: BlobID) -> BlobID { keys?.name(of: blob) ?? blob }

  /// Where a blob lies.
  package func path(of blob: BlobID) -> String { path(ofFile: fileName(of: blob)) }

  /// Where the file of a name lies.
  func path(ofFile name: BlobID) -> String {
    let hex = name.hex
    return folder.path + "/" + hex.prefix(2) + "/" + hex.dropFirst(2).prefix(2) + "/" + hex
  }

  /// Bytes of a blob's content, by the size of its file; nil when it is not there.
  package func size(of blob: BlobID) -> Int? {
    var status = stat()
    guard stat(path(of: blob), &status) == 0 else { return nil }
    let size = Int(status.st_size)
    // A file too short to hold anything is there, and holds nothing.
    return keys == nil ? size : SealedBlob.contentSize(fileSize: size) ?? 0
  }

  /// Opens a blob to read its content.
  ///
  /// - Throws: `StoreError.damaged` when an encrypted one is, or what the disk says.
  package func open(_ blob: BlobID) throws -> BlobReader {
    let name = fileName(of: blob)
    return try BlobReader(path(ofFile: name), name: name, keys: keys)
  }

  /// Takes the lock that keeps compaction away.
  package func lease() throws(StoreError) -> BlobLease {
    try folder.create()
    return try BlobLease(path: folder.appending(Self.lockName), exclusive: false)
  }

  /// Takes the lock that keeps writers and compaction away; nil when someone has it.
  func tryExclusiveLease() throws(StoreError) -> BlobLease? {
    try BlobLease(tryingExclusive: folder.appending(Self.lockName))
  }

  /// Starts a new blob.
  package func writer() throws(StoreError) -> BlobWriter { try writer(holding: try lease()) }

  /// Starts a new blob under a lock that the caller has already.
  func writer(holding lease: BlobLease) throws(StoreError) -> BlobWriter {
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
    try source.forEachPiece { try writer.append($0) }
    return try writer.finish()
  }

  /// Moves a finished temporary file to its name, unless the same content is there already.
  func adopt(_ temporary: String, as blob: BlobID, length: Int) throws(StoreError) {
    if size(of: blob) == length {
      unlink(temporary)
      return
    }
    try place(temporary, asFile: fileName(of: blob))
  }

  /// Moves a finished file to where one of that name belongs.
  func place(_ temporary: String, asFile name: BlobID) throws(StoreError) {
    let target = path(ofFile: name)
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
    let kept = Set(try named().map(fileName(of:)))
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

  /// Visits all blob files, with what their names say, and temporary files with nil.
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
