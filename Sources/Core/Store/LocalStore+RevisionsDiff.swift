/// What a store lacks of the revisions of one document.
public struct MissingRevisions: Sendable, Hashable {
  /// The revisions it does not have, in the order they were asked for.
  public var missing: [RevisionID]
  /// Leaves it has that are older than a missing one: a writer may leave out attachments that they
  /// already have.
  public var possibleAncestors: [RevisionID]

  /// An answer with its parts.
  public init(
    missing: [RevisionID], possibleAncestors: [RevisionID]
  ) {
    self.missing = missing
    self.possibleAncestors = possibleAncestors
  }
}

extension LocalStore {
  /// Tells which of the given revisions the store lacks; documents it has whole are left out.
  public func missingRevisions(
    _ asked: [(id: String, revisions: [RevisionID])]
  ) throws -> [(id: String, MissingRevisions)] {
    try read { connection in
      try asked.compactMap { id, revisions in
        let tree = try row(id, in: connection)?.tree
        let missing = revisions.filter { tree?.contains($0) != true }
        guard let oldest = missing.map(\.generation).max() else { return nil }
        let ancestors = (tree?.leaves ?? []).compactMap { leaf in
          tree.map { $0.nodes[leaf].revision }
        }
        return (
          id,
          MissingRevisions(
            missing: missing, possibleAncestors: ancestors.filter { $0.generation < oldest })
        )
      }
    }
  }
}
