import Core

/// Finds what the target lacks of a page of changes and reads it from the source.
struct RevisionReader {
  let source: any DocumentStore
  let target: any DocumentStore
  let retry: Retry

  /// A revision to be moved.
  struct Wanted: Sendable {
    var id: String
    var revisions: [RevisionID]
    /// Leaves the target has that may hold the same attachments.
    var ancestors: [RevisionID]
  }

  /// What was read.
  struct Batch: Sendable {
    var documents: [Document] = []
    var vanished = 0
    var failures: [ReplicationReport.Failure] = []
  }

  /// The revisions of a page that the target lacks.
  func missing(in changes: [Change]) async throws -> [Wanted] {
    guard !changes.isEmpty else { return [] }
    let asked = changes.map { (id: $0.id, revisions: $0.revisions) }
    let answers = try await retry { try await target.missingRevisions(asked) }
    return answers.map {
      Wanted(id: $0.id, revisions: $0.1.missing, ancestors: $0.1.possibleAncestors)
    }
  }

  /// Reads revisions with their histories and the attachments that the target may lack.
  func read(_ wanted: [Wanted]) async throws -> Batch {
    var batch = Batch()
    // Attachments the target has need not travel; which those are differs from document to document.
    let plain = wanted.filter(\.ancestors.isEmpty)
    if !plain.isEmpty { try await read(plain, since: [], into: &batch) }
    for one in wanted where !one.ancestors.isEmpty {
      try await read([one], since: one.ancestors, into: &batch)
    }
    return batch
  }

  /// Reads one revision with all its attachments.
  func whole(_ document: Document) async throws -> Document? {
    guard let revision = document.revision else { return nil }
    var batch = Batch()
    let wanted = Wanted(id: document.id, revisions: [revision], ancestors: [])
    try await read([wanted], since: [], into: &batch)
    return batch.documents.first
  }

  private func read(
    _ wanted: [Wanted], since ancestors: [RevisionID], into batch: inout Batch
  ) async throws {
    var options = ReadOptions()
    options.history = true
    options.attachmentBlobs = true
    options.attachmentsSince = ancestors
    let asked = wanted.map { (id: $0.id, choice: RevisionChoice.latest($0.revisions)) }
    do {
      let answers = try await retry { try await source.openRevisions(ofEach: asked, options) }
      for answer in answers.joined() {
        switch answer {
        case .found(let document): batch.documents.append(document)
        case .missing: batch.vanished += 1
        }
      }
    } catch let error as any ReplicationFault where error.concernsDocuments {
      if wanted.count > 1 {
        // One of them cannot be read: ask for each by itself.
        for one in wanted { try await read([one], since: ancestors, into: &batch) }
      } else if case StoreError.documentNotFound = error {
        batch.vanished += wanted[0].revisions.count
      } else {
        batch.failures += wanted.map {
          ReplicationReport.Failure(
            id: $0.id, revision: $0.revisions.first, reason: "\(error)")
        }
      }
    }
  }
}
