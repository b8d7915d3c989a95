import CSQLite

/// One SQLite connection and its prepared statements.
///
/// Not thread-safe: `LocalStore` holds a lock around every use, and the connection is opened without
/// SQLite's own mutex.
package final class Connection {
  package let handle: OpaquePointer
  /// The path SQLite was given; named in errors.
  package let path: String
  /// The keys of an encrypted file.
  let cipher: PageCipher?
  private var idle: [String: [Statement]] = [:]

  /// How long a writer waits for another process's transaction, in milliseconds.
  private static let busyTimeout: Int32 = 15_000

  package enum Mode {
    case create
    case readWrite
    case readOnly
    /// Nothing else has the file open and nothing may change it: a read-only medium.
    case immutable
  }

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: its path.
  ///   - mode: what may be done with it.
  ///   - cipher: the keys of an encrypted file, used by this connection only. They must be known to
  ///     fit, since SQLite would remove a log that it cannot read.
  ///   - namesFiles: whether statements may name other files by URIs.
  /// - Throws: what SQLite says.
  package init(
    path: String, mode: Mode, cipher: PageCipher? = nil, namesFiles: Bool = false
  ) throws(StoreError) {
    let flags: Int32
    switch mode {
    case .create: flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .readWrite: flags = SQLITE_OPEN_READWRITE
    case .readOnly, .immutable: flags = SQLITE_OPEN_READONLY
    }
    let query = [
      mode == .immutable ? "immutable=1" : nil, cipher?.uriQuery,
      namesFiles ? "cache=private" : nil,
    ].compactMap { $0 }
    let name = query.isEmpty ? path : Self.uri(path, query)
    let uri = query.isEmpty ? 0 : SQLITE_OPEN_URI
    let fileSystem = cipher == nil ? nil : try PageCipher.fileSystem(path: path)
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(
      name, &opened, flags | uri | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, fileSystem)
    guard code == SQLITE_OK, let opened else {
      let error = StoreError(sqlite: code, message: Self.message(of: opened, code), path: path)
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    self.path = path
    self.cipher = cipher
    sqlite3_busy_timeout(opened, Self.busyTimeout)
    if cipher != nil { try keepSecrets() }
  }

  /// Leaves room for authentication codes in a new file, and keeps temporary content off the disk.
  private func keepSecrets() throws(StoreError) {
    var reserved = Int32(PageCipher.reservedSize)
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
    guard code == SQLITE_OK else { throw error(code) }
    try execute("PRAGMA temp_store = MEMORY")
  }

  /// The name by which SQLite opens a file with parameters.
  static func uri(_ path: String, _ query: [String]) -> String {
    // An empty authority, so that a path that begins with two slashes has none.
    let scheme = path.hasPrefix("/") ? "file://" : "file:"
    return scheme + percentEncodedPath(path) + "?" + query.joined(separator: "&")
  }

  deinit {
    for statement in idle.values.joined() { statement.finalize() }
    sqlite3_close_v2(handle)
  }

  private static func message(of handle: OpaquePointer?, _ code: Int32) -> String {
    guard let text = handle.map({ sqlite3_errmsg($0) }) ?? sqlite3_errstr(code) else { return "" }
    return String(cString: text)
  }

  package func error(_ code: Int32) -> StoreError {
    if let damage = cipher?.takeDamage(), [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xff) {
      return .damaged(path: path, detail: damage.detail)
    }
    return StoreError(sqlite: code, message: Self.message(of: handle, code), path: path)
  }

  // MARK: Statements

  /// Runs SQL text of one or more statements, without parameters or rows.
  package func execute(_ sql: String) throws(StoreError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Runs one statement and ignores its rows.
  ///
  /// Parameters are bound in order.
  package func run(_ sql: String, _ parameters: SQLiteValue...) throws {
    try with(sql) { statement in
      for (index, value) in parameters.enumerated() { statement.bind(Int32(index + 1), value) }
      while try statement.step() {}
    }
  }

  /// Runs one statement and returns what `read` makes of its first row; nil without rows.
  package func first<Result>(
    _ sql: String, _ parameters: SQLiteValue..., read: (Statement) throws -> Result
  ) throws -> Result? {
    try with(sql) { statement in
      for (index, value) in parameters.enumerated() { statement.bind(Int32(index + 1), value) }
      return try statement.step() ? try read(statement) : nil
    }
  }

  /// Runs one statement and returns what `read` makes of each row.
  package func all<Result>(
    _ sql: String, _ parameters: SQLiteValue..., read: (Statement) throws -> Result
  ) throws -> [Result] {
    try with(sql) { statement in
      for (index, value) in parameters.enumerated() { statement.bind(Int32(index + 1), value) }
      var rows: [Result] = []
      while try statement.step() { rows.append(try read(statement)) }
      return rows
    }
  }

  /// Lends a prepared statement, reset afterwards and kept for the next use of the same text.
  package func with<Result>(
    _ sql: String, _ body: (Statement) throws -> Result
  ) throws -> Result {
    let statement = try idle[sql]?.popLast() ?? Statement(self, sql)
    defer {
      statement.reset()
      idle[sql, default: []].append(statement)
    }
    return try body(statement)
  }

  // MARK: Transactions

  /// Runs `body` in a write transaction; an error rolls everything back.
  package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try run("BEGIN IMMEDIATE")
    return try finishing(body)
  }

  /// Runs `body` on one consistent state of the store.
  package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    guard sqlite3_get_autocommit(handle) != 0 else { return try body() }
    try run("BEGIN")
    return try finishing(body)
  }

  private func finishing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // SQLite rolls back by itself on a full disk; a second rollback then says "no transaction".
      if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
      throw error
    }
  }

  /// Whether a transaction is open on this connection.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
}

/// Escapes what has a meaning in the path of an SQLite URI.
private func percentEncodedPath(_ path: String) -> String {
  var result = ""
  for scalar in path.unicodeScalars {
    switch scalar {
    case "%": result += "%25"
    case "?": result += "%3f"
    case "#": result += "%23"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}
