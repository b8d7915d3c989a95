extension LocalStore {
  /// Checks everything the store holds: the file, every row, tree, body, digest, blob and index.
  ///
  /// Reads one consistent state while others may go on writing; blobs are read in full.
  ///
  /// - Parameter progress: told now and then how many of how many things are done.
  /// - Returns: what was checked, and what is wrong.
  /// - Throws: `StoreError` when the store cannot be read at all.
  public func verify(progress: ((_ done: Int, _ total: Int) -> Void)? = nil) throws
    -> VerificationReport
  {
    try read { connection in
      var verifier = Verifier(store: self, connection: connection, progress: progress)
      return try verifier.run()
    }
  }
}

/// The state of one verification.
private struct Verifier {
  let store: LocalStore
  let connection: Connection
  let progress: ((Int, Int) -> Void)?
  var report = VerificationReport()
  private var done = 0
  private var total = 0

  init(store: LocalStore, connection: Connection, progress: ((Int, Int) -> Void)?) {
    self.store = store
    self.connection = connection
    self.progress = progress
  }

  mutating func run() throws -> VerificationReport {
    try checkFile()
    // A file that SQLite itself finds broken answers no further question reliably.
    guard report.isSound else { return report }
    total =
      try connection.first(
        "SELECT (SELECT count(*) FROM docs) + (SELECT count(DISTINCT blob) FROM attachments)"
      ) { $0.integer(0) } ?? 0
    try checkDocuments()
    try checkLosingBodies()
    try checkAttachmentRows()
    try checkBlobs()
    report.problems += try store.indexProblems(&report.indexEntries, in: connection)
    return report
  }

  private mutating func note(
    _ kind: VerificationReport.Problem.Kind, _ document: String? = nil, _ detail: String
  ) {
    report.problems.append(.init(kind, document: document, detail))
  }

  private mutating func advance() {
    done += 1
    if done % 1_000 == 0 { progress?(done, total) }
  }

  private mutating func checkFile() throws {
    let lines = try connection.all("PRAGMA integrity_check(20)") { $0.text(0) }
    for line in lines where line != "ok" { note(.file, nil, line) }
    for damage in try connection.damagedPages() { note(.file, nil, damage.detail) }
  }

  // MARK: Documents

  private mutating func checkDocuments() throws {
    try connection.with("SELECT seq, rev, flags, tree, body, id FROM docs") { statement in
      while try statement.step() {
        let id = statement.text(5)
        report.documents += 1
        report.revisions += 1
        advance()
        guard let row = try? store.decodedRow(statement) else {
          note(.revision, id, "its revision tree cannot be read")
          continue
        }
        try check(id, row)
      }
    }
  }

  private mutating func check(_ id: String, _ row: DocumentRow) throws {
    checkBody(row.body, of: id)
    guard let winner = row.tree.winner, winner.revision == row.revision else {
      return note(.revision, id, "its row names revision \(row.revision), which is not the winner")
    }
    var expected: RowFlags = row.flags.intersection(.derived)
    if winner.isDeleted { expected.insert(.deleted) }
    if !row.tree.conflicts.isEmpty { expected.insert(.conflicted) }
    if try store.hasAttachments(id, row.revision, in: connection) { expected.insert(.attachments) }
    if expected != row.flags { note(.document, id, "its flags do not fit its revisions") }
    for leaf in row.tree.leaves.dropFirst() {
      let revision = row.tree.nodes[leaf].revision
      if try store.storedBody(id, revision, in: connection) == nil {
        note(.revision, id, "leaf \(revision) has lost its body")
      }
    }
    guard row.flags.contains(.derived) else { return }
    let derived = try store.derivedRevision(
      of: row.revision, in: row.tree, id: id, body: row.body, connection)
    if derived == row.revision {
      report.proven += 1
    } else {
      note(.document, id, "its content is not what revision \(row.revision) was made of")
    }
  }

  private mutating func checkBody(_ body: [UInt8], of id: String) {
    guard let json = try? JSON(parsing: body), case .object(let members) = json else {
      return note(.document, id, "its body is not a JSON object")
    }
    if json.serializedBytes(.canonical) != body {
      note(.document, id, "its body is not in canonical form")
    }
    let isReserved = members.contains {
      $0.key.utf8.first == UInt8(ascii: "_") && !DocumentBody.replicationMembers.contains($0.key)
    }
    if isReserved {
      note(.document, id, "its body has a reserved member")
    }
  }

  private mutating func checkLosingBodies() throws {
    let rows = "SELECT id, rev, body FROM revisions ORDER BY id"
    var current: (id: String, tree: RevisionTree?) = ("", nil)
    try connection.with(rows) { statement in
      while try statement.step() {
        let id = statement.text(0)
        if id != current.id { current = (id, try? store.row(id, in: connection)?.tree) }
        report.revisions += 1
        checkBody(statement.array(2), of: id)
        let revision = try? store.decodedRevision(statement, column: 1)
        if revision.flatMap({ current.tree?.index(of: $0) }) == nil {
          note(.revision, id, "a body is stored for a revision it does not have")
        }
      }
    }
  }

  // MARK: Attachments

  private mutating func checkAttachmentRows() throws {
    let rows = "SELECT id, rev, name, blob, stored_length FROM attachments ORDER BY id"
    var current: (id: String, tree: RevisionTree?) = ("", nil)
    try connection.with(rows) { statement in
      while try statement.step() {
        let id = statement.text(0)
        if id != current.id { current = (id, try? store.row(id, in: connection)?.tree) }
        report.attachments += 1
        let name = statement.text(2)
        let revision = try? store.decodedRevision(statement, column: 1)
        if revision.flatMap({ current.tree?.index(of: $0) }) == nil {
          note(.attachment, id, "attachment '\(name)' belongs to a revision it does not have")
        }
        switch store.blobs.size(of: BlobID(digest: statement.array(3))) {
        case nil: note(.attachment, id, "the bytes of attachment '\(name)' are gone")
        case statement.integer(4): break
        case .some(let size):
          note(
            .attachment, id,
            "attachment '\(name)' has \(size) bytes instead of \(statement.integer(4))")
        }
      }
    }
  }

  private mutating func checkBlobs() throws {
    let rows = try connection.all("SELECT blob, md5, min(id), name FROM attachments GROUP BY blob")
    {
      (BlobID(digest: $0.array(0)), $0.array(1), $0.text(2), $0.text(3))
    }
    let named = Set(rows.map { store.blobs.fileName(of: $0.0) })
    for (blob, md5, id, name) in rows {
      advance()
      guard store.blobs.size(of: blob) != nil else { continue }
      report.blobs += 1
      if try !isIntact(blob, md5) {
        note(.attachment, id, "the bytes of attachment '\(name)' are damaged")
      }
    }
    var unnamed = 0
    try store.blobs.forEachFile { _, name in
      if name.map({ !named.contains($0) }) ?? true { unnamed += 1 }
    }
    report.unnamedBlobs = unnamed
  }

  private func isIntact(_ blob: BlobID, _ md5: [UInt8]) throws -> Bool {
    var sha256 = SHA256()
    var md5Hasher = MD5()
    do {
      try store.blobs.open(blob).forEachPiece { bytes in
        sha256.update(bytes)
        md5Hasher.update(bytes)
      }
    } catch StoreError.damaged {
      return false
    }
    let (high, low) = md5Hasher.finish()
    let found = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    return sha256.finish() == blob.digest && found == md5
  }
}
