/// What a compaction did.
public struct CompactionReport: Sendable, Hashable {
  /// Bodies of old revisions that were dropped.
  public var revisions = 0
  /// Attachment files that no revision names any more.
  public var blobs = 0
  /// Their bytes.
  public var blobBytes = 0
  /// Bytes of the database file before and after.
  public var sizeBefore = 0
  /// See `sizeBefore`.
  public var sizeAfter = 0
  /// The attachments were left alone, because another process was writing one.
  public var skippedBlobs = false
  /// The file was not shrunk, because another process was using the store.
  public var skippedVacuum = false
}

extension LocalStore {
  /// Frees what only the past needs: bodies and attachments of revisions that were replaced.
  ///
  /// Names of revisions stay, up to the limit of revisions. Bodies of the common ancestors of open
  /// conflicts stay too, since a merge field by field needs them. Other processes may go on reading
  /// and writing.
  public func compact() throws -> CompactionReport {
    var report = CompactionReport()
    report.sizeBefore = try info().fileSize
    report.revisions = try dropOldRevisions()
    let removed = try blobs.removeUnnamed(keeping: namedBlobs)
    report.blobs = removed?.files ?? 0
    report.blobBytes = removed?.bytes ?? 0
    report.skippedBlobs = removed == nil
    report.skippedVacuum = try !vacuum()
    report.sizeAfter = try info().fileSize
    return report
  }

  /// How many documents are compacted in one transaction, so that others can write in between.
  private static let batchSize = 500

  private func dropOldRevisions() throws -> Int {
    var dropped = 0
    var last = ""
    while true {
      let ids = try write { connection in
        let ids = try connection.all(
          """
          SELECT id FROM revisions WHERE id > ?1 UNION SELECT id FROM attachments WHERE id > ?1
          ORDER BY id LIMIT ?2
          """, .text(last), .integer(Self.batchSize)
        ) { $0.text(0) }
        for id in ids { dropped += try dropOldRevisions(of: id, in: connection) }
        return ids
      }
      guard let end = ids.last else { return dropped }
      last = end
    }
  }

  func dropOldRevisions(of id: String, in connection: Connection) throws -> Int {
    guard let row = try row(id, in: connection) else { return 0 }
    let kept = revisionsToKeep(row.tree)
    let stored = try connection.all(
      """
      SELECT rev FROM revisions WHERE id = ?1 UNION SELECT rev FROM attachments WHERE id = ?1
      """, .text(id)
    ) { try decodedRevision($0, column: 0) }
    let old = stored.filter { !kept.contains($0) }
    for revision in old { try forget(revision, of: id, in: connection) }
    return old.count
  }

  private func revisionsToKeep(_ tree: RevisionTree) -> Set<RevisionID> {
    let leaves = tree.leaves.map { tree.nodes[$0] }
    var kept = Set(leaves.map(\.revision))
    let live = leaves.filter { !$0.isDeleted }
    if let winner = live.first?.revision {
      for other in live.dropFirst() {
        if let ancestor = tree.commonAncestor(winner, other.revision) { kept.insert(ancestor) }
      }
    }
    return kept
  }

  func namedBlobs() throws -> Set<BlobID> {
    try read { connection in
      Set(
        try connection.all("SELECT DISTINCT blob FROM attachments") { BlobID(digest: $0.array(0)) })
    }
  }

  /// Rewrites the file without its free pages; false when another process was in the way.
  private func vacuum() throws -> Bool {
    try access { connection in
      do {
        try connection.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
        return true
      } catch StoreError.busy {
        return false
      }
    }
  }
}
