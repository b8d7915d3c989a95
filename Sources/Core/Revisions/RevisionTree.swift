/// The revisions of one document and how they descend from each other.
///
/// Nodes whose parent was stemmed away, or was never seen, are roots; a document may have several.
/// The tree knows names and deletions only; bodies lie in the store.
package struct RevisionTree: Equatable, Sendable {
  package struct Node: Equatable, Sendable {
    package var revision: RevisionID
    /// Index of the parent in `nodes`, nil for a root.
    ///
    /// Parents may stand after their children.
    package var parent: Int?
    package var isDeleted: Bool
    /// Only the name is known: it came as an ancestor, without a body.
    package var isPlaceholder: Bool
  }

  package private(set) var nodes: [Node]

  /// A tree of one revision.
  package init(root: RevisionID, isDeleted: Bool) {
    nodes = [Node(revision: root, parent: nil, isDeleted: isDeleted, isPlaceholder: false)]
  }

  package init(nodes: [Node] = []) { self.nodes = nodes }

  // MARK: Reading

  package func index(of revision: RevisionID) -> Int? {
    nodes.lastIndex { $0.revision == revision }
  }

  package func contains(_ revision: RevisionID) -> Bool { index(of: revision) != nil }

  /// Indexes of the leaves, the winner first, then in falling order of (live, revision).
  package var leaves: [Int] {
    var isParent = [Bool](repeating: false, count: nodes.count)
    for node in nodes { if let parent = node.parent { isParent[parent] = true } }
    return nodes.indices.filter { !isParent[$0] }.sorted { beats(nodes[$0], nodes[$1]) }
  }

  /// The non-deleted leaf with the greatest revision, else the greatest deleted leaf.
  package var winner: Node? { leaves.first.map { nodes[$0] } }

  /// Live leaves other than the winner, the greatest first.
  package var conflicts: [RevisionID] {
    leaves.dropFirst().map { nodes[$0] }.filter { !$0.isDeleted }.map(\.revision)
  }

  /// Deleted leaves other than the winner, the greatest first.
  package var deletedConflicts: [RevisionID] {
    leaves.dropFirst().map { nodes[$0] }.filter(\.isDeleted).map(\.revision)
  }

  package func isLeaf(_ index: Int) -> Bool {
    !nodes.contains { $0.parent == index }
  }

  /// The revision and its known ancestors, newest first; empty when the revision is unknown.
  package func history(of revision: RevisionID) -> [RevisionID] {
    guard let start = index(of: revision) else { return [] }
    return path(from: start).map { nodes[$0].revision }
  }

  /// Indexes of a node and its known ancestors, newest first.
  package func path(from start: Int) -> [Int] {
    var path: [Int] = []
    var next: Int? = start
    while let index = next {
      path.append(index)
      next = nodes[index].parent
    }
    return path
  }

  /// The leaves that descend from a revision, itself included when it is one.
  package func leaves(below revision: RevisionID) -> [Int] {
    guard let top = index(of: revision) else { return [] }
    return leaves.filter { leaf in
      var next = leaf
      while nodes[next].revision.generation > revision.generation {
        guard let parent = nodes[next].parent else { return false }
        next = parent
      }
      return next == top
    }
  }

  /// The latest revision that both leaves descend from, if it is known.
  package func commonAncestor(_ first: RevisionID, _ second: RevisionID) -> RevisionID? {
    let known = Set(history(of: first))
    return history(of: second).first { known.contains($0) }
  }

  private func beats(_ one: Node, _ other: Node) -> Bool {
    one.isDeleted == other.isDeleted ? one.revision > other.revision : other.isDeleted
  }

  // MARK: Changing

  /// What `merge` did with the newest revision of a path.
  package enum MergeOutcome: Equatable, Sendable {
    /// It was there already, with its body.
    case known
    /// It is a new leaf.
    case newLeaf
    /// Its name was known from a descendant; now it has a body.
    case filledIn
  }

  /// Adds a revision and its ancestors, as a replicator brings them.
  ///
  /// - Parameters:
  ///   - path: the revision and its ancestors, newest first, generations falling by one.
  ///   - isDeleted: whether the newest one is a tombstone.
  /// - Returns: what became of the newest one.
  package mutating func merge(_ path: [RevisionID], isDeleted: Bool) -> MergeOutcome {
    precondition(!path.isEmpty, "a path has at least its newest revision")
    let table = table(forAbout: path.count)
    let outcome: MergeOutcome
    var child: Int
    if let known = index(of: path[0], in: table) {
      outcome = nodes[known].isPlaceholder ? .filledIn : .known
      if nodes[known].isPlaceholder {
        nodes[known].isPlaceholder = false
        nodes[known].isDeleted = isDeleted
      }
      child = known
    } else {
      child = nodes.count
      nodes.append(Node(revision: path[0], parent: nil, isDeleted: isDeleted, isPlaceholder: false))
      outcome = .newLeaf
    }
    for ancestor in path.dropFirst() {
      // Where the tree already knows the parent, it knows what lies above it too, or its end.
      if let parent = nodes[child].parent {
        guard nodes[parent].revision == ancestor else { break }
        child = parent
        continue
      }
      let parent = index(of: ancestor, in: table) ?? nodes.count
      if parent == nodes.count {
        nodes.append(Node(revision: ancestor, parent: nil, isDeleted: false, isPlaceholder: true))
      }
      nodes[child].parent = parent
      child = parent
    }
    return outcome
  }

  /// Positions of the nodes by revision, when scanning for so many would be long; else nil.
  private func table(forAbout lookups: Int) -> [RevisionID: Int]? {
    guard nodes.count * lookups > 4_096 else { return nil }
    return Dictionary(
      nodes.enumerated().map { ($0.element.revision, $0.offset) }, uniquingKeysWith: { $1 })
  }

  private func index(of revision: RevisionID, in table: [RevisionID: Int]?) -> Int? {
    guard let table else { return index(of: revision) }
    return table[revision]
  }

  /// Drops ancestors more than `limit` steps from every leaf and returns their names.
  package mutating func stem(to limit: Int) -> [RevisionID] {
    guard nodes.count > limit else { return [] }
    var kept = [Bool](repeating: false, count: nodes.count)
    for leaf in leaves {
      for index in path(from: leaf).prefix(limit) { kept[index] = true }
    }
    return keepOnly(kept)
  }

  /// Removes a leaf and those of its ancestors that no other leaf descends from.
  ///
  /// Returns the names removed; empty when the revision is not a leaf.
  package mutating func purge(_ revision: RevisionID) -> [RevisionID] {
    guard let leaf = index(of: revision), isLeaf(leaf) else { return [] }
    var kept = [Bool](repeating: false, count: nodes.count)
    for other in leaves where other != leaf {
      for index in path(from: other) { kept[index] = true }
    }
    return keepOnly(kept)
  }

  private mutating func keepOnly(_ kept: [Bool]) -> [RevisionID] {
    var removed: [RevisionID] = []
    var moved = [Int?](repeating: nil, count: nodes.count)
    var result: [Node] = []
    for index in nodes.indices {
      if kept[index] {
        moved[index] = result.count
        result.append(nodes[index])
      } else {
        removed.append(nodes[index].revision)
      }
    }
    for index in result.indices {
      result[index].parent = result[index].parent.flatMap { moved[$0] }
    }
    nodes = result
    return removed
  }
}
