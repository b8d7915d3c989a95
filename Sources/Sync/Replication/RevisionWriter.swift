import Core

/// Writes revisions to the target, and keeps one that is refused from stopping the others.
struct RevisionWriter: Sendable {
  let target: any DocumentStore
  /// Reads a document again with all its attachments; nil when the source cannot be asked again.
  let reader: RevisionReader?
  let retry: Retry

  /// What became of a batch.
  struct Outcome: Sendable {
    var written = 0
    var failures: [ReplicationReport.Failure] = []
  }

  func write(_ documents: [Document]) async throws -> Outcome {
    var outcome = Outcome()
    try await write(documents[...], into: &outcome)
    return outcome
  }

  private func write(
    _ documents: ArraySlice<Document>, into outcome: inout Outcome
  ) async throws {
    guard !documents.isEmpty else { return }
    do {
      let batch = Array(documents)
      let results = try await retry { try await target.write(batch, mode: .revisions) }
      for (document, result) in zip(batch, results) {
        switch result {
        case .written: outcome.written += 1
        case .refused(_, let error): try await take(document, error, into: &outcome)
        }
      }
    } catch let error as any ReplicationFault where error.concernsDocuments || error.isTooLarge {
      if documents.count > 1 {
        // The whole batch was refused for the sake of one: halves find it in few requests.
        let middle = documents.index(documents.startIndex, offsetBy: documents.count / 2)
        try await write(documents[..<middle], into: &outcome)
        try await write(documents[middle...], into: &outcome)
      } else if let document = documents.first {
        try await take(document, error, into: &outcome)
      }
    }
  }

  /// The last try for a document that was refused: with all its attachments, when the target turned
  /// out not to have one that was left out.
  private func take(
    _ document: Document, _ error: any ReplicationFault, into outcome: inout Outcome
  ) async throws {
    guard case StoreError.missingStub = error, let whole = try await reader?.whole(document)
    else {
      outcome.failures.append(ReplicationReport.Failure(document, error))
      return
    }
    do {
      let results = try await retry { try await target.write([whole], mode: .revisions) }
      if case .refused(_, let error)? = results.first {
        outcome.failures.append(ReplicationReport.Failure(document, error))
      } else {
        outcome.written += 1
      }
    } catch let error as any ReplicationFault where error.concernsDocuments || error.isTooLarge {
      outcome.failures.append(ReplicationReport.Failure(document, error))
    }
  }
}
