extension LocalStore {
  /// Reads a document.
  ///
  /// - Throws: `StoreError.documentNotFound`: `missing` when the document, the revision or its body
  ///   is not there, `deleted` when no revision is named and the winner is a tombstone.
  public func document(_ id: String, _ options: ReadOptions = ReadOptions()) throws -> Document {
    try read { connection in
      if DocumentID.isLocal(id) { return try localDocument(id, options, in: connection) }
      let missing = StoreError.documentNotFound(id: id, .missing)
      guard let row = try row(id, in: connection) else { throw missing }
      var wanted = row.revision
      if let named = options.revision {
        guard row.tree.contains(named) else { throw missing }
        wanted = named
      } else if row.flags.contains(.deleted) {
        throw StoreError.documentNotFound(id: id, .deleted)
      }
      guard let document = try document(id, row, wanted, options, in: connection) else {
        throw missing
      }
      return document
    }
  }

  /// Reads several revisions of a document.
  ///
  /// - Throws: `StoreError.documentNotFound` when all leaves are asked for and there is none.
  public func openRevisions(
    of id: String, _ choice: RevisionChoice, _ options: ReadOptions = ReadOptions()
  ) throws -> [OpenRevision] {
    try read { try openRevisions(of: id, choice, options, in: $0) }
  }

  /// Reads revisions of many documents; the answers stand in the order asked.
  public func openRevisions(
    ofEach asked: [(id: String, choice: RevisionChoice)], _ options: ReadOptions = ReadOptions()
  ) throws -> [[OpenRevision]] {
    try read { connection in
      try asked.map { try openRevisions(of: $0.id, $0.choice, options, in: connection) }
    }
  }

  /// Reads revisions of a document within `read`.
  package func openRevisions(
    of id: String, _ choice: RevisionChoice, _ options: ReadOptions, in connection: Connection
  ) throws -> [OpenRevision] {
    guard !DocumentID.isLocal(id), let row = try row(id, in: connection) else {
      switch choice {
      case .leaves: throw StoreError.documentNotFound(id: id, .missing)
      case .named(let revisions), .latest(let revisions): return revisions.map { .missing($0) }
      }
    }
    var answers: [OpenRevision] = []
    for (revision, isKnown) in chosen(choice, in: row.tree) {
      if isKnown, let document = try document(id, row, revision, options, in: connection) {
        answers.append(.found(document))
      } else {
        answers.append(.missing(revision))
      }
    }
    return answers
  }

  private func localDocument(
    _ id: String, _ options: ReadOptions, in connection: Connection
  ) throws -> Document {
    guard var document = try localDocument(id, in: connection),
      options.revision == nil || options.revision == document.revision
    else { throw StoreError.documentNotFound(id: id, .missing) }
    if options.history { document.history = document.revision.map { [$0] } }
    return document
  }

  private func chosen(
    _ choice: RevisionChoice, in tree: RevisionTree
  ) -> [(RevisionID, isKnown: Bool)] {
    var seen: Set<RevisionID> = []
    switch choice {
    case .leaves: return tree.leaves.map { (tree.nodes[$0].revision, true) }
    case .named(let revisions):
      return revisions.filter { seen.insert($0).inserted }.map { ($0, tree.contains($0)) }
    case .latest(let revisions):
      return revisions.flatMap { revision -> [(RevisionID, isKnown: Bool)] in
        let leaves = tree.leaves(below: revision).map { tree.nodes[$0].revision }
        return leaves.isEmpty ? [(revision, false)] : leaves.map { ($0, true) }
      }.filter { seen.insert($0.0).inserted }
    }
  }

  // MARK: Assembling

  /// Makes the document of a revision; nil when its body is not there.
  func document(
    _ id: String, _ row: DocumentRow, _ revision: RevisionID, _ options: ReadOptions,
    in connection: Connection
  ) throws -> Document? {
    let isWinner = revision == row.revision
    let stored = isWinner ? row.body : try storedBody(id, revision, in: connection)
    guard let stored else { return nil }
    let index = row.tree.index(of: revision)
    var document = Document(
      id: id, revision: revision, isDeleted: index.map { row.tree.nodes[$0].isDeleted } ?? false,
      body: DocumentBody(canonical: stored))
    if !isWinner || row.flags.contains(.attachments) {
      document.attachments = try attachments(id, row, revision, options, in: connection)
    }
    document.annotations.attachmentEncoding = options.attachmentEncoding
    if options.history {
      let history = row.tree.history(of: revision)
      // A limit that was lowered counts for readers at once, for the tree at its next write.
      document.history =
        history.count == 1 ? history : Array(history.prefix(try revisionsLimit(in: connection)))
    }
    if options.sequence { document.annotations.sequence = row.sequence }
    if options.revisionsInfo {
      document.annotations.revisionsInfo = try revisionsInfo(id, row, revision, in: connection)
    }
    if options.revision == nil {
      if options.conflicts { document.annotations.conflicts = row.tree.conflicts }
      if options.deletedConflicts {
        document.annotations.deletedConflicts = row.tree.deletedConflicts
      }
    }
    return document
  }

  private func attachments(
    _ id: String, _ row: DocumentRow, _ revision: RevisionID, _ options: ReadOptions,
    in connection: Connection
  ) throws -> [Attachment] {
    let stored = try storedAttachments(id, revision, in: connection)
    guard options.attachmentBytes || options.attachmentBlobs else {
      return stored.map(\.description)
    }
    let known = knownGeneration(options.attachmentsSince, of: revision, in: row.tree)
    let lease = options.attachmentBlobs ? try blobs.lease() : nil
    return try stored.map { one in
      var attachment = one.description
      guard attachment.revisionPosition > known else { return attachment }
      if let lease {
        attachment.content = .staged(
          StagedBlob(
            blob: one.blob, md5: md5Bytes(attachment.digest) ?? [],
            length: attachment.storedLength, store: blobs, lease: lease))
      } else {
        attachment.content = .inline(try AttachmentReader(one, blobs: blobs).bytes())
      }
      return attachment
    }
  }

  /// The generation of the newest revision of the history that the reader says it has; 0 for none.
  private func knownGeneration(
    _ ancestors: [RevisionID], of revision: RevisionID, in tree: RevisionTree
  ) -> Int {
    guard !ancestors.isEmpty else { return 0 }
    let history = Set(tree.history(of: revision))
    return ancestors.filter { history.contains($0) }.map(\.generation).max() ?? 0
  }

  private func revisionsInfo(
    _ id: String, _ row: DocumentRow, _ revision: RevisionID, in connection: Connection
  ) throws -> [RevisionInfo] {
    guard let start = row.tree.index(of: revision) else { return [] }
    return try row.tree.path(from: start).map { index in
      let node = row.tree.nodes[index]
      let isStored =
        try node.revision == row.revision
        || storedBody(id, node.revision, in: connection) != nil
      let status: RevisionInfo.Status =
        !isStored ? .missing : node.isDeleted ? .deleted : .available
      return RevisionInfo(revision: node.revision, status: status)
    }
  }
}
