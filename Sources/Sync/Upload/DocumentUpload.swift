public import Core

/// Puts the documents of a scratch store into a database as if they had been written there.
///
/// An import into a server goes through such a store: records are read and checked on this machine,
/// and attachments wait there until they are sent.
public struct DocumentUpload: Sendable {
  private let source: LocalStore
  private let target: any DocumentStore
  private let rule: ImportOptions.ConflictRule

  /// What became of the documents.
  public struct Summary: Sendable {
    /// Documents that are new.
    public var inserted = 0
    /// Documents that were there and got a new revision.
    public var updated = 0
    /// Documents that were there and stayed as they are.
    public var skipped = 0
    /// Documents that were refused.
    public var failures: [ReplicationReport.Failure] = []
  }

  /// Prepares an upload.
  ///
  /// - Parameters:
  ///   - source: the scratch store.
  ///   - target: where the documents go.
  ///   - rule: what to do when a document exists.
  public init(
    from source: LocalStore, to target: any DocumentStore,
    onConflict rule: ImportOptions.ConflictRule
  ) {
    self.source = source
    self.target = target
    self.rule = rule
  }

  /// Writes the documents, some at a time.
  ///
  /// Documents that came with a history are merged with it, whatever the rule.
  ///
  /// - Parameters:
  ///   - isDryRun: count, and write nothing.
  ///   - progress: told how far it is; may throw to stop.
  /// - Returns: what became of the documents.
  /// - Throws: `StoreError.conflict` when a document exists and may not, before anything is written;
  ///   what the database says.
  public func run(
    isDryRun: Bool = false, progress: (Summary) throws -> Void = { _ in }
  ) async throws -> Summary {
    var summary = Summary()
    if rule == .fail {
      try await forEachBatch { documents in
        for document in documents where try await existing([document])[UTF8Key(document.id)] != nil
        {
          throw StoreError.conflict(id: document.id, current: nil)
        }
      }
    }
    try await forEachBatch { documents in
      let known = try await existing(documents.filter { !hasHistory($0) })
      var edits: [Document] = []
      var merges: [Document] = []
      for document in documents {
        if hasHistory(document) {
          merges.append(document)
          summary.updated += 1
        } else if let revision = known[UTF8Key(document.id)] {
          guard rule == .update else {
            summary.skipped += 1
            continue
          }
          var edit = document
          edit.revision = revision
          edits.append(edit)
          summary.updated += 1
        } else {
          var edit = document
          edit.revision = nil
          edits.append(edit)
          summary.inserted += 1
        }
      }
      if !isDryRun {
        try await write(edits, .edits, &summary)
        try await write(merges, .revisions, &summary)
      }
      try progress(summary)
    }
    return summary
  }

  private func hasHistory(_ document: Document) -> Bool {
    document.isDeleted || (document.revision?.generation ?? 1) > 1
  }

  private func write(
    _ documents: [Document], _ mode: WriteMode, _ summary: inout Summary
  ) async throws {
    guard !documents.isEmpty else { return }
    let clean = documents.map { document in
      var document = document
      if mode == .edits { document.history = nil }
      return document
    }
    for result in try await target.write(clean, mode: mode) {
      guard case .refused(let id, let error) = result else { continue }
      summary.failures.append(
        ReplicationReport.Failure(id: id, revision: nil, reason: "\(error)"))
    }
  }

  /// The current revisions of those of the documents that are there.
  private func existing(_ documents: [Document]) async throws -> [UTF8Key: RevisionID] {
    guard !documents.isEmpty else { return [:] }
    var request = ListRequest()
    request.ids = documents.map(\.id)
    var found: [UTF8Key: RevisionID] = [:]
    for row in try await target.allDocuments(request).rows where !row.isDeleted {
      found[UTF8Key(row.id)] = row.revision
    }
    return found
  }

  private func forEachBatch(_ body: ([Document]) async throws -> Void) async throws {
    var options = ReadOptions()
    options.history = true
    options.attachmentBlobs = true
    var request = ChangesRequest()
    request.allLeaves = true
    request.limit = ReplicationTuning.readCount
    while true {
      let page = try source.changes(request)
      let asked = page.rows.map { (id: $0.id, choice: RevisionChoice.named($0.revisions)) }
      let documents = try source.openRevisions(ofEach: asked, options).joined().compactMap {
        if case .found(let document) = $0 { document } else { nil }
      }
      try await body(documents)
      request.since = page.lastSequence
      guard page.rows.count == request.limit else { return }
    }
  }
}
