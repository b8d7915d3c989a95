/// Documents under `_local/`: kept here only, without history, conflicts or attachments.
extension LocalStore {
  /// Writes a local document inside a transaction.
  ///
  /// It never conflicts: the new revision is the supplied one plus one, `0-1` without one.
  func putLocal(_ document: Document, in connection: Connection) throws -> RevisionID {
    if document.isDeleted {
      // Written as a tombstone it need not have been there, unlike in a deletion.
      try connection.run("DELETE FROM locals WHERE id = ?", .text(document.id))
      return RevisionID(generation: 0, hash: "0")
    }
    var number = 1
    if let base = document.revision {
      guard base.generation == 0, let last = Int(base.hashText), last < Int.max else {
        throw StoreError.badRequest("Invalid rev format")
      }
      number = last + 1
    }
    try connection.run(
      "INSERT OR REPLACE INTO locals(id, rev, body) VALUES(?, ?, ?)", .text(document.id),
      .integer(number), .utf8(document.body.bytes))
    return RevisionID(generation: 0, hash: String(number))
  }

  /// Changes a local document in one transaction: these have no conflicts that would tell one of two
  /// writers that the other was faster.
  ///
  /// - Parameters:
  ///   - id: the document.
  ///   - change: gets the document, nil when there is none, and gives the one to be written; nil
  ///     leaves it as it is.
  /// - Throws: `StoreError`, and what `change` throws.
  package func updateLocal(_ id: String, _ change: (Document?) throws -> Document?) throws {
    try write { connection in
      guard let changed = try change(try localDocument(id, in: connection)) else { return }
      _ = try putLocal(changed, in: connection)
    }
  }

  func removeLocal(_ id: String, in connection: Connection) throws -> RevisionID {
    guard try localDocument(id, in: connection) != nil else {
      throw StoreError.documentNotFound(id: id, .missing)
    }
    try connection.run("DELETE FROM locals WHERE id = ?", .text(id))
    return RevisionID(generation: 0, hash: "0")
  }

  func localDocument(_ id: String, in connection: Connection) throws -> Document? {
    try connection.first("SELECT id, rev, body FROM locals WHERE id = ?", .text(id)) {
      localDocument($0)
    }
  }

  func localDocument(_ row: Statement) -> Document {
    let revision = RevisionID(generation: 0, hash: String(row.integer(1)))
    return Document(
      id: row.text(0), revision: revision, body: DocumentBody(canonical: row.array(2)))
  }

  /// All local documents by id.
  public func localDocuments() throws -> [Document] {
    try read { connection in
      try connection.all("SELECT id, rev, body FROM locals ORDER BY id") { localDocument($0) }
    }
  }
}
