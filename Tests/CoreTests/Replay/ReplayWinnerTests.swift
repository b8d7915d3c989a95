import Core
import TestSupport
import Testing

/// The recorded conflict trees: which leaf wins, and what reads tell about the others.
@Suite struct ReplayWinnerTests {
  @Test("winner.json: every tree gives the recorded winner, conflicts and histories")
  func trees() async throws {
    let file = try ReplayFile("winner")
    #expect(file.cases.count == 31)
    try await withTemporaryDirectory { path in
      let stores = StoreDirectory(path: path)
      let server = ReplayServer(stores)
      let store = try stores.create("db")
      var comparison = ReplayComparison()
      var reads = 0
      for tree in file.cases {
        let documents = try (tree.json["writes"]?.arrayValue ?? []).map { try Document(json: $0) }
        for result in try store.write(documents, mode: .revisions) {
          if case .refused(_, let error) = result { Issue.record("\(tree.name): \(error)") }
        }
        for read in tree.json["reads"]?.arrayValue ?? [] {
          reads += 1
          try await check(read, tree.name, server, &comparison)
        }
      }
      print("vectors of winner.json: \(file.cases.count) trees, \(reads) reads applied")
      #expect(reads == 271)
      try await checkAfterAll(file, server, &comparison)
    }
  }

  /// Listing, feed and counts over all the trees.
  private func checkAfterAll(
    _ file: ReplayFile, _ server: ReplayServer, _ comparison: inout ReplayComparison
  ) async throws {
    let after = try #require(file.json["after_all"]?.objectValue)
    #expect(after.count == 3)
    for (name, body) in after {
      let path = name == "db_info_counts" ? "/{db}" : "/{db}/_" + name
      let read: JSON = ["path": .string(path), "status": 200, "body": body]
      try await check(read, "after all", server, &comparison)
    }
  }

  private func check(
    _ read: JSON, _ name: String, _ server: ReplayServer, _ comparison: inout ReplayComparison
  ) async throws {
    let path = try #require(read["path"]?.stringValue)
    let recorded = ReplayCase([
      "name": .string(name),
      "request": [
        "method": "GET", "path": .string("/db" + path.dropFirst("/{db}".count)),
      ],
      "response": ["status": read["status"] ?? .null, "body": read["body"] ?? .null],
    ])
    let answer = try await server.answer(ReplayRequest(recorded) { $0 })
    for problem in comparison.problems(answer, recorded, []) {
      Issue.record("\(name) \(path): \(problem)")
    }
  }
}
