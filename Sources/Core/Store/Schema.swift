/// The layout of a store's file, its version, and how older ones are brought up to date.
enum Schema {
  /// Marks the file as a store of this program (`tote` in ASCII) in SQLite's header.
  static let applicationID = 0x746f_7465

  /// The version written into new stores.
  ///
  /// Raise it with every change of the layout that an older program would misread, and add the step
  /// to `migrations`.
  static let version = 1

  /// `migrations[n]` brings a store from version n + 1 to n + 2.
  private static let migrations: [String] = []

  /// - `docs`: one row a document. `body` is the winner's canonical JSON; `tree` is NULL while the
  ///   document has one revision. A write gives the row a new `seq`, so that reading the table in
  ///   its own order is the changes feed. `flags`: see `RowFlags`.
  /// - `revisions`: bodies of leaves that lost and of ancestors not yet compacted.
  /// - `attachments`: what each stored revision has attached; `blob` is the SHA-256 that names the
  ///   file, `md5` the digest that the protocol knows.
  /// - `locals`: the `_local/…` documents, never replicated, without history.
  /// - `indexes`: definitions; the entries lie in a table of their own each.
  static let tables = """
    CREATE TABLE docs(
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      rev BLOB NOT NULL,
      flags INTEGER NOT NULL,
      tree BLOB,
      body TEXT NOT NULL
    );
    CREATE INDEX docs_deleted ON docs(id) WHERE flags & 1;
    CREATE INDEX docs_conflicted ON docs(id) WHERE flags & 2;
    CREATE TABLE revisions(
      id TEXT NOT NULL,
      rev BLOB NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY(id, rev)
    ) WITHOUT ROWID;
    CREATE TABLE attachments(
      id TEXT NOT NULL,
      rev BLOB NOT NULL,
      name TEXT NOT NULL,
      blob BLOB NOT NULL,
      md5 BLOB NOT NULL,
      length INTEGER NOT NULL,
      type TEXT NOT NULL,
      revpos INTEGER NOT NULL,
      encoding TEXT,
      stored_length INTEGER NOT NULL,
      PRIMARY KEY(id, rev, name)
    ) WITHOUT ROWID;
    CREATE INDEX attachments_md5 ON attachments(md5);
    CREATE TABLE locals(
      id TEXT NOT NULL PRIMARY KEY,
      rev INTEGER NOT NULL,
      body TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE indexes(
      number INTEGER PRIMARY KEY,
      ddoc TEXT NOT NULL,
      name TEXT NOT NULL,
      definition TEXT NOT NULL,
      UNIQUE(ddoc, name)
    );
    CREATE TABLE info(
      key TEXT NOT NULL PRIMARY KEY,
      value NOT NULL
    ) WITHOUT ROWID;
    """

  /// Makes the tables of a new store, all or nothing.
  static func create(
    in connection: Connection, uuid: String, collation: String, isPartitioned: Bool
  ) throws {
    try connection.transaction {
      try connection.execute(tables)
      try connection.run("INSERT INTO info VALUES('uuid', ?)", .text(uuid))
      try connection.run("INSERT INTO info VALUES('collation', ?)", .text(collation))
      if isPartitioned { try connection.execute("INSERT INTO info VALUES('partitioned', 1)") }
      try connection.execute("PRAGMA application_id = \(applicationID)")
      try connection.execute("PRAGMA user_version = \(version)")
    }
  }

  /// Checks that the file is a store this program understands, and migrates an older one.
  static func open(_ connection: Connection) throws {
    let found = try connection.first("PRAGMA application_id") { $0.integer(0) }
    guard found == applicationID else { throw StoreError.notAStore(path: connection.path) }
    let version = try storedVersion(connection)
    guard version <= Self.version else {
      throw StoreError.newerFormat(
        path: connection.path, found: version, supported: Self.version)
    }
    if version < Self.version { try migrate(connection) }
  }

  private static func migrate(_ connection: Connection) throws {
    try connection.transaction {
      // Another process may have migrated while this one waited for the lock.
      let version = try storedVersion(connection)
      for step in migrations.dropFirst(max(version - 1, 0)) { try connection.execute(step) }
      try connection.execute("PRAGMA user_version = \(Self.version)")
    }
  }

  private static func storedVersion(_ connection: Connection) throws -> Int {
    try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0
  }
}

/// The `flags` column of a document's row, so that listings need not decode the tree.
package struct RowFlags: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The winner is a tombstone.
  package static let deleted = RowFlags(rawValue: 1)
  /// There is a live leaf beside the winner.
  package static let conflicted = RowFlags(rawValue: 2)
  /// The winner has attachments.
  package static let attachments = RowFlags(rawValue: 4)
  /// The winner's revision id was derived from its content by `RevisionHasher`, here or in another
  /// store of this program, so `verify` can prove the content unchanged.
  package static let derived = RowFlags(rawValue: 8)
}
