import CNettle
import Glibc

/// The keys of an encrypted store's attachments: one that wraps the key of each blob, and one that
/// names the files.
///
/// They are random and lie in the database's `info` table, encrypted with it: so whoever opens the
/// database, also with SQLCipher's tools, can read the attachments, and a new passphrase needs no
/// blob to be written anew.
package final class BlobKeys: Sendable {
  /// Wraps the keys of the blobs; new with every change of the store's key.
  let wrapping: SecretBytes
  /// Names the files; it stays.
  let naming: SecretBytes
  /// Whether a change of keys goes on or was cut short, so that a blob may hold another wrapped key.
  let isChanging: Bool

  /// Rows of the `info` table.
  static let wrappingRow = "blob_key"
  static let namingRow = "blob_names"

  init(wrapping: SecretBytes, naming: SecretBytes, isChanging: Bool = false) {
    self.wrapping = wrapping
    self.naming = naming
    self.isChanging = isChanging
  }

  /// Makes new keys.
  convenience init() throws {
    self.init(
      wrapping: try SecretBytes.random(count: 32), naming: try SecretBytes.random(count: 32))
  }

  /// Reads the keys of a store, and makes them for one that has none yet.
  convenience init(of connection: Connection, in folder: Folder) throws {
    if let keys = try BlobKeys(stored: connection, isChanging: KeyChangeMark.exists(folder)) {
      self.init(wrapping: keys.wrapping, naming: keys.naming, isChanging: keys.isChanging)
      return
    }
    let fresh = try BlobKeys()
    try connection.transaction {
      // Another process may have made them while this one waited.
      try fresh.store(in: connection, replacing: false)
    }
    guard let keys = try BlobKeys(stored: connection, isChanging: false) else {
      throw StoreError.damaged(path: connection.path, detail: "its keys of attachments are gone")
    }
    self.init(wrapping: keys.wrapping, naming: keys.naming)
  }

  /// Reads the keys; nil when there are none.
  convenience init?(stored connection: Connection, isChanging: Bool) throws {
    func key(_ row: String) throws -> SecretBytes? {
      try connection.first("SELECT value FROM info WHERE key = ?", .text(row)) { statement in
        var bytes = statement.array(0)
        return bytes.count == 32 ? SecretBytes(wiping: &bytes) : nil
      } ?? nil
    }
    guard let wrapping = try key(Self.wrappingRow), let naming = try key(Self.namingRow) else {
      return nil
    }
    self.init(wrapping: wrapping, naming: naming, isChanging: isChanging)
  }

  /// Writes the keys into the `info` table of a database.
  func store(in connection: Connection, replacing: Bool) throws {
    let verb = replacing ? "REPLACE" : "IGNORE"
    for (row, key) in [(Self.wrappingRow, wrapping), (Self.namingRow, naming)] {
      try connection.run(
        "INSERT OR \(verb) INTO info VALUES(?, ?)", .text(row),
        .blob(key.withUnsafeBytes { Array($0) }))
    }
  }

  // MARK: Names

  /// The name of a blob's file.
  func name(of blob: BlobID) -> BlobID {
    var context = hmac_sha256_ctx()
    naming.withBase { nettle_hmac_sha256_set_key(&context, naming.count, $0) }
    nettle_hmac_sha256_update(&context, blob.digest.count, blob.digest)
    let digest = [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      nettle_hmac_sha256_digest(&context, 32, buffer.baseAddress)
      count = 32
    }
    withUnsafeMutableBytes(of: &context) { wipe($0) }
    return BlobID(digest: digest)
  }

  // MARK: Keys of blobs

  /// Wraps the key of a blob: nonce, encrypted key, code.
  func wrapped(_ key: SecretBytes, for name: BlobID) throws(StoreError) -> [UInt8] {
    let nonce = try randomBytes(SegmentCipher.nonceSize)
    var sealed = [UInt8](repeating: 0, count: key.count + SegmentCipher.tagSize)
    sealed.withUnsafeMutableBytes { sealed in
      key.withUnsafeBytes {
        SegmentCipher(key: wrapping).seal($0, into: sealed, nonce: nonce, associated: name.digest)
      }
    }
    return nonce + sealed
  }

  /// The key of a blob; nil when it was not wrapped by this store for a file of this name.
  func unwrapped(_ wrap: some Collection<UInt8>, for name: BlobID) -> SecretBytes? {
    let nonce = Array(wrap.prefix(SegmentCipher.nonceSize))
    let sealed = Array(wrap.dropFirst(SegmentCipher.nonceSize).prefix(32 + SegmentCipher.tagSize))
    guard sealed.count == 32 + SegmentCipher.tagSize else { return nil }
    var isIntact = false
    let key = SecretBytes(count: 32) { key in
      isIntact = sealed.withUnsafeBytes {
        SegmentCipher(key: wrapping).open($0, into: key, nonce: nonce, associated: name.digest)
      }
    }
    return isIntact ? key : nil
  }
}
