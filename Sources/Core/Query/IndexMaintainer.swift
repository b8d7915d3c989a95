/// Keeps the tables of a store's indexes in step with its documents.
///
/// It belongs to one connection and is used under the store's lock only. What it knows of the indexes
/// is read anew when another process made or dropped one: that changes SQLite's schema version.
final class IndexMaintainer {
  /// An index as it is maintained.
  struct Index {
    let number: Int
    let definition: IndexDefinition
    let keys: FieldKeys?
    let text: TextContent?
    /// Whether a design document says that it is there.
    let isDocument: Bool

    /// Whether the entries can be made: its filter may look at what an index cannot see.
    var isUsable: Bool { keys != nil || text != nil }

    var table: String { "index_\(number)" }
  }

  private var indexes: [Index] = []
  private var schemaVersion: Int?
  private var hasFunctions = false

  /// The indexes, by design document and name.
  func indexes(_ collation: Collation, in connection: Connection) throws -> [Index] {
    let version = try connection.first("PRAGMA schema_version") { $0.integer(0) }
    if let version, version == schemaVersion { return indexes }
    indexes = try connection.all(
      "SELECT number, ddoc, name, definition FROM indexes ORDER BY ddoc, name"
    ) { row in
      let json = try JSON(parsing: row.bytes(3))
      return Self.index(
        number: row.integer(0),
        try IndexDefinition(stored: json, name: row.text(2), designDocument: row.text(1)),
        collation, isDocument: json[Self.documentMark] == true)
    }
    // Keys in another order would spoil the tables.
    if !indexes.isEmpty { try collation.checkAvailable() }
    schemaVersion = version
    return indexes
  }

  private static let documentMark = "document"

  static let invalidFilter = QueryError(
    code: "invalid_index",
    reason: "The partial_filter_selector looks at what an index cannot see.")

  /// A definition as the store keeps it.
  static func stored(_ definition: IndexDefinition, isDocument: Bool) -> [UInt8] {
    var json = definition.json
    if isDocument { json[documentMark] = true }
    return json.serializedBytes(.canonical)
  }

  static func index(
    number: Int, _ definition: IndexDefinition, _ collation: Collation, isDocument: Bool = false
  ) -> Index {
    Index(
      number: number, definition: definition,
      keys: definition.kind == .json ? FieldKeys(index: definition, collation: collation) : nil,
      text: definition.kind == .text ? TextContent(definition, collation) : nil,
      isDocument: isDocument)
  }

  /// Makes the functions of queries known to the connection.
  func registerFunctions(in connection: Connection) throws {
    guard !hasFunctions else { return }
    try QueryFunctions.register(in: connection)
    hasFunctions = true
  }

  /// One state of a document's row, for the indexes.
  struct Row {
    let sequence: Int
    let revision: RevisionID
    let body: [UInt8]
  }

  /// Replaces a document's entries.
  ///
  /// - Parameters:
  ///   - id: the document.
  ///   - old: what was there; nil when no live document was.
  ///   - new: what is there; nil when no live document is.
  ///   - collation: the store's.
  ///   - connection: the store's, in the writer's transaction.
  /// - Throws: `StoreError`.
  func update(
    id: String, old: Row?, new: Row?, _ collation: Collation, in connection: Connection
  ) throws {
    guard old != nil || new != nil else { return }
    for index in try indexes(collation, in: connection) {
      if let keys = index.keys {
        try update(keys, in: index.table, id: id, old: old, new: new, connection)
      } else if let text = index.text {
        try update(text, of: index, id: id, old: old, new: new, connection)
      }
    }
  }

  private func update(
    _ keys: FieldKeys, in table: String, id: String, old: Row?, new: Row?,
    _ connection: Connection
  ) throws {
    if let old, let key = key(keys, id, old) {
      try connection.run(
        "DELETE FROM \(table) WHERE key = ? AND seq = ?", .blob(key), .integer(old.sequence))
    }
    if let new, let key = key(keys, id, new) {
      try connection.run(
        "INSERT INTO \(table)(key, seq) VALUES(?, ?)", .blob(key), .integer(new.sequence))
    }
  }

  private func key(_ keys: FieldKeys, _ id: String, _ row: Row) -> [UInt8]? {
    var id = id
    return id.withUTF8 { id in
      row.body.withUnsafeBytes { body in
        var key: [UInt8] = []
        let hasKey = keys.appendIndexKey(
          body: body, id: UnsafeRawBufferPointer(id), revision: { row.revision.description },
          to: &key)
        return hasKey ? key : nil
      }
    }
  }

  private func update(
    _ text: TextContent, of index: Index, id: String, old: Row?, new: Row?,
    _ connection: Connection
  ) throws {
    // The table keeps no text of its own: to forget words it must be told them.
    if let old, let texts = texts(text, id, old) {
      try insert(texts, rowID: old.sequence, into: index, isDeletion: true, connection)
    }
    if let new, let texts = texts(text, id, new) {
      try insert(texts, rowID: new.sequence, into: index, isDeletion: false, connection)
    }
  }

  private func texts(_ text: TextContent, _ id: String, _ row: Row) -> [[UInt8]]? {
    var id = id
    return id.withUTF8 { id in
      row.body.withUnsafeBytes {
        text.texts(
          of: $0, id: UnsafeRawBufferPointer(id), revision: { row.revision.description })
      }
    }
  }

  private func insert(
    _ texts: [[UInt8]], rowID: Int, into index: Index, isDeletion: Bool, _ connection: Connection
  ) throws {
    let columns = texts.indices.map { "c\($0)" }.joined(separator: ", ")
    let marks = texts.map { _ in "?" }.joined(separator: ", ")
    let command = isDeletion ? "\(index.table), " : ""
    let sql = """
      INSERT INTO \(index.table)(\(command)rowid, \(columns))
      VALUES(\(isDeletion ? "'delete', " : "")?, \(marks))
      """
    try connection.with(sql) { statement in
      statement.bind(1, rowID)
      for (column, text) in texts.enumerated() {
        statement.bind(Int32(column + 2), utf8: text)
      }
      while try statement.step() {}
    }
  }

  // MARK: Building

  /// Makes an index's table and fills it from the documents there are.
  func build(_ index: Index, in connection: Connection) throws {
    try registerFunctions(in: connection)
    if let keys = index.keys {
      try connection.execute(
        """
        CREATE TABLE \(index.table)(key BLOB NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY(key, seq))
        WITHOUT ROWID
        """)
      // In the table's order, so that its pages are filled one after the other.
      let sql = """
        INSERT INTO \(index.table)(key, seq)
        SELECT k, seq FROM (
          SELECT tote_index_key(?, body, id, rev) AS k, seq FROM docs
          WHERE NOT flags & 1 AND NOT (id >= '_design/' AND id < '_design0'))
        WHERE k IS NOT NULL ORDER BY k, seq
        """
      try connection.with(sql) { statement in
        QueryFunctions.bind(keys, at: 1, to: statement)
        while try statement.step() {}
      }
    } else if let text = index.text {
      let columns = index.definition.fields.indices.map { "c\($0)" }.joined(separator: ", ")
      try connection.execute(
        """
        CREATE VIRTUAL TABLE \(index.table)
        USING fts5(\(columns), content='', tokenize='unicode61 remove_diacritics 2')
        """)
      let sql = """
        SELECT seq, body, id, rev FROM docs
        WHERE NOT flags & 1 AND NOT (id >= '_design/' AND id < '_design0')
        """
      try connection.with(sql) { row in
        while try row.step() {
          let texts = text.texts(
            of: row.bytes(1), id: row.bytes(2),
            revision: { RevisionID(encoded: row.bytes(3))?.description ?? "" })
          guard let texts else { continue }
          try insert(texts, rowID: row.integer(0), into: index, isDeletion: false, connection)
        }
      }
    }
  }

  /// Forgets what is known, after this connection changed the indexes itself.
  func invalidate() {
    schemaVersion = nil
  }
}
