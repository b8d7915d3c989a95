extension LocalStore {
  /// Removes leaves as if they had never been, with those ancestors that no other leaf needs.
  ///
  /// Unlike a deletion a purge leaves no tombstone and does not replicate. A document whose last leaf
  /// goes is gone.
  ///
  /// - Returns: the revisions that were removed, a list for each document asked for, in order.
  /// - Throws: `StoreError` when the store cannot be written.
  @discardableResult
  public func purge(
    _ asked: [(id: String, revisions: [RevisionID])]
  ) throws -> [(id: String, purged: [RevisionID])] {
    try write { connection in
      // Sequences are never given twice, also not that of the last row when it goes.
      try set("sequence_floor", .integer(try lastSequence(in: connection)), in: connection)
      var results: [(id: String, purged: [RevisionID])] = []
      for (id, revisions) in asked {
        guard let row = try row(id, in: connection) else {
          results.append((id, []))
          continue
        }
        var state = DocumentState(id: id, old: row, tree: row.tree)
        var purged: [RevisionID] = []
        for revision in revisions {
          let removed = state.tree.purge(revision)
          if !removed.isEmpty { purged.append(revision) }
          state.removed += removed
        }
        if !purged.isEmpty { try save(state, in: connection) }
        results.append((id, purged))
      }
      let number = try setting("purge_seq", in: connection).flatMap { Int($0) } ?? 0
      try set("purge_seq", .integer(number + 1), in: connection)
      return results
    }
  }

  /// Removes a document with all its revisions, as if it had never been.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  public func purge(_ id: String) throws -> Bool {
    let leaves = try read { connection in
      try row(id, in: connection).map { row in
        row.tree.leaves.map { row.tree.nodes[$0].revision }
      }
    }
    guard let leaves else { return false }
    return try !purge([(id, leaves)]).allSatisfy(\.purged.isEmpty)
  }
}
