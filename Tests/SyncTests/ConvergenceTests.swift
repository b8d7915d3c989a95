import Core
import Sync
import TestSupport
import Testing

@Suite struct ConvergenceTests {
  @Test("three stores under random edits, deletes and conflicts become equal", arguments: 0..<4)
  func triangle(_ round: Int) async throws {
    var random = SeededGenerator(for: "ConvergenceTests.triangle \(round)")
    try await withTemporaryDirectory { path in
      let directory = StoreDirectory(path: "\(path)")
      let stores = try ["a", "b", "c"].map { try directory.create($0) }
      for _ in 0..<12 {
        for _ in 0..<Int.random(in: 1...15, using: &random) {
          try edit(stores[Int.random(in: 0..<3, using: &random)], &random)
        }
        let from = Int.random(in: 0..<3, using: &random)
        let to = (from + Int.random(in: 1...2, using: &random)) % 3
        var options = ReplicationOptions()
        options.batchSize = Int.random(in: 1...8, using: &random)
        _ = try await Replicator(from: stores[from], to: stores[to], options: options).run()
      }
      for (from, to) in [(0, 1), (1, 2), (2, 0), (0, 1), (1, 2)] {
        let report = try await Replicator(from: stores[from], to: stores[to]).run()
        #expect(report.failureCount == 0)
      }
      let first = try leaves(stores[0])
      #expect(try leaves(stores[1]) == first)
      #expect(try leaves(stores[2]) == first)
      for store in stores { #expect(try store.verify().problems == []) }
    }
  }

  /// One random edit: of a new document, or of a random leaf of a known one.
  private func edit(_ store: LocalStore, _ random: inout SeededGenerator) throws {
    let id = "d\(Int.random(in: 0..<12, using: &random))"
    let text = "t\(Int.random(in: 0..<1_000, using: &random))"
    let history = try? store.history(of: id)
    let live = history?.filter { $0.isLeaf && !$0.isDeleted } ?? []
    guard let leaf = live.randomElement(using: &random) else {
      try write(id, text, to: store, attachment: Bool.random(using: &random) ? text : nil)
      return
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: try store.delete(id, revision: leaf.revision)
    case 1: try store.resolve(id)
    case 2:
      let stub = try store.document(id, ReadOptions(revision: leaf.revision)).attachments
      try store.put(
        Document(
          id: id, revision: leaf.revision, body: try DocumentBody(["text": .string(text)]),
          attachments: stub))
    default: try write(id, text, over: leaf.revision, to: store)
    }
    if Int.random(in: 0..<20, using: &random) == 0 { _ = try store.compact() }
  }
}
