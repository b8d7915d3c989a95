import TestSupport

@testable import Core

/// A random history of one document, as if many stores had edited it: what each may bring is a path
/// from a revision down to the first one.
struct RevisionWorld {
  struct Edit: Equatable {
    var revision: RevisionID
    var parent: Int?
    var isDeleted: Bool
  }

  private(set) var edits: [Edit] = []

  /// Makes up to `count` edits, at least one.
  init(count: Int, roots: Int = 2, _ random: inout SeededGenerator) {
    for _ in 0..<count {
      let index = edits.count
      let isRoot = index == 0 || Int.random(in: 0..<count, using: &random) < roots - 1
      // Mostly on what is recent, so that there are long branches as well as many.
      let reach = Bool.random(using: &random) ? 2 : index
      let parent = isRoot ? nil : Int.random(in: max(0, index - reach)..<index, using: &random)
      let generation = parent.map { edits[$0].revision.generation + 1 } ?? 1
      let revision = random.revision(generation: generation)
      guard !edits.contains(where: { $0.revision == revision }) else { continue }
      edits.append(
        Edit(
          revision: revision, parent: parent, isDeleted: Int.random(in: 0..<4, using: &random) == 0)
      )
    }
  }

  /// The revision and its ancestors, newest first.
  func path(of index: Int) -> [RevisionID] {
    var path: [RevisionID] = []
    var next: Int? = index
    while let current = next {
      path.append(edits[current].revision)
      next = edits[current].parent
    }
    return path
  }

  /// Positions of the edits that nothing replaced.
  var leaves: [Int] {
    let parents = Set(edits.compactMap(\.parent))
    return edits.indices.filter { !parents.contains($0) }
  }

  /// The leaf that wins by the rule as it is written: live before deleted, then the longer history,
  /// then the greater hash.
  var winner: RevisionID? {
    func rank(_ edit: Edit) -> (Int, Int, [UInt8]) {
      (edit.isDeleted ? 0 : 1, edit.revision.generation, edit.revision.hash.bytes)
    }
    let best = leaves.map { edits[$0] }.max { one, other in
      let (a, b) = (rank(one), rank(other))
      if a.0 != b.0 { return a.0 < b.0 }
      if a.1 != b.1 { return a.1 < b.1 }
      return a.2.lexicographicallyPrecedes(b.2)
    }
    return best?.revision
  }
}

extension SeededGenerator {
  /// A random revision; hashes are digests, digests that differ in one digit, or short texts.
  mutating func revision(generation: Int) -> RevisionID {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: return RevisionID(generation: generation, hash: .digest(0, next() & 0xff))
    case 1:
      let texts = ["a", "aa", "zz", "é", "e\u{301}", "-", "1-1", "A0", "日", "f0"]
      let text = texts.randomElement(using: &self) ?? "a"
      return RevisionID(generation: generation, hash: text + String(next() & 0xf))
    default: return RevisionID(generation: generation, hash: .digest(next(), next()))
    }
  }
}

extension RevisionTree {
  /// What a tree says, whatever the order of its nodes.
  var facts: Set<String> {
    let leaves = Set(self.leaves)
    return Set(
      nodes.indices.map { index in
        let node = nodes[index]
        let parent = node.parent.map { nodes[$0].revision.description } ?? "none"
        // Of an ancestor that came as a name only, nobody knows whether it was a tombstone.
        let state = leaves.contains(index) ? "leaf deleted=\(node.isDeleted)" : "interior"
        return "\(node.revision) of \(parent) \(state)"
      })
  }
}
