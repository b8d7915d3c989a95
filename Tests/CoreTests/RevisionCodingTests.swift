import TestSupport
import Testing

@testable import Core

@Suite struct RevisionCodingTests {
  private func decoded(_ bytes: [UInt8]) -> RevisionTree? {
    bytes.withUnsafeBytes { RevisionTree(encoded: $0) }
  }

  private func tree(_ random: inout SeededGenerator, upTo count: Int) -> RevisionTree {
    let world = RevisionWorld(count: Int.random(in: 1...count, using: &random), &random)
    var tree = RevisionTree()
    for index in world.edits.indices where index == 0 || Int.random(in: 0..<3, using: &random) > 0 {
      _ = tree.merge(world.path(of: index), isDeleted: world.edits[index].isDeleted)
    }
    return tree
  }

  @Test("a tree reads back as it was written")
  func treeRoundTrip() throws {
    var random = SeededGenerator(for: "tree coding")
    for _ in 0..<300 {
      var tree = tree(&random, upTo: 60)
      if Bool.random(using: &random) { _ = tree.stem(to: Int.random(in: 1...5, using: &random)) }
      let copy = try #require(decoded(tree.encoded))
      #expect(copy.facts == tree.facts)
      #expect(copy.winner == nil || copy.winner?.revision == tree.winner?.revision)
      #expect(
        Set(copy.nodes.map { "\($0.revision) \($0.isDeleted) \($0.isPlaceholder)" })
          == Set(tree.nodes.map { "\($0.revision) \($0.isDeleted) \($0.isPlaceholder)" }))
      // Written again it is the same, byte by byte.
      #expect(copy.encoded == tree.encoded)
    }
  }

  @Test("a straight history of digests costs 17 bytes a revision")
  func compactness() {
    var tree = RevisionTree()
    let path = (1...1_000).reversed().map {
      RevisionID(generation: $0, hash: .digest(UInt64($0), 7))
    }
    _ = tree.merge(path, isDeleted: false)
    #expect(tree.encoded.count <= 17 * 1_000 + 2)
  }

  @Test("bytes that were changed or cut give another tree or none, and never a crash")
  func corruptedTrees() {
    var random = SeededGenerator(for: "corrupted trees")
    for _ in 0..<300 {
      var bytes = tree(&random, upTo: 20).encoded
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
        case 1: bytes.append(UInt8(truncatingIfNeeded: random.next()))
        case 2: bytes = (0..<30).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        default:
          guard let index = bytes.indices.randomElement(using: &random) else { continue }
          bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
      }
      guard var tree = decoded(bytes) else { continue }
      // Whatever came out can be used.
      let winner = tree.winner
      #expect(winner != nil)
      _ = (tree.conflicts, tree.deletedConflicts, tree.encoded)
      for node in tree.nodes {
        #expect(!tree.history(of: node.revision).isEmpty)
        _ = tree.leaves(below: node.revision)
      }
      if let winner {
        let (parent, overflows) = winner.revision.generation.addingReportingOverflow(1)
        guard !overflows else { continue }
        let child = RevisionID(generation: parent, hash: "child")
        _ = tree.merge([child] + tree.history(of: winner.revision), isDeleted: false)
        #expect(tree.contains(child))
      }
      _ = tree.stem(to: 2)
    }
  }

  @Test("a revision reads back from its column and from its text")
  func revisionRoundTrip() throws {
    var random = SeededGenerator(for: "revision coding")
    for _ in 0..<1_000 {
      let generation = Int.random(
        in: 0..<(1 << Int.random(in: 1...53, using: &random)), using: &random)
      let revision = random.revision(generation: generation)
      #expect(RevisionID(revision.description) == revision)
      #expect(revision.encoded.withUnsafeBytes { RevisionID(encoded: $0) } == revision)
      var bytes = revision.encoded
      bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
        1 << UInt8.random(in: 0..<8, using: &random)
      _ = bytes.prefix(Int.random(in: 0...bytes.count, using: &random)).withUnsafeBytes {
        RevisionID(encoded: $0)
      }
    }
  }

  @Test("revisions order by generation, then by the bytes of the hash")
  func order() {
    var random = SeededGenerator(for: "revision order")
    func bytes(_ revision: RevisionID) -> [UInt8] {
      let text = revision.hashText
      guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
        let low = UInt64(text.suffix(16), radix: 16)
      else { return Array(text.utf8) }
      return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }
    for _ in 0..<1_000 {
      let one = random.revision(generation: Int.random(in: 1...3, using: &random))
      let other = random.revision(generation: Int.random(in: 1...3, using: &random))
      let isLess =
        one.generation == other.generation
        ? bytes(one).lexicographicallyPrecedes(bytes(other)) : one.generation < other.generation
      #expect((one < other) == isLess, "\(one) \(other)")
      #expect((one == other) == (!(one < other) && !(other < one)), "\(one) \(other)")
    }
  }

  @Test(
    "what is no revision is not read as one",
    arguments: [
      "", "-", "1", "1-", "-a", "a-b", "+1-a", " 1-a", "1 -a", "1.0-a", "0x1-a", "١-a",
      "9007199254740993-a", "9223372036854775807-a", "99999999999999999999-a",
    ])
  func malformed(_ text: String) {
    #expect(RevisionID(text) == nil)
  }

  @Test("upper-case digests are lowered, other hashes kept")
  func spelling() {
    let digits = String(repeating: "A", count: 32)
    #expect(RevisionID("1-" + digits)?.description == "1-" + digits.lowercased())
    #expect(RevisionID("1-ABC")?.description == "1-ABC")
    #expect(RevisionID("007-a")?.description == "7-a")
    #expect(RevisionID("1-a-b")?.hashText == "a-b")
    #expect(RevisionID("1-é") != RevisionID("1-e\u{301}"))
  }

  @Test("an edit on top of the greatest generation is still a revision that reads back")
  func greatestGeneration() throws {
    try withStores { stores in
      let store = try stores.create("g")
      let greatest = RevisionID(generation: RevisionID.maximumGeneration, hash: "x")
      var revision = try store.put(Document(id: "d", revision: greatest))
      revision = try store.put(Document(id: "d", revision: revision))
      #expect(try store.document("d").revision == revision)
      #expect(revision.generation == RevisionID.maximumGeneration + 2)
    }
  }
}
