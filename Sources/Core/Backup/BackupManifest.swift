/// The last member of a backup: what it holds, and the proof that it is complete.
struct BackupManifest {
  static let memberName = "tote-backup.json"
  static let databaseName = "store.db"
  static let blobPrefix = "blobs/"

  /// Raise it when an older program could not restore the backup.
  static let format = 1

  /// The name of the store that was backed up.
  var store: String
  /// Documents, tombstones included.
  var documents: Int
  /// Attachment files.
  var blobs: Int
  /// SHA-256 of the archive's bytes before this member's header.
  var sha256: String

  var json: JSON {
    [
      "format": .integer(Int64(Self.format)), "store": .string(store),
      "documents": .integer(Int64(documents)), "blobs": .integer(Int64(blobs)),
      "sha256": .string(sha256),
    ]
  }

  init(store: String, documents: Int, blobs: Int, sha256: String) {
    self.store = store
    self.documents = documents
    self.blobs = blobs
    self.sha256 = sha256
  }

  init(parsing bytes: [UInt8], path: String) throws {
    guard let json = try? JSON(parsing: bytes), let format = json["format"]?.integerValue,
      let store = json["store"]?.stringValue, let documents = json["documents"]?.integerValue,
      let blobs = json["blobs"]?.integerValue, let sha256 = json["sha256"]?.stringValue
    else { throw StoreError.damagedBackup(path: path, detail: "its last part cannot be read") }
    guard format <= Self.format else {
      throw StoreError.newerFormat(path: path, found: Int(format), supported: Self.format)
    }
    self.init(store: store, documents: Int(documents), blobs: Int(blobs), sha256: sha256)
  }
}

/// What a backup or a restore moved.
public struct BackupReport: Sendable, Hashable {
  /// The store that was backed up.
  public var store: String
  /// Documents, tombstones included.
  public var documents: Int
  /// Attachment files.
  public var blobs: Int
  /// Bytes of the archive.
  public var bytes: Int
}
