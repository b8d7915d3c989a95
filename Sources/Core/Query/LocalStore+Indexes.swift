/// Whether making an index made one.
public enum IndexCreation: String, Sendable {
  /// It was made, or replaced one of the same name.
  case created
  /// It was there already.
  case exists
}

extension LocalStore {
  /// Makes an index and fills it from the documents there are, in one transaction.
  ///
  /// - Parameter definition: what it is over.
  /// - Returns: whether it was there already.
  /// - Throws: `StoreError`; ``QueryError`` when the filter cannot be used for an index.
  @discardableResult
  public func createIndex(_ definition: IndexDefinition) throws -> IndexCreation {
    try collation.checkAvailable()
    return try write { connection in
      let existing = try index(definition.name, of: definition.designDocument, in: connection)
      if let existing {
        if existing.definition == definition { return .exists }
        // What a document says of an index would be made again when the document changes.
        if existing.isDocument { try removeFromDocument(existing.definition, in: connection) }
      }
      defer { indexMaintainer.invalidate() }
      if let existing, !existing.isDocument { try drop(existing, in: connection) }
      let index = try insert(definition, isDocument: false, in: connection)
      guard index.isUsable else { throw IndexMaintainer.invalidFilter }
      try indexMaintainer.build(index, in: connection)
      return .created
    }
  }

  /// The indexes, by design document and name.
  public func indexes() throws -> [IndexDefinition] {
    try read { connection in
      try indexMaintainer.indexes(collation, in: connection).map(\.definition)
    }
  }

  /// Removes an index.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - designDocument: its design document; nil when the name alone tells which.
  /// - Throws: `StoreError.indexNotFound` when there is none, or when the name fits several.
  public func deleteIndex(_ name: String, designDocument: String? = nil) throws {
    try deleteIndex(name, designDocument: designDocument, kind: nil)
  }

  /// Removes an index of one kind.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - designDocument: its design document; nil when the name alone tells which.
  ///   - kind: what it answers; nil for either.
  /// - Throws: `StoreError.indexNotFound` when there is none, or when the name fits several.
  public func deleteIndex(
    _ name: String, designDocument: String?, kind: IndexDefinition.Kind?
  ) throws {
    try write { connection in
      let wanted = designDocument.map(IndexDefinition.designDocumentID)
      let found = try indexMaintainer.indexes(collation, in: connection).filter { index in
        utf8Equal(index.definition.name, name)
          && (wanted.map { utf8Equal($0, index.definition.designDocument) } ?? true)
          && (kind.map { $0 == index.definition.kind } ?? true)
      }
      guard let index = found.first, found.count == 1 else {
        throw StoreError.indexNotFound(name: name)
      }
      try remove(index, in: connection)
    }
  }

  private func remove(_ index: IndexMaintainer.Index, in connection: Connection) throws {
    guard index.isDocument else {
      defer { indexMaintainer.invalidate() }
      return try drop(index, in: connection)
    }
    try removeFromDocument(index.definition, in: connection)
  }

  /// Removes all indexes of a design document, as `_index/_bulk_delete` does.
  ///
  /// - Parameter designDocument: its id, with or without `_design/`.
  /// - Throws: `StoreError.indexNotFound` when it has none.
  public func deleteIndexes(ofDesignDocument designDocument: String) throws {
    try write { connection in
      let wanted = IndexDefinition.designDocumentID(designDocument)
      let found = try indexMaintainer.indexes(collation, in: connection).filter {
        utf8Equal(wanted, $0.definition.designDocument)
      }
      guard !found.isEmpty else { throw StoreError.indexNotFound(name: designDocument) }
      for index in found { try remove(index, in: connection) }
    }
  }

  func insert(
    _ definition: IndexDefinition, isDocument: Bool, in connection: Connection
  ) throws -> IndexMaintainer.Index {
    let text = IndexMaintainer.stored(definition, isDocument: isDocument)
    try connection.run(
      "INSERT INTO indexes(ddoc, name, definition) VALUES(?, ?, ?)",
      .text(definition.designDocument), .text(definition.name), .utf8(text))
    let number = try connection.first("SELECT last_insert_rowid()") { $0.integer(0) } ?? 0
    return IndexMaintainer.index(number: number, definition, collation, isDocument: isDocument)
  }

  func drop(_ index: IndexMaintainer.Index, in connection: Connection) throws {
    try connection.execute("DROP TABLE IF EXISTS \(index.table)")
    try connection.run("DELETE FROM indexes WHERE number = ?", .integer(index.number))
  }

  /// Brings every index in step with a row that changed; a design document makes and removes indexes.
  func updateIndexes(
    id: String, old: DocumentRow?, new: DocumentRow?, in connection: Connection
  ) throws {
    func live(_ row: DocumentRow?) -> IndexMaintainer.Row? {
      guard let row, !row.flags.contains(.deleted) else { return nil }
      return .init(sequence: row.sequence, revision: row.revision, body: row.body)
    }
    guard !DocumentID.isDesign(id) else {
      return try followDesignDocument(id, body: live(new)?.body, in: connection)
    }
    try indexMaintainer.update(
      id: id, old: live(old), new: live(new), collation, in: connection)
  }
}
