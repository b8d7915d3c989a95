/// One revision of a document, as a history shows it.
public struct HistoryEntry: Sendable, Hashable {
  /// The revision.
  public var revision: RevisionID
  /// The revision it replaced; nil when that is not known.
  public var parent: RevisionID?
  /// It is a tombstone.
  public var isDeleted: Bool
  /// Nothing replaced it yet.
  public var isLeaf: Bool
  /// It is what a read answers.
  public var isWinner: Bool
  /// Its body can be read.
  public var isAvailable: Bool
}

extension LocalStore {
  /// All revisions known of a document: branch by branch, the winner's first, each newest first.
  ///
  /// - Throws: `StoreError.documentNotFound` when the store never had the document.
  public func history(of id: String) throws -> [HistoryEntry] {
    try read { connection in
      guard let row = try row(id, in: connection) else {
        throw StoreError.documentNotFound(id: id, .missing)
      }
      let tree = row.tree
      var seen: Set<Int> = []
      return try tree.leaves.flatMap { leaf in
        try tree.path(from: leaf).filter { seen.insert($0).inserted }.map { index in
          let node = tree.nodes[index]
          let isWinner = node.revision == row.revision
          return HistoryEntry(
            revision: node.revision, parent: node.parent.map { tree.nodes[$0].revision },
            isDeleted: node.isDeleted, isLeaf: index == leaf, isWinner: isWinner,
            isAvailable: try isWinner
              || storedBody(id, node.revision, in: connection) != nil)
        }
      }
    }
  }

  /// Ids of the documents that have live leaves beside the winner, by the ids' bytes.
  public func conflictedDocuments() throws -> [String] {
    try read { connection in
      try connection.all("SELECT id FROM docs WHERE flags & 2 ORDER BY id") { $0.text(0) }
    }
  }

  /// Ends a conflict: one leaf stays, the other live leaves become tombstones.
  ///
  /// - Parameters:
  ///   - id: the document.
  ///   - kept: the leaf to stay; nil for the winner.
  ///   - merged: a body to write over it, when neither is right as it is.
  /// - Returns: the winner afterwards.
  /// - Throws: `StoreError.documentNotFound` when the document or the leaf is not there,
  ///   `.conflict` when `kept` is not a live leaf.
  @discardableResult
  public func resolve(
    _ id: String, keeping kept: RevisionID? = nil, merged: DocumentBody? = nil
  ) throws -> RevisionID {
    try write { connection in
      guard let row = try row(id, in: connection) else {
        throw StoreError.documentNotFound(id: id, .missing)
      }
      let kept = kept ?? row.revision
      guard let index = row.tree.index(of: kept) else {
        throw StoreError.documentNotFound(id: id, .missing)
      }
      let live = row.tree.leaves.map { row.tree.nodes[$0] }.filter { !$0.isDeleted }
      guard live.contains(row.tree.nodes[index]) else {
        throw StoreError.conflict(id: id, current: row.revision)
      }
      for loser in live where loser.revision != kept {
        _ = try edit(
          Document(id: id, revision: loser.revision, isDeleted: true), in: connection)
      }
      guard let merged else { return kept }
      let attachments = try storedAttachments(id, kept, in: connection).map(\.description)
      return try edit(
        Document(id: id, revision: kept, body: merged, attachments: attachments), in: connection)
    }
  }

  /// The body of the newest revision that all live leaves descend from; nil when it is not known or
  /// no longer stored.
  ///
  /// Merging field by field needs it.
  public func commonAncestor(of id: String) throws -> Document? {
    try read { connection in
      guard let row = try row(id, in: connection) else { return nil }
      let live = row.tree.leaves.map { row.tree.nodes[$0] }.filter { !$0.isDeleted }
      guard let first = live.first?.revision else { return nil }
      var shared = row.tree.history(of: first)
      for leaf in live.dropFirst() {
        let known = Set(row.tree.history(of: leaf.revision))
        shared = shared.filter { known.contains($0) }
      }
      guard let ancestor = shared.first else { return nil }
      return try document(id, row, ancestor, ReadOptions(revision: ancestor), in: connection)
    }
  }
}
