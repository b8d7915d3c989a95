/// The writer's share of an import: decoded records go into the store, in order.
struct ImportWriter {
  var summary = ImportSummary()
  private let store: LocalStore
  private let rule: ImportOptions.ConflictRule
  private let maximumProblems: Int
  private let place: ProblemPlace

  /// What a record came to.
  private enum Outcome {
    case inserted, updated, skipped
  }

  init(_ store: LocalStore, _ options: ImportOptions, place: ProblemPlace) {
    self.store = store
    rule = options.onConflict
    maximumProblems = options.maximumProblems
    self.place = place
  }

  /// Writes one batch inside the inserter's transaction.
  mutating func write(
    _ batch: borrowing ImportBatch, _ inserter: inout BulkInserter, _ connection: Connection
  ) throws {
    var inserted = 0
    for entry in batch.entries {
      switch entry.kind {
      case .plain:
        let isNew = try batch.text.withUnsafeBytes { text in
          try inserter.insert(
            id: text.slice(entry.idOffset, entry.idLength), digest: entry.digest,
            body: text.slice(entry.bodyOffset, entry.bodyLength))
        }
        if isNew {
          inserted += 1
        } else if try stays(entry, batch, connection) {
          summary.skipped += 1
        } else {
          try writeDocument(batch.document(of: entry), entry, &inserter, connection)
        }
      case .revision:
        let isNew = try batch.text.withUnsafeBytes { text in
          let end = entry.bodyOffset + entry.bodyLength
          return try inserter.insert(
            id: text.slice(entry.idOffset, entry.idLength),
            revision: text.slice(end, entry.revisionLength), flags: entry.flags,
            tree: entry.treeLength == 0
              ? UnsafeRawBufferPointer(start: nil, count: 0)
              : text.slice(end + entry.revisionLength, entry.treeLength),
            body: text.slice(entry.bodyOffset, entry.bodyLength))
        }
        if isNew {
          inserted += 1
        } else {
          try writeDocument(batch.document(of: entry), entry, &inserter, connection)
        }
      case .document:
        try writeDocument(batch.documents[entry.number], entry, &inserter, connection)
      case .problem:
        report(batch.problems[entry.number])
      }
    }
    summary.inserted += inserted
    summary.read += batch.entries.count
    summary.bytes = batch.bytesRead
  }

  private mutating func report(_ problem: TransferProblem) {
    summary.failed += 1
    if summary.problems.count < maximumProblems { summary.problems.append(problem) }
  }

  // MARK: Documents that are not simply new

  /// Whether a plain record changes nothing: the quick answer, without decoding what is there.
  private func stays(
    _ entry: ImportBatch.Entry, _ batch: borrowing ImportBatch, _ connection: Connection
  ) throws -> Bool {
    guard rule != .fail else { return false }
    return try batch.text.withUnsafeBytes { text in
      try connection.with("SELECT flags, body FROM docs WHERE id = ?") { statement in
        statement.bind(1, unowned: text.slice(entry.idOffset, entry.idLength))
        guard try statement.step() else { return false }
        let flags = RowFlags(rawValue: statement.integer(0))
        guard !flags.contains(.deleted) else { return false }
        return rule == .skip
          || !flags.contains(.attachments)
            && statement.bytes(1).elementsEqual(text.slice(entry.bodyOffset, entry.bodyLength))
      }
    }
  }

  /// Writes one document the general way; what is wrong with it alone is a problem, not an error.
  private mutating func writeDocument(
    _ general: ImportBatch.GeneralDocument, _ entry: ImportBatch.Entry,
    _ inserter: inout BulkInserter, _ connection: Connection
  ) throws {
    // The record is all or nothing, whatever it is refused for.
    try connection.run("SAVEPOINT record")
    do {
      let document = try staged(general)
      let outcome = try write(document, at: entry, connection)
      try connection.run("RELEASE record")
      switch outcome {
      case .inserted: summary.inserted += 1
      case .updated: summary.updated += 1
      case .skipped: summary.skipped += 1
      }
      if outcome != .skipped { try inserter.refreshSequence() }
    } catch let error as StoreError where error.concernsRecord {
      try connection.run("ROLLBACK TO record")
      try connection.run("RELEASE record")
      report(place.problem(error.importReason, line: entry.line, column: entry.column))
    }
  }

  private func write(
    _ document: Document, at entry: ImportBatch.Entry, _ connection: Connection
  ) throws -> Outcome {
    if DocumentID.isLocal(document.id) {
      var document = document
      document.revision = try store.localDocument(document.id, in: connection)?.revision
      _ = try store.edit(document, in: connection)
      return .inserted
    }
    let old = try store.row(document.id, in: connection)
    guard let old else {
      if document.revision == nil {
        _ = try store.edit(document, in: connection)
      } else {
        // The revision's name is kept, so that stores that have it know it is the same.
        try store.merge(document, in: connection)
      }
      return .inserted
    }
    if document.history != nil { return try merge(document, over: old, connection) }
    return try replace(old, by: document, at: entry, connection)
  }

  private func merge(
    _ document: Document, over old: DocumentRow, _ connection: Connection
  ) throws -> Outcome {
    let isKnown = document.revision.map { old.tree.contains($0) } ?? false
    try store.merge(document, in: connection)
    return isKnown ? .skipped : .updated
  }

  private func replace(
    _ old: DocumentRow, by document: Document, at entry: ImportBatch.Entry,
    _ connection: Connection
  ) throws -> Outcome {
    var document = document
    let wasDeleted = old.flags.contains(.deleted)
    if wasDeleted {
      // A tombstone is no document: the record brings it back.
      guard !document.isDeleted else { return .skipped }
      document.revision = nil
    } else {
      switch rule {
      case .skip: return .skipped
      case .fail:
        throw TransferError.documentExists(
          problem: place.problem(
            "document '\(document.id)' is there already", line: entry.line, column: entry.column),
          id: document.id)
      case .update:
        let isSame =
          !document.isDeleted && document.attachments.isEmpty
          && !old.flags.contains(.attachments) && document.body.bytes == old.body
        if isSame { return .skipped }
        document.revision = old.revision
      }
    }
    _ = try store.edit(document, in: connection)
    return .updated
  }

  // MARK: Attachments in files

  /// The document with the attachments that lie in files brought into the store's blobs.
  private func staged(_ general: ImportBatch.GeneralDocument) throws -> Document {
    var document = general.document
    for (name, path) in general.files {
      guard let index = document.attachments.firstIndex(where: { utf8Equal($0.name, name) }) else {
        continue
      }
      let writer = try store.makeAttachment()
      let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
      defer { block.deallocate() }
      do throws(StoreError) {
        let file = try OpenFile(path, 0)
        while case let count = try file.read(into: block), count > 0 {
          try writer.append(UnsafeRawBufferPointer(rebasing: block[..<count]))
        }
        document.attachments[index].content = .staged(try writer.finish())
      } catch {
        throw StoreError.badRequest("attachment '\(name)' cannot be read from '\(path)'")
      }
    }
    return document
  }
}

extension StoreError {
  /// Whether the error is about the record that was written, so that the others can go on.
  fileprivate var concernsRecord: Bool {
    switch self {
    case .conflict, .invalidDocumentID, .invalidDocument, .badRequest, .missingStub,
      .damagedAttachment, .attachmentNotFound, .documentNotFound:
      true
    default: false
    }
  }
}

extension ImportBatch {
  /// The document of a plain record or a revision, for the general way of writing.
  fileprivate func document(of entry: Entry) -> GeneralDocument {
    text.withUnsafeBytes { text in
      let body = [UInt8](text.slice(entry.bodyOffset, entry.bodyLength))
      var document = Document(
        id: String(decoding: text.slice(entry.idOffset, entry.idLength), as: UTF8.self),
        isDeleted: entry.flags.contains(.deleted), body: DocumentBody(canonical: body))
      guard entry.kind == .revision else { return GeneralDocument(document: document) }
      let end = entry.bodyOffset + entry.bodyLength
      document.revision = RevisionID(encoded: text.slice(end, entry.revisionLength))
      if entry.isMerge, let revision = document.revision {
        let tree = RevisionTree(encoded: text.slice(end + entry.revisionLength, entry.treeLength))
        document.history = entry.treeLength == 0 ? [revision] : tree?.history(of: revision)
      }
      return GeneralDocument(document: document)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The `count` bytes from `offset` on.
  fileprivate func slice(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[offset..<offset + count])
  }
}
