import Core

/// Finds what the target lacks of a page of changes and reads it from the source.
struct RevisionReader: Sendable {
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

    /// Bytes of the documents that are in memory.
    var bytes: Int {
      documents.reduce(0) { sum, document in
        var size = document.body.bytes.count
        for case .inline(let data) in document.attachments.map(\.content) { size += data.count }
        return sum + size
      }
    }
  }

  /// The revisions of a page that the target lacks.
  ///
  /// A document may stand in a page twice: feeds repeat rows after a failover.
  func missing(in changes: [Change]) async throws -> [Wanted] {
    var asked: [(id: String, revisions: [RevisionID])] = []
    var places: [UTF8Key: Int] = [:]
    for change in changes where !change.revisions.isEmpty {
      if let place = places[UTF8Key(change.id)] {
        let known = asked[place].revisions
        asked[place].revisions += change.revisions.filter { !known.contains($0) }
      } else {
        places[UTF8Key(change.id)] = asked.count
        asked.append((change.id, change.revisions))
      }
    }
    guard !asked.isEmpty else { return [] }
    let question = asked
    let answers = try await retry { try await target.missingRevisions(question) }
    return answers.map {
      Wanted(id: $0.id, revisions: $0.1.missing, ancestors: $0.1.possibleAncestors)
    }
  }

  /// Reads revisions with their histories and the attachments that the target may lack.
  func read(_ wanted: [Wanted]) async throws -> Batch {
    var batch = Batch()
    var missing = try await readBodies(wanted, into: &batch)
    if !missing.isEmpty, !(source is LocalStore) {
      try await retry.pause(ReplicationTuning.missingPause)
      missing = try await readBodies(missing, into: &batch)
    }
    // What replaced them comes by itself: they must not hold up the checkpoint.
    batch.vanished += missing.reduce(0) { $0 + $1.revisions.count }
    try await readAttachments(wanted, of: &batch)
    return batch
  }

  /// Reads one revision with all its attachments.
  func whole(_ document: Document) async throws -> Document? {
    guard let revision = document.revision else { return nil }
    let wanted = Wanted(id: document.id, revisions: [revision], ancestors: [])
    return try await read([wanted]).documents.first
  }

  // MARK: Bodies

  /// Reads documents, their attachments as stubs; returns what is not there.
  private func readBodies(_ wanted: [Wanted], into batch: inout Batch) async throws -> [Wanted] {
    var options = ReadOptions()
    options.history = true
    options.attachmentEncoding = true
    let asked = wanted.map { (id: $0.id, choice: RevisionChoice.latest($0.revisions)) }
    var missing: [Wanted] = []
    do {
      let wish = options
      let answers = try await retry { try await source.openRevisions(ofEach: asked, wish) }
      for (one, answer) in zip(wanted, answers) {
        var lost: [RevisionID] = answer.isEmpty ? one.revisions : []
        for revision in answer {
          switch revision {
          case .found(let document): batch.documents.append(document)
          case .missing(let revision): lost.append(revision)
          }
        }
        guard !lost.isEmpty else { continue }
        missing.append(Wanted(id: one.id, revisions: lost, ancestors: one.ancestors))
      }
    } catch let error as any ReplicationFault where error.concernsDocuments {
      if wanted.count > 1 {
        // One of them cannot be read: ask for each by itself.
        for one in wanted { missing += try await readBodies([one], into: &batch) }
      } else if case StoreError.documentNotFound = error {
        missing += wanted
      } else {
        batch.failures += wanted.map {
          ReplicationReport.Failure(
            id: $0.id, revision: $0.revisions.first, reason: replicationReason(error))
        }
      }
    }
    return missing
  }

  // MARK: Attachments

  private enum Filled: Sendable {
    case document(Document)
    case vanished
    case failed(ReplicationReport.Failure)
  }

  /// Reads the attachments that the target may lack; a document whose attachments cannot be read is
  /// taken out of the batch.
  private func readAttachments(_ wanted: [Wanted], of batch: inout Batch) async throws {
    let incomplete = batch.documents.indices.filter { !batch.documents[$0].attachments.isEmpty }
    guard !incomplete.isEmpty else { return }
    var ancestors: [UTF8Key: [RevisionID]] = [:]
    for one in wanted { ancestors[UTF8Key(one.id)] = one.ancestors }
    var work: [(index: Int, document: Document, ancestors: [RevisionID])] = []
    for index in incomplete {
      let document = batch.documents[index]
      let known = ancestors[UTF8Key(document.id)] ?? []
      if !document.unknownAttachments(since: known).isEmpty {
        work.append((index, document, known))
      }
    }
    try await readSmall(&work, of: &batch)
    let results = try await concurrently(work, limit: ReplicationTuning.attachmentsAtOnce) {
      try await fill($0.document, since: $0.ancestors)
    }
    var dropped: Set<Int> = []
    for (one, result) in zip(work, results) {
      switch result {
      case .document(let document): batch.documents[one.index] = document
      case .vanished:
        batch.vanished += 1
        dropped.insert(one.index)
      case .failed(let failure):
        batch.failures.append(failure)
        dropped.insert(one.index)
      }
    }
    guard !dropped.isEmpty else { return }
    batch.documents = batch.documents.indices.filter { !dropped.contains($0) }
      .map { batch.documents[$0] }
  }

  private func fill(
    _ document: Document, since ancestors: [RevisionID]
  ) async throws -> Filled {
    do {
      return .document(
        try await retry { try await source.withAttachments(document, since: ancestors) })
    } catch StoreError.documentNotFound {
      return .vanished
    } catch let error as any ReplicationFault where error.concernsDocuments {
      return .failed(ReplicationReport.Failure(document, error))
    }
  }

  /// Reads small attachments of several documents by one request, and takes these out of the work.
  ///
  /// Bytes that do not match their digest are left to the careful way.
  private func readSmall(
    _ work: inout [(index: Int, document: Document, ancestors: [RevisionID])],
    of batch: inout Batch
  ) async throws {
    guard !(source is LocalStore) else { return }
    let small = work.filter { $0.document.hasSmallAttachments }
    guard small.count > 1 else { return }
    var options = ReadOptions()
    options.history = true
    options.attachmentBytes = true
    let asked = small.map {
      (id: $0.document.id, choice: RevisionChoice.named([$0.document.revision].compactMap { $0 }))
    }
    let wish = options
    let answers = try await retry { try await source.openRevisions(ofEach: asked, wish) }
    var done: Set<Int> = []
    for (one, answer) in zip(small, answers) {
      guard case .found(let whole)? = answer.first, whole.revision == one.document.revision,
        whole.attachments.count == one.document.attachments.count,
        zip(whole.attachments, one.document.attachments).allSatisfy({ $0.isSame(as: $1) })
      else { continue }
      batch.documents[one.index].attachments = whole.attachments
      done.insert(one.index)
    }
    work.removeAll { done.contains($0.index) }
  }
}

extension Document {
  /// Whether the attachments are small and stored as they are.
  fileprivate var hasSmallAttachments: Bool {
    attachments.reduce(0) { $0 + $1.storedLength } <= ReplicationTuning.inlineBytes
      && attachments.allSatisfy { $0.encoding == nil && $0.length > 0 }
  }
}

extension Attachment {
  /// Whether the bytes given here are those that a stub announced.
  fileprivate func isSame(as stub: Attachment) -> Bool {
    guard utf8Equal(name, stub.name), case .inline(let bytes) = content,
      bytes.count == stub.length
    else { return false }
    var md5 = MD5()
    md5.update(bytes)
    let (high, low) = md5.finish()
    let digest = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { md5Text(Array($0)) }
    return utf8Equal(digest, stub.digest)
  }
}
