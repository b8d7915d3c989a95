extension LocalStore {
  /// Writes many documents in one transaction; results stand in the documents' order.
  ///
  /// In a merge all revisions of one document count as one change.
  ///
  /// - Throws: what concerns the whole call, such as a malformed document, in which case nothing is
  ///   written. Conflicts are results, not errors.
  public func write(_ documents: [Document], mode: WriteMode = .edits) throws -> [WriteResult] {
    for document in documents { try check(document.id) }
    return try write { connection in
      switch mode {
      case .edits: try documents.map { try editResult($0, in: connection) }
      case .revisions: try merge(documents, in: connection)
      }
    }
  }

  private func editResult(
    _ document: Document, in connection: Connection
  ) throws -> WriteResult {
    do {
      return .written(id: document.id, try edit(document, in: connection))
    } catch let error as StoreError {
      switch error {
      case .conflict, .invalidDesignDocument: return .refused(id: document.id, error)
      default: throw error
      }
    }
  }

  /// Merges one revision made elsewhere, inside a transaction.
  func merge(_ document: Document, in connection: Connection) throws {
    try check(document.id)
    _ = try merge([document], in: connection)
  }

  /// Merges revisions made elsewhere, inside a transaction.
  private func merge(
    _ documents: [Document], in connection: Connection
  ) throws -> [WriteResult] {
    var groups: [UTF8Key: [Document]] = [:]
    var order: [String] = []
    let results = try documents.map { document in
      if DocumentID.isLocal(document.id) {
        return WriteResult.written(
          id: document.id, try putLocal(document, in: connection))
      }
      let key = UTF8Key(document.id)
      if groups[key] == nil { order.append(document.id) }
      groups[key, default: []].append(document)
      return .written(id: document.id, try document.mergePath()[0])
    }
    for id in order { try merge(groups[UTF8Key(id)] ?? [], of: id, in: connection) }
    return results
  }

  /// Merges revisions of one document.
  private func merge(
    _ documents: [Document], of id: String, in connection: Connection
  ) throws {
    let old = try row(id, in: connection)
    var state = DocumentState(id: id, old: old, tree: old?.tree ?? RevisionTree())
    var isChanged = false
    for document in documents {
      let path = try document.mergePath()
      let count = state.tree.nodes.count
      let outcome = state.tree.merge(path, isDeleted: document.isDeleted)
      // A revision that is known may still bring ancestors that were not.
      if state.tree.nodes.count != count { isChanged = true }
      guard outcome != .known else { continue }
      isChanged = true
      let attachments = try resolve(
        document.attachments, of: id, generation: path[0].generation,
        ancestors: Array(state.tree.history(of: path[0]).dropFirst()), isMerge: true,
        in: connection)
      try insert(attachments, of: id, revision: path[0], in: connection)
      let derived = try derivedRevision(
        of: path[0], in: state.tree, id: id, body: document.body.bytes, connection)
      state.written.append(
        WrittenRevision(
          revision: path[0], body: document.body.bytes, isDerived: derived == path[0]))
    }
    guard isChanged else { return }
    if state.tree.nodes.count > 1 {
      state.removed = state.tree.stem(to: try revisionsLimit(in: connection))
    }
    try save(state, in: connection)
  }
}

extension Document {
  /// The revision itself and its ancestors, newest first, as a merge needs them.
  fileprivate func mergePath() throws(StoreError) -> [RevisionID] {
    guard let path = history ?? revision.map({ [$0] }), !path.isEmpty else {
      throw .badRequest(
        "When `new_edits: false`, the document needs `_rev` or `_revisions` specified")
    }
    return path
  }
}
