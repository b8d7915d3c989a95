extension LocalStore {
  /// Makes an index and writes it into its design document, as CouchDB does: it is replicated with the
  /// other documents, and removed with this one.
  ///
  /// - Parameters:
  ///   - definition: what it is over.
  ///   - source: `index` of the request that asks for it, which the document keeps.
  /// - Returns: whether it was there already.
  /// - Throws: `StoreError`; ``QueryError`` when the design document is of another language, or when
  ///   the filter cannot be used for an index.
  public func createIndexDocument(
    _ definition: IndexDefinition, source: JSON
  ) throws -> IndexCreation {
    try collation.checkAvailable()
    return try write { connection in
      let known = try index(definition.name, of: definition.designDocument, in: connection)
      if let known, known.definition == definition { return .exists }
      guard IndexMaintainer.index(number: 0, definition, collation).isUsable else {
        throw IndexMaintainer.invalidFilter
      }
      if let known, !known.isDocument {
        defer { indexMaintainer.invalidate() }
        try drop(known, in: connection)
      }
      var design = try designIndexes(definition.designDocument, in: connection)
      design.set(definition, source: source)
      if isPartitioned { design.set(isPartitioned: definition.isPartitioned) }
      try put(design, as: definition.designDocument, in: connection)
      return .created
    }
  }

  /// Takes an index out of its design document; a document that holds nothing else is deleted.
  func removeFromDocument(
    _ definition: IndexDefinition, in connection: Connection
  ) throws {
    var design = try designIndexes(definition.designDocument, in: connection)
    design.remove(definition)
    try put(design, as: definition.designDocument, in: connection)
  }

  func index(
    _ name: String, of designDocument: String, in connection: Connection
  ) throws -> IndexMaintainer.Index? {
    try indexMaintainer.indexes(collation, in: connection).first {
      utf8Equal($0.definition.designDocument, designDocument)
        && utf8Equal($0.definition.name, name)
    }
  }

  private func designIndexes(
    _ id: String, in connection: Connection
  ) throws -> DesignIndexes {
    guard let row = try row(id, in: connection), !row.flags.contains(.deleted) else {
      return DesignIndexes()
    }
    guard let design = DesignIndexes(body: row.body) else {
      throw QueryError(
        code: "invalid_ddoc_lang",
        reason: "The design document \(id) is of another language than `query`.")
    }
    return design
  }

  private func put(
    _ design: DesignIndexes, as id: String, in connection: Connection
  ) throws {
    let row = try row(id, in: connection)
    let isLive = row.map { !$0.flags.contains(.deleted) } ?? false
    let body = design.body
    _ = try edit(
      Document(
        id: id, revision: isLive ? row?.revision : nil, isDeleted: body == nil,
        body: body ?? .empty), in: connection)
  }

  /// Makes and removes indexes as a design document says that has just been written; nil for one that
  /// is gone.
  func followDesignDocument(
    _ id: String, body: [UInt8]?, in connection: Connection
  ) throws {
    let wanted =
      body.flatMap { DesignIndexes(body: $0) }?
      .definitions(designDocument: id, isPartitioned: isPartitioned) ?? []
    let known = try indexMaintainer.indexes(collation, in: connection).filter {
      utf8Equal($0.definition.designDocument, id)
    }
    for index in known where index.isDocument && !wanted.contains(index.definition) {
      try drop(index, in: connection)
      indexMaintainer.invalidate()
    }
    for definition in wanted where !known.contains(where: { $0.definition == definition }) {
      defer { indexMaintainer.invalidate() }
      // The document is the later word on one that was made here without a document.
      if let other = try index(definition.name, of: id, in: connection) {
        try drop(other, in: connection)
      }
      let index = IndexMaintainer.index(number: 0, definition, collation)
      guard index.isUsable else { continue }
      try indexMaintainer.build(
        try insert(definition, isDocument: true, in: connection), in: connection)
    }
  }
}
