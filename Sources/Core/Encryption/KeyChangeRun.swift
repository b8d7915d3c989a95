import Glibc

/// One change of a store's key, step by step.
///
/// 1. The store's connection is the only one, and the attachments are locked.
/// 2. `store.db.new` is a copy of the database under the new key, compared and checked. It holds the
///    new keys of attachments; a copy that an interrupted run left gives these back, so that its
///    attachments need not be written again.
/// 3. Attachments are written beside the old ones: their names differ. When one key follows another,
///    each gets its own key wrapped by both.
/// 4. `store.db` gets the second name `store.db.old`, and the copy is renamed over it: the change.
/// 5. What the old key, or none, protected is overwritten and removed, `store.db.old` last.
struct KeyChange {
  let name: String
  let folder: Folder
  let progress: (KeyChangeProgress) -> Void

  private var path: String { folder.appending(LocalStore.fileName) }
  private var draft: String { path + ".new" }
  private var old: String { path + ".old" }
  private var blobFolder: Folder { folder.subfolder(LocalStore.blobFolderName) }

  /// Whether a run got past its change and was interrupted while it cleaned up.
  var isCommitted: Bool { access(old, F_OK) == 0 }

  /// Whether an unfinished run has left something.
  var hasTraces: Bool { isCommitted || access(draft, F_OK) == 0 }

  func run(from secrets: StoreSecrets?, to key: StoreKey?) throws -> KeyChangeReport {
    try blobFolder.create()
    guard let lease = try BlobStore(blobFolder).tryExclusiveLease() else {
      throw StoreError.busy(path: folder.path)
    }
    let source = try openAlone(secrets)
    let oldKeys = try secrets == nil ? nil : BlobKeys(stored: source, isChanging: true)
    let (target, newKeys) = try makeDraft(of: source, key, naming: oldKeys?.naming)
    let blobs = BlobChange(
      folder: blobFolder, old: oldKeys, new: newKeys, lease: lease, report: report)
    let result = try blobs.run(try namedBlobs(source))
    try commit()
    // The old file's lock ends with the connection: who waited for it must find nothing there.
    try clean(target, holding: source, lease)
    return result
  }

  // MARK: The old database

  /// A connection that keeps everyone else out.
  private func openAlone(_ secrets: StoreSecrets?) throws -> Connection {
    let connection = try Connection(
      path: path, mode: .readWrite, cipher: secrets?.cipher(), namesFiles: true)
    try Schema.open(connection)
    // Fails while anyone else has the store open; what the log holds is in the file afterwards.
    guard try journalMode("PRAGMA journal_mode = DELETE", connection) == "delete" else {
      throw StoreError.busy(path: path)
    }
    try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
    guard try journalMode("PRAGMA journal_mode", connection) == "delete" else {
      throw StoreError.busy(path: path)
    }
    return connection
  }

  private func journalMode(_ statement: String, _ connection: Connection) throws -> String? {
    try connection.first(statement) { $0.text(0) }
  }

  private func namedBlobs(_ connection: Connection) throws -> [BlobID] {
    try connection.all("SELECT DISTINCT blob FROM attachments ORDER BY blob") {
      BlobID(digest: $0.array(0))
    }
  }

  // MARK: The copy

  private func makeDraft(
    of source: Connection, _ key: StoreKey?, naming: SecretBytes?
  ) throws -> (StoreSecrets?, BlobKeys?) {
    report(.database, 0, 1)
    let earlier = try key.flatMap { try keysOfDraft($0) }
    unlinkDraft()
    let secrets = try key.map { StoreSecrets($0, salt: try randomBytes(PageCipher.saltSize)) }
    try source.copy(to: draft, cipher: secrets?.cipher())
    let copy = try Connection(path: draft, mode: .readWrite, cipher: secrets?.cipher())
    var keys: BlobKeys?
    if key != nil {
      keys =
        try earlier
        ?? BlobKeys(
          wrapping: SecretBytes.random(count: 32), naming: naming ?? SecretBytes.random(count: 32))
      try keys?.store(in: copy, replacing: true)
    } else {
      try copy.run(
        "DELETE FROM info WHERE key IN (?, ?)", .text(BlobKeys.wrappingRow),
        .text(BlobKeys.namingRow))
    }
    report(.verification, 0, 1)
    try verify(copy, against: source)
    try copy.execute("PRAGMA journal_mode = WAL")
    return (secrets, keys)
  }

  /// The keys of attachments that an interrupted run has used; nil when there was none with this key.
  private func keysOfDraft(_ key: StoreKey) throws -> BlobKeys? {
    guard access(draft, F_OK) == 0,
      case .encrypted(let salt)? = try? DatabaseFile.kind(of: draft)
    else { return nil }
    let secrets = StoreSecrets(key, salt: salt)
    guard try DatabaseFile.opens(draft, with: secrets.cipher()),
      let connection = try? Connection(path: draft, mode: .readOnly, cipher: secrets.cipher())
    else { return nil }
    return try? BlobKeys(stored: connection, isChanging: true)
  }

  private func unlinkDraft() {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(draft + suffix) }
  }

  private func verify(_ copy: Connection, against source: Connection) throws {
    let check = try copy.first("PRAGMA integrity_check(1)") { $0.text(0) }
    guard check == "ok" else {
      throw StoreError.damaged(path: draft, detail: check ?? "it cannot be read")
    }
    let tables = try source.all(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name <> 'info'"
    ) { $0.text(0) }
    for table in tables {
      let quoted =
        "\""
        + table.split(separator: "\"", omittingEmptySubsequences: false)
        .joined(separator: "\"\"") + "\""
      let counts = try [source, copy].map { connection in
        try connection.first("SELECT count(*) FROM \(quoted)") { $0.integer(0) }
      }
      guard counts[0] == counts[1] else {
        throw StoreError.damaged(path: draft, detail: "the copy lacks rows of table '\(table)'")
      }
    }
  }

  // MARK: The change

  private func commit() throws {
    try OpenFile(draft, O_RDONLY).synchronize()
    guard link(path, old) == 0 else {
      throw StoreError(errno: errno, operation: "link", path: old)
    }
    do {
      try renameFile(draft, to: path)
    } catch {
      unlink(old)
      throw error
    }
    try folder.synchronize()
  }

  // MARK: Afterwards

  /// Overwrites and removes what the store no longer needs.
  ///
  /// - Parameter secrets: the keys of the store as it is now; nil when it is plain.
  /// - Throws: `StoreError.busy`, or what the disk says.
  func clean(_ secrets: StoreSecrets?) throws {
    guard let lease = try BlobStore(blobFolder).tryExclusiveLease() else {
      throw StoreError.busy(path: folder.path)
    }
    try clean(secrets, holding: nil, lease)
  }

  private func clean(
    _ secrets: StoreSecrets?, holding source: Connection?, _ lease: BlobLease
  ) throws {
    let connection = try Connection(path: path, mode: .readWrite, cipher: secrets?.cipher())
    let keys = try secrets == nil ? nil : BlobKeys(stored: connection, isChanging: true)
    try BlobChange(folder: blobFolder, old: nil, new: keys, lease: lease, report: report)
      .clean(try namedBlobs(connection))
    unlinkDraft()
    try overwrite(path + "-journal")
    // Truncated, not only unlinked: another process may have it open and wait for its lock.
    if isCommitted { try overwrite(old) }
    withExtendedLifetime(source) {}
    try folder.synchronize()
  }

  private func report(_ step: KeyChangeProgress.Step, _ done: Int, _ total: Int) {
    progress(KeyChangeProgress(step: step, done: done, total: total))
  }
}

/// Overwrites a file with zeros and removes it; one that is not there is no error.
func overwrite(_ path: String) throws(StoreError) {
  guard access(path, F_OK) == 0 else { return }
  do {
    let file = try OpenFile(path, O_WRONLY)
    let zeros = [UInt8](repeating: 0, count: 1 << 16)
    let size = try file.size()
    var offset = 0
    while offset < size {
      let count = min(size - offset, zeros.count)
      try file.write(count == zeros.count ? zeros : Array(zeros[..<count]), at: offset)
      offset += count
    }
    try file.synchronize()
    guard ftruncate(file.descriptor, 0) == 0 else { throw file.failure("truncate") }
  }
  guard unlink(path) == 0 || errno == ENOENT else {
    throw StoreError(errno: errno, operation: "remove", path: path)
  }
}
