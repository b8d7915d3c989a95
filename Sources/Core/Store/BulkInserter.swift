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
  private let hasIndexes: Bool
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
    let isNew = try withUnsafeBytes(of: &encoded) { revision in
      statement.bind(1, sequence)
      statement.bind(2, unowned: id)
      sqlite3_bind_blob(statement.handle, 3, revision.baseAddress, 17, nil)
      statement.bind(4, unowned: body)
      _ = try statement.step()
      // A constraint that did nothing changes no row; the counter is of the last statement only.
      let changed = sqlite3_changes(connection.handle) == 1
      sqlite3_reset(statement.handle)
      return changed
    }
    guard isNew else { return false }
    if hasIndexes { try index(id: id, digest: digest, body: body) }
    sequence += 1
    return true
  }

  private func index(
    id: UnsafeRawBufferPointer, digest: (UInt64, UInt64), body: UnsafeRawBufferPointer
  ) throws {
    let revision = RevisionID(generation: 1, hash: .digest(digest.0, digest.1))
    let row = DocumentRow(
      sequence: sequence, revision: revision, flags: .derived,
      tree: RevisionTree(root: revision, isDeleted: false), body: [UInt8](body))
    try store.updateIndexes(
      id: String(decoding: id, as: UTF8.self), old: nil, new: row, in: connection)
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
        VALUES(?, ?, ?, \(RowFlags.derived.rawValue), NULL, ?) ON CONFLICT(id) DO NOTHING
        """
      return try connection.with(sql) { statement in
        let hasIndexes = try connection.first("SELECT 1 FROM indexes LIMIT 1") { _ in true }
        var inserter = BulkInserter(
          self, connection, statement, hasIndexes: hasIndexes ?? false,
          sequence: try nextSequence(in: connection))
        return try body(&inserter, connection)
      }
    }
  }
}
