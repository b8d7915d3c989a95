import Glibc

/// Facts about a store.
public struct StoreInfo: Sendable {
  /// Its name.
  public var name: String
  /// Made with the store, and anew by a restore; 32 hexadecimal digits.
  public var uuid: String
  /// Live documents.
  public var documentCount: Int
  /// Tombstones.
  public var deletedCount: Int
  /// Documents with more than one live leaf.
  public var conflictCount: Int
  /// The sequence of the last change.
  public var lastSequence: Int
  /// How many purges there were.
  public var purgeSequence: Int
  /// Bytes of the database file with its log.
  public var fileSize: Int
  /// Version of the layout on disk.
  public var formatVersion: Int
  /// How strings are ordered.
  public var collation: Collation
  /// Revisions kept along each branch.
  public var revisionsLimit: Int
  /// Where the key came from that opened the store; nil when it is not encrypted.
  public var keySource: StoreKey.Source?
  /// How the store is encrypted; nil when it is not.
  public var cipher: String? {
    keySource == nil ? nil : "SQLCipher 4 (AES-256-CBC, HMAC-SHA512)"
  }

  /// Facts with their parts.
  public init(
    name: String, uuid: String, documentCount: Int, deletedCount: Int, conflictCount: Int,
    lastSequence: Int, purgeSequence: Int, fileSize: Int, formatVersion: Int, collation: Collation,
    revisionsLimit: Int, keySource: StoreKey.Source? = nil
  ) {
    self.name = name
    self.uuid = uuid
    self.documentCount = documentCount
    self.deletedCount = deletedCount
    self.conflictCount = conflictCount
    self.lastSequence = lastSequence
    self.purgeSequence = purgeSequence
    self.fileSize = fileSize
    self.formatVersion = formatVersion
    self.collation = collation
    self.revisionsLimit = revisionsLimit
    self.keySource = keySource
  }
}

extension LocalStore {
  /// Reads facts about the store; counting walks an index of the documents.
  public func info() throws -> StoreInfo {
    try read { connection in
      let total = try connection.first("SELECT count(*) FROM docs") { $0.integer(0) } ?? 0
      let live = try liveCount(in: connection)
      let conflicts = try connection.first("SELECT count(*) FROM docs WHERE flags & 2") {
        $0.integer(0)
      }
      return StoreInfo(
        name: name, uuid: identity, documentCount: live,
        deletedCount: total - live, conflictCount: conflicts ?? 0,
        lastSequence: try lastSequence(in: connection),
        purgeSequence: try setting("purge_seq", in: connection).flatMap { Int($0) } ?? 0,
        fileSize: fileSize, formatVersion: Schema.version, collation: collation,
        revisionsLimit: try revisionsLimit(in: connection), keySource: secrets?.source)
    }
  }

  private var fileSize: Int {
    [Self.fileName, Self.fileName + "-wal"].reduce(0) { sum, name in
      var status = stat()
      return stat(folder.appending(name), &status) == 0 ? sum + Int(status.st_size) : sum
    }
  }

  /// Returns when everything written so far would survive a power cut.
  public func synchronize() throws {
    // A checkpoint syncs the log, then the file; one that cannot move all of it has synced the log.
    try access { try $0.execute("PRAGMA wal_checkpoint(PASSIVE)") }
    let log = folder.appending(Self.fileName + "-wal")
    if Glibc.access(log, F_OK) == 0 { try OpenFile(log, O_RDONLY).synchronize() }
  }

  // MARK: Settings

  func setting(_ key: String, in connection: Connection) throws -> String? {
    try connection.first("SELECT value FROM info WHERE key = ?", .text(key)) { $0.text(0) }
  }

  func set(_ key: String, _ value: SQLiteValue, in connection: Connection) throws {
    try connection.run("INSERT OR REPLACE INTO info VALUES(?, ?)", .text(key), value)
  }

  /// Revisions kept along each branch, unless `setRevisionsLimit` said otherwise.
  public static let defaultRevisionsLimit = 1_000

  /// Revisions kept along each branch.
  public func revisionsLimit() throws -> Int {
    try access { try revisionsLimit(in: $0) }
  }

  func revisionsLimit(in connection: Connection) throws -> Int {
    try setting("revs_limit", in: connection).flatMap { Int($0) } ?? Self.defaultRevisionsLimit
  }

  /// Sets how many revisions are kept along each branch, at least 1.
  ///
  /// Trees are cut when they are next written, or by `compact`.
  public func setRevisionsLimit(_ limit: Int) throws {
    guard limit > 0 else {
      throw StoreError.badRequest("the limit of revisions must be a positive number")
    }
    try write { try set("revs_limit", .integer(limit), in: $0) }
  }

  /// How many purges are remembered for replicas and indexes: a number that CouchDB's clients set and
  /// ask for; nothing here keeps a list of them.
  package func purgedInfosLimit() throws -> Int {
    try access { try setting("purged_infos_limit", in: $0).flatMap { Int($0) } } ?? 1000
  }

  /// Sets what `purgedInfosLimit` tells.
  package func setPurgedInfosLimit(_ limit: Int) throws {
    try write { try set("purged_infos_limit", .integer(limit), in: $0) }
  }

  /// The security object; administrators only when none was set, as in CouchDB 3.
  ///
  /// - Throws: `StoreError.damaged` for one that cannot be read: it must not count as a public one.
  public func security() throws -> JSONObject {
    try access { try security(in: $0) }
  }

  private func security(in connection: Connection) throws -> JSONObject {
    guard let text = try setting("security", in: connection) else {
      return SecurityObject.administratorsOnly.json
    }
    guard case .object(let members)? = try? JSON(parsing: text) else {
      throw StoreError.damaged(path: folder.path, detail: "its security object is no JSON")
    }
    return members
  }

  /// Replaces the security object.
  public func setSecurity(_ security: JSONObject) throws {
    try write { try set("security", .text(JSON.object(security).serialized()), in: $0) }
  }

  /// Changes the security object as one transaction, so that no other change of it is lost.
  ///
  /// - Parameter change: gets the present one.
  /// - Throws: `StoreError`, or what `change` throws; then nothing is changed.
  public func updateSecurity(_ change: (inout JSONObject) throws -> Void) throws {
    try write { connection in
      var security = try security(in: connection)
      try change(&security)
      try set("security", .text(JSON.object(security).serialized()), in: connection)
    }
  }
}
