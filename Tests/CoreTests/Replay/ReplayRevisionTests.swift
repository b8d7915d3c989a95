import Core
import Foundation
import TestSupport
import Testing

/// The recorded generated revisions: not their hashes, but which edits share one.
@Suite struct ReplayRevisionTests {
  /// Cases whose numbers CouchDB cannot tell apart, and we can.
  private static let finerHere: Set = ["denormal"]

  @Test("rev_ids.json: equal edits get equal revisions, in every store and for every id")
  func determinism() async throws {
    let file = try ReplayFile("rev_ids")
    try await withTemporaryDirectory { path in
      let stores = StoreDirectory(path: path)
      let servers = try ["one", "two"].map { (try stores.create($0), ReplayServer(stores)) }
      var revisions: [String: String] = [:]
      var ours: [String: String] = [:]
      var counts = (applied: 0, equal: 0, refused: 0)
      for recorded in file.cases {
        var answers: [ReplayAnswer] = []
        for (store, server) in servers {
          answers.append(try await play(recorded, server, in: store, ours))
        }
        let answer = answers[0]
        counts.applied += 1
        if let status = recorded.json["status"]?.integerValue {
          #expect(answer.status == Int(status), "\(recorded.name)")
        }
        guard let theirs = recorded.json["rev"]?.stringValue else {
          #expect(answer.json?["error"] == recorded.json["error"]?["error"], "\(recorded.name)")
          counts.refused += 1
          continue
        }
        let revision = try #require(answer.json?["rev"]?.stringValue, "\(recorded.name)")
        #expect(answers[1].json == answer.json, "\(recorded.name) differs between stores")
        revisions[recorded.name] = revision
        ours[theirs] = revision
        if let other = recorded.json["same_rev_as"]?.stringValue,
          !Self.finerHere.contains(recorded.name)
        {
          counts.equal += 1
          #expect(revision == revisions[other], "\(recorded.name) is not the same as \(other)")
        }
      }
      print("vectors of rev_ids.json: \(counts)")
      #expect(counts.applied == file.cases.count)
      #expect(counts.equal == 12)
    }
  }

  /// Writes a case's text as it was sent, with our revisions for the recorded ones.
  private func play(
    _ recorded: ReplayCase, _ server: ReplayServer, in store: LocalStore, _ ours: [String: String]
  ) async throws -> ReplayAnswer {
    let id = try #require(recorded.json["id"]?.stringValue)
    func request(_ method: String, _ path: String, _ body: String) -> ReplayRequest {
      ReplayRequest(
        ReplayCase([
          "request": [
            "method": .string(method), "path": .string("/\(store.name)/\(path)"),
            "body_text": .string(body),
          ]
        ])
      ) { text in
        ours.reduce(text) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
      }
    }
    if let parent = recorded.json["parent_rev"]?.stringValue {
      _ = try await server.answer(request("PUT", id, "{\"a\":1}"))
      return try await server.answer(request("DELETE", "\(id)?rev=\(parent)", ""))
    }
    guard let text = recorded.json["body_text"]?.stringValue else {
      // Sent by `_bulk_docs`: the case it equals holds the text.
      let same = try #require(recorded.json["same_rev_as"]?.stringValue)
      let bodies = ["empty": "{}", "one_int": "{\"a\":1}", "order_ab": "{\"a\":1,\"b\":2}"]
      var document = try JSON(parsing: #require(bodies[same]))
      document["_id"] = .string(id)
      let docs: JSON = ["docs": [document]]
      var answer = try await server.answer(request("POST", "_bulk_docs", docs.serialized()))
      answer.json = answer.json?[0]
      return answer
    }
    return try await server.answer(request("PUT", id, text))
  }
}
