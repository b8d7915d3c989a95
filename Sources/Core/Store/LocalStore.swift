import CSQLite
import Glibc
import Synchronization

/// A document store in a folder of this machine.
///
/// The folder holds `store.db`, an SQLite file in write-ahead mode, and `blobs/`, the attachments.
/// Several processes may use one store at a time. Calls are synchronous and block the calling thread
/// for as long as the disk needs; each is one transaction, so a call that throws has changed nothing.
public final class LocalStore: DocumentStore {
  /// The store's name, as `StoreDirectory` knows it.
  public let name: String
  /// The store's uuid.
  public let identity: String
  /// How strings are ordered in sorts and ranges.
  public let collation: Collation
  /// Whether every document belongs to a partition, which its id names: `partition:key`.
  public let isPartitioned: Bool
  /// The store's folder.
  package let folder: Folder
  package let blobs: BlobStore
  /// The keys of an encrypted store.
  let secrets: StoreSecrets?
  /// Used under the lock only, like the connection.
  let indexMaintainer = IndexMaintainer()
  private let connection: Connection
  private let lock = Mutex(())
  /// Device and inode of the database file when it was opened.
  private let fileIdentity: FileIdentity?

  /// When a write counts as done.
  public enum Durability: Sendable {
    /// It survives a crash of the program; a power cut may undo the last ones.
    ///
    /// The default.
    case normal
    /// It survives a power cut.
    case full
  }

  static let fileName = "store.db"
  static let blobFolderName = "blobs"

  private init(
    name: String, folder: Folder, connection: Connection, durability: Durability,
    secrets: StoreSecrets?
  ) throws {
    self.name = name
    self.folder = folder
    self.connection = connection
    fileIdentity = FileIdentity(of: folder.appending(Self.fileName))
    self.secrets = secrets
    blobs = BlobStore(
      folder.subfolder(Self.blobFolderName),
      keys: secrets == nil ? nil : try BlobKeys(of: connection, in: folder))
    identity =
      try connection.first("SELECT value FROM info WHERE key = 'uuid'") { $0.text(0) } ?? ""
    let stored = try connection.first("SELECT value FROM info WHERE key = 'collation'") {
      $0.text(0)
    }
    collation = stored.flatMap(Collation.init(rawValue:)) ?? .codePoint
    isPartitioned =
      try connection.first("SELECT value FROM info WHERE key = 'partitioned'") { $0.integer(0) }
      == 1
    try connection.execute("PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
    // Sorting must not write plain text beside an encrypted file, and memory is faster anyway.
    try connection.execute("PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF")
  }

  /// Whether the folder still holds the file that is open: nobody removed or replaced the store.
  public var isCurrent: Bool {
    fileIdentity != nil && fileIdentity == FileIdentity(of: folder.appending(Self.fileName))
  }

  /// Makes a store in a folder that does not exist yet.
  static func create(
    name: String, folder: Folder, collation: Collation, isPartitioned: Bool = false,
    durability: Durability, key: StoreKey? = nil
  ) throws -> LocalStore {
    let secrets = try key.map { StoreSecrets($0, salt: try randomBytes(PageCipher.saltSize)) }
    // Built under another name, so that an interrupted creation never looks like a store.
    let draft = Folder(folder.path + ".new-\(getpid())")
    try draft.create()
    do {
      let path = draft.appending(fileName)
      _ = try OpenFile(path, O_RDWR | O_CREAT | O_EXCL)
      try draft.subfolder(blobFolderName).create()
      try initialize(
        path, collation: collation, isPartitioned: isPartitioned, secrets: secrets)
      guard rename(draft.path, folder.path) == 0 else {
        let code = errno
        if code == EEXIST || code == ENOTEMPTY { throw StoreError.storeExists(name: name) }
        throw StoreError(errno: code, operation: "create store", path: folder.path)
      }
    } catch {
      try? draft.removeTree()
      throw error
    }
    return try LocalStore(
      name: name, folder: folder,
      connection: try openConnection(folder.appending(fileName), secrets), durability: durability,
      secrets: secrets)
  }

  private static func initialize(
    _ path: String, collation: Collation, isPartitioned: Bool, secrets: StoreSecrets?
  ) throws {
    let connection = try Connection(path: path, mode: .create, cipher: secrets?.cipher())
    try connection.execute("PRAGMA journal_mode = WAL")
    try Schema.create(
      in: connection, uuid: RandomIdentifier.uuid(), collation: collation.rawValue,
      isPartitioned: isPartitioned)
  }

  /// Opens the store in a folder; read-only when the folder cannot be written.
  ///
  /// An encrypted store's key is asked of `keys`.
  static func open(
    name: String, folder: Folder, durability: Durability, keys: (any StoreKeyProvider)? = nil
  ) throws -> LocalStore {
    let path = folder.appending(fileName)
    guard Glibc.access(path, F_OK) == 0 else {
      guard folder.exists else { throw StoreError.storeNotFound(name: name) }
      throw StoreError.notAStore(path: folder.path)
    }
    try KeyChangeMark.checkIsFree(folder)
    let secrets = try unlock(name, folder, keys)
    return try LocalStore(
      name: name, folder: folder, connection: try openConnection(path, secrets),
      durability: durability, secrets: secrets)
  }

  /// The keys of the store in a folder, known to fit; nil when it is a plain one.
  static func unlock(
    _ name: String, _ folder: Folder, _ keys: (any StoreKeyProvider)?
  ) throws -> StoreSecrets? {
    let path = folder.appending(fileName)
    switch try DatabaseFile.kind(of: path) {
    case .plain: return nil
    case .foreign: throw StoreError.notAStore(path: path)
    case .encrypted(let salt):
      let locked = LockedStore(name: name, path: folder.path, salt: salt)
      guard let key = try keys?.key(for: locked) else { throw StoreError.locked(store: name) }
      let secrets = StoreSecrets(key, salt: salt)
      guard try DatabaseFile.opens(path, with: secrets.cipher()) else {
        throw StoreError.wrongKey(store: name)
      }
      return secrets
    }
  }

  private static func openConnection(
    _ path: String, _ secrets: StoreSecrets?
  ) throws -> Connection {
    func opened(_ mode: Connection.Mode) throws -> Connection {
      let connection = try Connection(path: path, mode: mode, cipher: secrets?.cipher())
      try Schema.open(connection)
      // An import that was killed while it filled the new store leaves a rollback journal's mode.
      if mode == .readWrite,
        try connection.first("PRAGMA journal_mode", read: { $0.text(0) }) != "wal"
      {
        try? connection.execute("PRAGMA journal_mode = WAL")
      }
      return connection
    }
    guard Glibc.access(path, W_OK) != 0 else { return try opened(.readWrite) }
    // Without a log beside it the file is all there is; with one SQLite must be able to read that.
    return try opened(Glibc.access(path + "-wal", F_OK) == 0 ? .readOnly : .immutable)
  }

  /// Whether a change of the store's key was interrupted and should be repeated.
  public var hasInterruptedKeyChange: Bool { KeyChangeMark.exists(folder) }

  /// The record of the write-ahead log of an encrypted store at which its recovery ended although it
  /// belongs to the log: what was written after it is lost, if there was anything.
  public func cutLogRecord() throws -> Int? { try access { $0.cipher?.cutLogRecord } }

  // MARK: Access

  /// Runs `body` alone on the connection.
  package func access<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try lock.withLock { _ in try body(connection) }
  }

  /// Runs `body` alone on the connection, in a write transaction.
  package func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try access { connection in try connection.transaction { try body(connection) } }
  }

  /// Runs `body` alone on the connection, on one consistent state.
  package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try access { connection in try connection.snapshot { try body(connection) } }
  }
}

// Every use of the connection, which is not thread-safe, goes through `access` and its lock.
extension LocalStore: @unchecked Sendable {}
