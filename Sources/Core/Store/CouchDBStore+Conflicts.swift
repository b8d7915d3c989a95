/// Histories and conflicts of stores that answer no more than CouchDB does.
extension CouchDBStore {
  /// All revisions known of a document: branch by branch, the winner's first, each newest first.
  ///
  /// The leaves tell their ancestors; a question for each leaf tells which of those can be read.
  public func history(of id: String) async throws -> [HistoryEntry] {
    let leaves = try await leaves(of: id)
    guard let winner = leaves.first?.revision else {
      throw StoreError.documentNotFound(id: id, .missing)
    }
    var statuses: [RevisionID: RevisionInfo.Status] = [:]
    for leaf in leaves {
      var options = ReadOptions(revision: leaf.revision)
      options.revisionsInfo = true
      for info in try await document(id, options).annotations.revisionsInfo ?? [] {
        statuses[info.revision] = info.status
      }
    }
    var seen: Set<RevisionID> = []
    return leaves.flatMap { leaf -> [HistoryEntry] in
      let path = leaf.history ?? leaf.revision.map { [$0] } ?? []
      return path.indices.filter { seen.insert(path[$0]).inserted }.map { index in
        let revision = path[index]
        let isLeaf = index == path.startIndex
        return HistoryEntry(
          revision: revision, parent: index + 1 < path.count ? path[index + 1] : nil,
          isDeleted: isLeaf ? leaf.isDeleted : statuses[revision] == .deleted, isLeaf: isLeaf,
          isWinner: revision == winner,
          isAvailable: isLeaf || (statuses[revision] ?? .missing) != .missing)
      }
    }
  }

  /// Ids of the documents that have live leaves beside the winner, by the ids' bytes.
  ///
  /// The changes feed names the leaves of each document, deleted ones as well; those with several are
  /// asked for.
  public func conflictedDocuments() async throws -> [String] {
    var request = ChangesRequest()
    request.allLeaves = true
    request.limit = 1_000
    var options = ReadOptions()
    options.conflicts = true
    var ids: [String] = []
    while true {
      let page = try await changes(request)
      for row in page.rows where row.revisions.count > 1 && !row.isDeleted {
        let document = try await document(row.id, options)
        if document.annotations.conflicts?.isEmpty == false { ids.append(row.id) }
      }
      request.since = page.lastSequence
      guard page.rows.count == request.limit else { return ids.sorted { utf8Less($0, $1) } }
    }
  }

  /// Ends a conflict: one leaf stays, the other live leaves become tombstones.
  ///
  /// - Parameters:
  ///   - id: the document.
  ///   - kept: the leaf to stay; nil for the winner.
  ///   - merged: a body to write over it.
  /// - Returns: the winner afterwards.
  /// - Throws: `StoreError.documentNotFound` when the document or the leaf is not there, `.conflict`
  ///   when `kept` is not a live leaf, or when somebody else changed the document meanwhile.
  @discardableResult
  public func resolve(
    _ id: String, keeping kept: RevisionID?, merged: DocumentBody?
  ) async throws -> RevisionID {
    let live = try await leaves(of: id).filter { !$0.isDeleted }
    guard let current = live.first else { throw StoreError.documentNotFound(id: id, .deleted) }
    guard var winner = live.first(where: { $0.revision == kept ?? current.revision }) else {
      throw StoreError.conflict(id: id, current: current.revision)
    }
    let losers = live.filter { $0.revision != winner.revision }.map {
      Document(id: id, revision: $0.revision, isDeleted: true)
    }
    var writes = losers
    if let merged {
      winner.body = merged
      winner.history = nil
      // First: should it be refused, the losers are still there.
      writes.insert(winner, at: 0)
    }
    var revisions: [RevisionID] = []
    for document in writes { revisions.append(try await put(document)) }
    guard merged != nil, let written = revisions.first else {
      return winner.revision ?? RevisionID(generation: 0, hash: "")
    }
    return written
  }

  /// The newest revision that all live leaves descend from; nil when it cannot be read.
  public func commonAncestor(of id: String) async throws -> Document? {
    let live = try await leaves(of: id).filter { !$0.isDeleted }
    guard var shared = live.first?.history else { return nil }
    for leaf in live.dropFirst() {
      let known = Set(leaf.history ?? [])
      shared = shared.filter { known.contains($0) }
    }
    guard let ancestor = shared.first else { return nil }
    do {
      return try await document(id, ReadOptions(revision: ancestor))
    } catch StoreError.documentNotFound {
      return nil
    }
  }

  /// The leaves with their histories, the winner first.
  private func leaves(of id: String) async throws -> [Document] {
    var options = ReadOptions()
    options.history = true
    let found = try await openRevisions(of: id, .leaves, options).compactMap { answer in
      if case .found(let document) = answer { document } else { nil }
    }
    return found.sorted { left, right in
      guard left.isDeleted == right.isDeleted, let first = left.revision,
        let second = right.revision
      else { return !left.isDeleted }
      return second < first
    }
  }
}
