extension LocalStore {
  /// Writes a new revision of a document, as its user edits it.
  ///
  /// The document's `revision` names the one it replaces: the winner, or a conflicting leaf. Without
  /// one the document must be new, or deleted; its history then goes on. Naming a revision of a
  /// document that the store does not have is allowed, as in CouchDB: it becomes the parent.
  ///
  /// - Returns: the new revision.
  /// - Throws: `StoreError.conflict` when the revision is not a current one.
  @discardableResult
  public func put(_ document: Document) throws -> RevisionID {
    try write { try edit(document, in: $0) }
  }

  /// Deletes a document: writes a tombstone over `revision`.
  ///
  /// - Throws: `StoreError.documentNotFound` when it is not there, or deleted already; `.conflict`
  ///   when `revision` is nil or not a current one.
  @discardableResult
  public func delete(_ id: String, revision: RevisionID?) throws -> RevisionID {
    try write { connection in
      if DocumentID.isLocal(id) { return try removeLocal(id, in: connection) }
      guard let row = try row(id, in: connection) else {
        throw StoreError.documentNotFound(id: id, .missing)
      }
      guard !row.flags.contains(.deleted) else {
        throw StoreError.documentNotFound(id: id, .deleted)
      }
      guard let revision else { throw StoreError.conflict(id: id, current: row.revision) }
      return try edit(Document(id: id, revision: revision, isDeleted: true), in: connection)
    }
  }

  /// One edit, inside a transaction.
  func edit(_ document: Document, in connection: Connection) throws -> RevisionID {
    try check(document.id)
    if DocumentID.isLocal(document.id) { return try putLocal(document, in: connection) }
    if DocumentID.isDesign(document.id), let problem = DesignIndexes.problem(in: document.body) {
      throw StoreError.invalidDesignDocument(id: document.id, reason: problem)
    }
    let old = try row(document.id, in: connection)
    let ancestry = try ancestry(of: document, over: old)
    let attachments = try resolve(
      document.attachments, of: document.id, generation: (ancestry.first?.generation ?? 0) + 1,
      ancestors: ancestry, in: connection)
    var hasher = RevisionHasher()
    let revision = document.body.bytes.withUnsafeBytes {
      hasher.revision(
        isDeleted: document.isDeleted, parent: ancestry.first, body: $0,
        attachments: attachments.map(\.description))
    }
    var state = DocumentState(id: document.id, old: old, tree: old?.tree ?? RevisionTree())
    let outcome = state.tree.merge([revision] + ancestry, isDeleted: document.isDeleted)
    guard outcome != .known else {
      throw StoreError.conflict(id: document.id, current: old?.revision)
    }
    if state.tree.nodes.count > 1 {
      state.removed = state.tree.stem(to: try revisionsLimit(in: connection))
    }
    state.written = [
      WrittenRevision(revision: revision, body: document.body.bytes, isDerived: true)
    ]
    try insert(attachments, of: document.id, revision: revision, in: connection)
    try save(state, in: connection)
    return revision
  }

  /// The revisions that an edit stands on, newest first; empty for a new document.
  private func ancestry(of document: Document, over old: DocumentRow?) throws -> [RevisionID] {
    guard let old else { return document.history ?? document.revision.map { [$0] } ?? [] }
    let refusal = StoreError.conflict(id: document.id, current: old.revision)
    guard let base = document.revision else {
      // A tombstone may be written over without naming it, but not by another tombstone.
      guard old.flags.contains(.deleted), !document.isDeleted else { throw refusal }
      return old.tree.history(of: old.revision)
    }
    guard let index = old.tree.index(of: base), old.tree.isLeaf(index),
      !old.tree.nodes[index].isDeleted
    else { throw refusal }
    return old.tree.history(of: base)
  }
}
