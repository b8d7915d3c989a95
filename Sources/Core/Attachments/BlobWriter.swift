import Glibc

/// A blob that is on the disk, held there until a revision names it or nobody needs it any more.
public final class StagedBlob: Sendable, Hashable {
  package let blob: BlobID
  /// MD5 of the bytes, 16 of them.
  package let md5: [UInt8]
  /// Bytes in the blob.
  public let length: Int
  package let store: BlobStore
  private let lease: BlobLease

  init(blob: BlobID, md5: [UInt8], length: Int, store: BlobStore, lease: BlobLease) {
    self.blob = blob
    self.md5 = md5
    self.length = length
    self.store = store
    self.lease = lease
  }

  /// Where the bytes lie, encrypted in an encrypted store.
  public var path: String { store.path(of: blob) }

  /// The digest as CouchDB writes it.
  public var digest: String { md5Text(md5) }

  /// Tells whether both hold the same bytes.
  public static func == (left: StagedBlob, right: StagedBlob) -> Bool { left.blob == right.blob }

  /// Hashes the name of the content.
  public func hash(into hasher: inout Hasher) { hasher.combine(blob) }
}

/// Takes the bytes of a new blob piece by piece.
///
/// Use from one thread at a time. A writer that is dropped unfinished removes its temporary file.
public final class BlobWriter {
  private let store: BlobStore
  private let lease: BlobLease
  private let file: OpenFile
  private let sealer: BlobSealer?
  private var sha256 = SHA256()
  private var md5 = MD5()
  private var length = 0
  private var isFinished = false

  init(store: BlobStore, incoming: Folder, lease: BlobLease) throws(StoreError) {
    self.store = store
    self.lease = lease
    let name = "\(getpid())-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
    sealer = if let keys = store.keys { try BlobSealer(keys: keys) } else { nil }
    file = try OpenFile(incoming.appending(name), O_WRONLY | O_CREAT | O_EXCL)
    try sealer?.start(file)
  }

  deinit {
    if !isFinished { unlink(file.path) }
  }

  /// Adds bytes at the end.
  public func append(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try append($0) }
  }

  /// Adds bytes at the end.
  public func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    if let sealer { try sealer.append(bytes, to: file) } else { try file.write(bytes) }
    sha256.update(bytes)
    md5.update(bytes)
    length += bytes.count
  }

  /// Completes the blob: its bytes are on the disk, under their name, when this returns.
  public func finish() throws(StoreError) -> StagedBlob {
    try finish(as: BlobID(digest: sha256.finish()))
  }

  /// Completes the blob if it is the one expected; false, and nothing kept, when it is another.
  func finish(expecting blob: BlobID) throws(StoreError) -> Bool {
    guard sha256.finish() == blob.digest else { return false }
    _ = try finish(as: blob)
    return true
  }

  private func finish(as blob: BlobID) throws(StoreError) -> StagedBlob {
    precondition(!isFinished, "a blob is finished once")
    try sealer?.finish(as: blob, in: file)
    try file.synchronize()
    try store.adopt(file.path, as: blob, length: length)
    isFinished = true
    let (high, low) = md5.finish()
    let digest = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    return StagedBlob(blob: blob, md5: digest, length: length, store: store, lease: lease)
  }
}
