import CSQLite

/// Inserts documents that the store does not have yet, without reading first: the fast path of an
/// import.
///
/// It lives inside one `LocalStore.bulkInsert` call, which is one transaction. Texts are bound where
/// they lie, nothing is allocated a document, and the unique index on ids tells what is there already.
package struct BulkInserter: ~Copyable {
  private let store: LocalStore
  private let connection: Connection
  private let statement: Statement
  private var hasIndexes: Bool
  private var sequence: Int

  fileprivate init(
    _ store: LocalStore, _ connection: Connection, _ statement: Statement, hasIndexes: Bool,
    sequence: Int
  ) {
    self.store = store
    self.connection = connection
    self.statement = statement
    self.hasIndexes = hasIndexes
    self.sequence = sequence
  }

  /// Must be called after anything else wrote documents in the same transaction.
  package mutating func refreshSequence() throws {
    sequence = try store.nextSequence(in: connection)
    hasIndexes = try Self.hasIndexes(connection)
  }

  /// Whether there are any; a design document that is written may make the first one.
  fileprivate static func hasIndexes(_ connection: Connection) throws -> Bool {
    try connection.first("SELECT 1 FROM indexes LIMIT 1") { _ in true } ?? false
  }

  /// Inserts a live document of one revision without attachments.
  ///
  /// - Parameters:
  ///   - id: the id, UTF-8, checked by the caller.
  ///   - digest: the hash of the first revision, derived by `RevisionHasher` from the content.
  ///   - body: canonical JSON without reserved members.
  /// - Returns: false when the id exists already; nothing is changed then.
  /// - Throws: `StoreError` when the store cannot be written.
  package mutating func insert(
    id: UnsafeRawBufferPointer, digest: (UInt64, UInt64), body: UnsafeRawBufferPointer
  ) throws -> Bool {
    // The form of `RevisionID.encoded`: generation 1 doubled, then the digest.
    var encoded: (UInt64, UInt64, UInt64) = (0, 0, 0)
    withUnsafeMutableBytes(of: &encoded) { bytes in
      bytes[0] = 1 << 1
      bytes.storeBytes(of: digest.0.bigEndian, toByteOffset: 1, as: UInt64.self)
      bytes.storeBytes(of: digest.1.bigEndian, toByteOffset: 9, as: UInt64.self)
    }
    return try withUnsafeBytes(of: &encoded) { revision in
      try insert(
        id: id, revision: UnsafeRawBufferPointer(rebasing: revision[..<17]), flags: .derived,
        tree: UnsafeRawBufferPointer(start: nil, count: 0), body: body)
    }
  }

  /// Inserts a document with one leaf and without attachments.
  ///
  /// - Parameters:
  ///   - id: the id, UTF-8, checked by the caller.
  ///   - revision: the leaf, as `RevisionID.encoded` writes it.
  ///   - flags: whether it is deleted, and whether its content gives its revision.
  ///   - tree: the tree, as `RevisionTree.encoded` writes it; empty when the leaf is alone.
  ///   - body: canonical JSON without reserved members.
  /// - Returns: false when the id exists already; nothing is changed then.
  /// - Throws: `StoreError` when the store cannot be written.
  package mutating func insert(
    id: UnsafeRawBufferPointer, revision: UnsafeRawBufferPointer, flags: RowFlags,
    tree: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer
  ) throws -> Bool {
    // There ids have a further rule, which the general way of writing checks.
    guard !store.isPartitioned else { return false }
    statement.bind(1, sequence)
    statement.bind(2, unowned: id)
    sqlite3_bind_blob(statement.handle, 3, revision.baseAddress, Int32(revision.count), nil)
    statement.bind(4, flags.rawValue)
    // A null pointer binds NULL, which is what an empty tree is stored as.
    sqlite3_bind_blob(statement.handle, 5, tree.baseAddress, Int32(tree.count), nil)
    statement.bind(6, unowned: body)
    _ = try statement.step()
    // A constraint that did nothing changes no row; the counter is of the last statement only.
    let isNew = sqlite3_changes(connection.handle) == 1
    sqlite3_reset(statement.handle)
    guard isNew else { return false }
    let isDesign = id.starts(with: DocumentID.designPrefix.utf8)
    if hasIndexes || isDesign { try index(id: id) }
    if isDesign { hasIndexes = try Self.hasIndexes(connection) }
    sequence += 1
    return true
  }

  private func index(id: UnsafeRawBufferPointer) throws {
    let id = String(decoding: id, as: UTF8.self)
    let row = try store.row(id, in: connection)
    try store.updateIndexes(id: id, old: nil, new: row, in: connection)
  }
}

extension LocalStore {
  /// Runs `body` in one write transaction with a `BulkInserter`; an error undoes all of it.
  package func bulkInsert<Result>(
    _ body: (inout BulkInserter, Connection) throws -> Result
  ) throws -> Result {
    try write { connection in
      let sql = """
        INSERT INTO docs(seq, id, rev, flags, tree, body)
        VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO NOTHING
        """
      return try connection.with(sql) { statement in
        var inserter = BulkInserter(
          self, connection, statement, hasIndexes: try BulkInserter.hasIndexes(connection),
          sequence: try nextSequence(in: connection))
        return try body(&inserter, connection)
      }
    }
  }
}
