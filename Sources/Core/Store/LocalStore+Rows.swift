/// A document's row, decoded.
package struct DocumentRow {
  package var sequence: Int
  /// The winner.
  package var revision: RevisionID
  package var flags: RowFlags
  package var tree: RevisionTree
  /// The winner's body.
  package var body: [UInt8]
}

/// A document after a write, as `save` needs it.
struct DocumentState {
  var id: String
  /// The row before the write; nil for a new document.
  var old: DocumentRow?
  var tree: RevisionTree
  /// The revisions that were written; none when revisions were only removed.
  var written: [WrittenRevision] = []
  /// Revisions that fell off the tree.
  var removed: [RevisionID] = []

  func written(_ revision: RevisionID) -> WrittenRevision? {
    written.first { $0.revision == revision }
  }
}

struct WrittenRevision {
  var revision: RevisionID
  var body: [UInt8]
  /// Whether the revision's id is what `RevisionHasher` makes of the content.
  var isDerived: Bool
}

extension LocalStore {
  /// Reads a document's row; nil when the store never had the document.
  package func row(_ id: String, in connection: Connection) throws -> DocumentRow? {
    try connection.first("SELECT seq, rev, flags, tree, body FROM docs WHERE id = ?", .text(id)) {
      try decodedRow($0)
    }
  }

  /// Decodes the columns `seq, rev, flags, tree, body`.
  package func decodedRow(_ statement: Statement) throws -> DocumentRow {
    let flags = RowFlags(rawValue: statement.integer(2))
    let revision = try decodedRevision(statement, column: 1)
    return DocumentRow(
      sequence: statement.integer(0), revision: revision, flags: flags,
      tree: try decodedTree(statement, column: 3, revision: revision, flags: flags),
      body: statement.array(4))
  }

  package func decodedRevision(_ statement: Statement, column: Int32) throws -> RevisionID {
    guard let revision = RevisionID(encoded: statement.bytes(column)) else {
      throw damaged("a revision id cannot be read")
    }
    return revision
  }

  /// Decodes the `tree` column; NULL stands for the winner alone.
  package func decodedTree(
    _ statement: Statement, column: Int32, revision: RevisionID, flags: RowFlags
  ) throws -> RevisionTree {
    if statement.isNull(column) {
      return RevisionTree(root: revision, isDeleted: flags.contains(.deleted))
    }
    guard let tree = RevisionTree(encoded: statement.bytes(column)) else {
      throw damaged("the revision tree of a document cannot be read")
    }
    return tree
  }

  package func damaged(_ detail: String) -> StoreError {
    .damaged(path: folder.appending(Self.fileName), detail: detail)
  }

  // MARK: Writing

  /// The sequence of the next write: above every row, and above what was purged.
  func nextSequence(in connection: Connection) throws -> Int {
    let last = try connection.first(
      """
      SELECT max(
        ifnull((SELECT max(seq) FROM docs), 0),
        ifnull((SELECT value FROM info WHERE key = 'sequence_floor'), 0))
      """
    ) { $0.integer(0) }
    return (last ?? 0) + 1
  }

  /// Writes a document's new state: its row, the bodies that are not the winner's, the indexes.
  ///
  /// This is the only place where rows of `docs` change, except for the import's fast path for
  /// documents that did not exist.
  func save(_ state: DocumentState, in connection: Connection) throws {
    for revision in state.removed {
      try forget(revision, of: state.id, in: connection)
    }
    guard let winner = state.tree.winner else {
      return try removeRow(of: state, in: connection)
    }
    let body = try winningBody(of: state, winner: winner.revision, in: connection)
    try keepLosingBodies(of: state, winner: winner.revision, in: connection)

    var flags: RowFlags = []
    if winner.isDeleted { flags.insert(.deleted) }
    if !state.tree.conflicts.isEmpty { flags.insert(.conflicted) }
    if try hasAttachments(state.id, winner.revision, in: connection) { flags.insert(.attachments) }
    // Without its parent's name a revision proves nothing: stemming may have taken it.
    if winner.parent != nil || winner.revision.generation == 1,
      try isDerived(winner.revision, of: state, body: body, in: connection)
    {
      flags.insert(.derived)
    }

    let row = DocumentRow(
      sequence: try nextSequence(in: connection), revision: winner.revision, flags: flags,
      tree: state.tree, body: body)
    try put(row, over: state.old, id: state.id, in: connection)
    try updateIndexes(id: state.id, old: state.old, new: row, in: connection)
  }

  private func isDerived(
    _ winner: RevisionID, of state: DocumentState, body: [UInt8], in connection: Connection
  ) throws -> Bool {
    if let written = state.written(winner) { return written.isDerived }
    if let old = state.old, old.revision == winner { return old.flags.contains(.derived) }
    return try derivedRevision(
      of: winner, in: state.tree, id: state.id, body: body, connection) == winner
  }

  /// The id that `RevisionHasher` gives to the content stored for a revision.
  func derivedRevision(
    of revision: RevisionID, in tree: RevisionTree, id: String, body: [UInt8],
    _ connection: Connection
  ) throws -> RevisionID? {
    guard let index = tree.index(of: revision) else { return nil }
    let attachments = try storedAttachments(id, revision, in: connection).map(\.description)
    let node = tree.nodes[index]
    var hasher = RevisionHasher()
    return body.withUnsafeBytes {
      hasher.revision(
        isDeleted: node.isDeleted, parent: node.parent.map { tree.nodes[$0].revision }, body: $0,
        attachments: attachments)
    }
  }

  private func put(
    _ row: DocumentRow, over old: DocumentRow?, id: String, in connection: Connection
  ) throws {
    let tree: SQLiteValue = row.tree.nodes.count == 1 ? .null : .blob(row.tree.encoded)
    if let old {
      try connection.run(
        "UPDATE docs SET seq = ?, rev = ?, flags = ?, tree = ?, body = ? WHERE seq = ?",
        .integer(row.sequence), .blob(row.revision.encoded), .integer(row.flags.rawValue), tree,
        .utf8(row.body), .integer(old.sequence))
    } else {
      try connection.run(
        "INSERT INTO docs(seq, id, rev, flags, tree, body) VALUES(?, ?, ?, ?, ?, ?)",
        .integer(row.sequence), .text(id), .blob(row.revision.encoded),
        .integer(row.flags.rawValue), tree, .utf8(row.body))
    }
  }

  private func removeRow(of state: DocumentState, in connection: Connection) throws {
    guard let old = state.old else { return }
    try connection.run("DELETE FROM docs WHERE seq = ?", .integer(old.sequence))
    try updateIndexes(id: state.id, old: old, new: nil, in: connection)
  }

  private func winningBody(
    of state: DocumentState, winner: RevisionID, in connection: Connection
  ) throws -> [UInt8] {
    if let written = state.written(winner) { return written.body }
    if let old = state.old, old.revision == winner { return old.body }
    guard let body = try storedBody(state.id, winner, in: connection) else {
      throw damaged("revision \(winner) of document '\(state.id)' has lost its body")
    }
    try connection.run(
      "DELETE FROM revisions WHERE id = ? AND rev = ?", .text(state.id), .blob(winner.encoded))
    return body
  }

  /// Moves what the row no longer holds into `revisions`.
  private func keepLosingBodies(
    of state: DocumentState, winner: RevisionID, in connection: Connection
  ) throws {
    var bodies: [(revision: RevisionID, body: [UInt8])] = []
    if let old = state.old { bodies.append((old.revision, old.body)) }
    bodies += state.written.map { ($0.revision, $0.body) }
    for (revision, body) in bodies where revision != winner && state.tree.contains(revision) {
      try connection.run(
        "INSERT OR REPLACE INTO revisions(id, rev, body) VALUES(?, ?, ?)",
        .text(state.id), .blob(revision.encoded), .utf8(body))
    }
  }

  /// The body of a revision that is not the winner; nil when it was compacted or never came.
  func storedBody(
    _ id: String, _ revision: RevisionID, in connection: Connection
  ) throws -> [UInt8]? {
    try connection.first(
      "SELECT body FROM revisions WHERE id = ? AND rev = ?", .text(id), .blob(revision.encoded)
    ) { $0.array(0) }
  }

  /// Drops the body and the attachments of a revision.
  func forget(_ revision: RevisionID, of id: String, in connection: Connection) throws {
    let key = revision.encoded
    try connection.run("DELETE FROM revisions WHERE id = ? AND rev = ?", .text(id), .blob(key))
    try connection.run("DELETE FROM attachments WHERE id = ? AND rev = ?", .text(id), .blob(key))
  }
}
