import TestSupport
import Testing

@testable import Core

@Suite struct RevisionPropertyTests {
  /// Merges paths as they come, each with the deletion of its newest revision.
  private func merge(
    _ indexes: some Sequence<Int>, of world: RevisionWorld, into tree: inout RevisionTree
  ) {
    for index in indexes {
      _ = tree.merge(world.path(of: index), isDeleted: world.edits[index].isDeleted)
    }
  }

  @Test("a tree is the same whatever order its revisions come in, and however often")
  func order() {
    var random = SeededGenerator(for: "order of merges")
    for _ in 0..<150 {
      let world = RevisionWorld(count: Int.random(in: 1...40, using: &random), &random)
      var reference = RevisionTree()
      merge(world.edits.indices, of: world, into: &reference)
      #expect(reference.winner?.revision == world.winner)
      #expect(reference.leaves.count == world.leaves.count)
      for _ in 0..<4 {
        var tree = RevisionTree()
        // All leaves and some of the others, some of them twice, in any order.
        let extra = world.edits.indices.filter { _ in Bool.random(using: &random) }
        merge(
          (world.leaves + extra + extra.prefix(3)).shuffled(using: &random), of: world, into: &tree)
        #expect(tree.facts == reference.facts)
        #expect(tree.winner?.revision == world.winner)
        #expect(tree.conflicts == reference.conflicts)
        #expect(tree.deletedConflicts == reference.deletedConflicts)
      }
    }
  }

  @Test("partial histories that overlap join to the same tree in any order")
  func partialHistories() {
    var random = SeededGenerator(for: "partial histories")
    for _ in 0..<150 {
      let world = RevisionWorld(count: Int.random(in: 2...40, using: &random), roots: 1, &random)
      // Every edge is in some piece, so that the whole can be put together.
      let pieces = world.edits.indices.flatMap { index -> [(path: [RevisionID], edit: Int)] in
        let path = world.path(of: index)
        return [(Array(path.prefix(Int.random(in: 2...4, using: &random))), index)]
      }
      var trees: [RevisionTree] = []
      for _ in 0..<3 {
        var tree = RevisionTree()
        for piece in pieces.shuffled(using: &random) {
          _ = tree.merge(piece.path, isDeleted: world.edits[piece.edit].isDeleted)
        }
        trees.append(tree)
      }
      #expect(trees[0].facts == trees[1].facts)
      #expect(trees[0].facts == trees[2].facts)
      #expect(trees[0].winner?.revision == world.winner)
    }
  }

  @Test("stores of one limit that exchange all leaves agree, stemmed as they are")
  func stemmedConvergence() {
    var random = SeededGenerator(for: "stemmed convergence")
    for _ in 0..<40 {
      let world = RevisionWorld(count: Int.random(in: 4...40, using: &random), &random)
      let limit = Int.random(in: 1...6, using: &random)
      var trees = [RevisionTree](repeating: RevisionTree(), count: 3)
      for index in trees.indices {
        for edit in world.edits.indices.shuffled(using: &random).prefix(20) {
          _ = trees[index].merge(world.path(of: edit), isDeleted: world.edits[edit].isDeleted)
          _ = trees[index].stem(to: limit)
        }
      }
      var rounds = 0
      var before: [RevisionTree] = []
      repeat {
        before = trees
        for source in trees.indices {
          for target in trees.indices where target != source {
            for leaf in trees[source].leaves {
              let node = trees[source].nodes[leaf]
              _ = trees[target].merge(
                trees[source].history(of: node.revision), isDeleted: node.isDeleted)
            }
            _ = trees[target].stem(to: limit)
          }
        }
        rounds += 1
      } while trees != before && rounds < 20
      #expect(rounds < 20, "they never come to rest")
      #expect(trees[0].winner?.revision == trees[1].winner?.revision)
      #expect(trees[0].winner?.revision == trees[2].winner?.revision)
      #expect(trees[0].conflicts == trees[1].conflicts)
      #expect(trees[0].conflicts == trees[2].conflicts)
    }
  }

  @Test("stemming keeps every leaf and the given length of its history")
  func stemming() {
    var random = SeededGenerator(for: "stemming")
    for _ in 0..<150 {
      let world = RevisionWorld(count: Int.random(in: 1...50, using: &random), &random)
      var whole = RevisionTree()
      merge(world.edits.indices, of: world, into: &whole)
      let limit = Int.random(in: 1...8, using: &random)
      var tree = whole
      let removed = tree.stem(to: limit)
      #expect(tree.winner?.revision == whole.winner?.revision)
      #expect(tree.conflicts == whole.conflicts)
      #expect(tree.nodes.count + removed.count == whole.nodes.count)
      for leaf in whole.leaves {
        let revision = whole.nodes[leaf].revision
        let kept = tree.history(of: revision)
        #expect(kept.count >= min(limit, whole.history(of: revision).count))
        #expect(kept == Array(whole.history(of: revision).prefix(kept.count)))
      }
      #expect(removed.allSatisfy { !tree.contains($0) })
    }
  }

  @Test("purging every leaf, one after the other, leaves nothing")
  func purging() {
    var random = SeededGenerator(for: "purging")
    for _ in 0..<50 {
      let world = RevisionWorld(count: Int.random(in: 1...30, using: &random), &random)
      var tree = RevisionTree()
      merge(world.edits.indices, of: world, into: &tree)
      for leaf in world.leaves.shuffled(using: &random) {
        let revision = world.edits[leaf].revision
        #expect(tree.purge(revision).contains(revision))
        #expect(tree.purge(revision).isEmpty)
      }
      #expect(tree.nodes.isEmpty)
    }
  }

  @Test("pouchdb#7244: 300 deleted leaves cost a node each, merged singly or together")
  func manyLeaves() throws {
    var random = SeededGenerator(for: "many leaves")
    let root = RevisionID(generation: 1, hash: .digest(1, 1))
    var tree = RevisionTree(root: root, isDeleted: false)
    let leaves = (0..<300).map { _ in
      RevisionID(generation: 2, hash: .digest(random.next(), random.next()))
    }
    for leaf in leaves {
      #expect(tree.merge([leaf, root], isDeleted: true) == .newLeaf)
      #expect(tree.merge([leaf, root], isDeleted: true) == .known)
    }
    #expect(tree.nodes.count == 301)
    #expect(tree.encoded.count < 301 * 24)
    #expect(tree.deletedConflicts.count == 299)
    #expect(tree.leaves(below: root).count == 300)
    #expect(tree.leaves(below: leaves[7]).count == 1)
    #expect(tree.winner?.revision == leaves.max())
  }
}
