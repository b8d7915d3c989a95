extension LocalStore {
  /// Writes many documents in one transaction; results stand in the documents' order.
  ///
  /// - Throws: what concerns the whole call, such as a malformed document, in which case nothing is
  ///   written. Conflicts are results, not errors.
  public func write(_ documents: [Document], mode: WriteMode = .edits) throws -> [WriteResult] {
    for document in documents { try DocumentID.check(document.id) }
    return try write { connection in
      try documents.map { document in
        do {
          let revision =
            mode == .edits
            ? try edit(document, in: connection) : try merge(document, in: connection)
          return .written(id: document.id, revision)
        } catch let error as StoreError {
          guard case .conflict = error else { throw error }
          return .refused(id: document.id, error)
        }
      }
    }
  }

  /// Merges one revision made elsewhere, inside a transaction.
  @discardableResult
  func merge(_ document: Document, in connection: Connection) throws -> RevisionID {
    try DocumentID.check(document.id)
    if DocumentID.isLocal(document.id) { return try putLocal(document, in: connection) }
    guard let path = document.history ?? document.revision.map({ [$0] }) else {
      throw StoreError.badRequest(
        "When `new_edits: false`, the document needs `_rev` or `_revisions` specified")
    }
    let revision = path[0]
    let old = try row(document.id, in: connection)
    var state = DocumentState(id: document.id, old: old, tree: old?.tree ?? RevisionTree())
    guard state.tree.merge(path, isDeleted: document.isDeleted) != .known else { return revision }
    state.removed = state.tree.stem(to: try revisionsLimit(in: connection))
    if state.tree.contains(revision) {
      let attachments = try resolve(
        document.attachments, of: document.id, generation: revision.generation,
        ancestors: Array(state.tree.history(of: revision).dropFirst()), isMerge: true,
        in: connection)
      try insert(attachments, of: document.id, revision: revision, in: connection)
      let derived = try derivedRevision(
        of: revision, in: state.tree, id: document.id, body: document.body.bytes, connection)
      state.written = WrittenRevision(
        revision: revision, body: document.body.bytes, isDerived: derived == revision)
    }
    try save(state, in: connection)
    return revision
  }
}
