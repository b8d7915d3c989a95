import Core
import HTTP
import Sync
import TestSupport
import Testing

/// Replications that the server runs for its clients.
@Suite struct ReplicationOrderTests {
  private func withPair(_ body: (RunningListener) async throws -> Void) async throws {
    try await withListener { listener in
      for name in ["a", "b"] { try await listener.ask(.put, "/\(name)") }
      let docs: [JSON] = (1...5).map { ["_id": .string("\($0)"), "n": .integer($0)] }
      try await listener.ask(.post, "/a/_bulk_docs", ["docs": .array(docs)])
      try await body(listener)
    }
  }

  private func order(_ listener: RunningListener, _ more: JSONObject = [:]) -> JSON {
    var members: JSONObject = [
      "source": .string("\(listener.url.appending("a"))"),
      "target": .string("\(listener.url.appending("b"))"),
    ]
    for (key, value) in more { members[key] = value }
    return .object(members)
  }

  /// Asks until the answer is as wanted; gives up with the test's limit of time.
  private func wait(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { await Task.yield() }
  }

  @Test("a run tells what it moved, and the next one what all did")
  func once() async throws {
    try await withPair { listener in
      let first = try await listener.ask(.post, "/_replicate", order(listener))
      #expect(first.status == 200)
      let entry = first.json["history"]?.arrayValue?.first
      #expect(entry?["docs_written"] == 5)
      #expect(entry?["start_last_seq"] == 0)
      #expect(entry?["session_id"] == first.json["session_id"])
      #expect(try await listener.ask(.get, "/b").json["doc_count"] == 5)
      try await listener.ask(.put, "/a/6", [:])
      let second = try await listener.ask(.post, "/_replicate", order(listener))
      #expect(second.json["history"]?.arrayValue?.map { $0["docs_written"] } == [1, 5])
      let third = try await listener.ask(.post, "/_replicate", order(listener))
      #expect(third.json["no_changes"] == true)
    }
  }

  @Test("only what is asked for is moved, to a target that is made when it is not there")
  func chosen() async throws {
    try await withPair { listener in
      let ids = try await listener.ask(
        .post, "/_replicate", order(listener, ["doc_ids": ["1", "%33", "none"]]))
      #expect(ids.json["docs_written"] == 2)
      let reply1 = try await listener.ask(.get, "/b/_all_docs")
      #expect(reply1.ids == ["1", "3"])
      let new: JSON = .string("\(listener.url.appending("new"))")
      let missing = try await listener.ask(.post, "/_replicate", order(listener, ["target": new]))
      #expect(missing.status == 404)
      #expect(missing.error == "db_not_found")
      let made = try await listener.ask(
        .post, "/_replicate",
        order(listener, ["target": new, "create_target": true, "selector": ["n": ["$gt": 4]]]))
      #expect(made.json["ok"] == true)
      let reply2 = try await listener.ask(.get, "/new/_all_docs")
      #expect(reply2.ids == ["5"])
      let both = try await listener.ask(
        .post, "/_replicate", order(listener, ["doc_ids": [], "selector": [:]]))
      #expect(both.status == 400)
    }
  }

  @Test("a continuous replication runs until it is cancelled", .timeLimit(.minutes(1)))
  func continuous() async throws {
    try await withPair { listener in
      let started = try await listener.ask(
        .post, "/_replicate", order(listener, ["continuous": true]))
      #expect(started.status == 202)
      let id = try #require(started.json["_local_id"]?.stringValue)
      let tasks = try await listener.ask(.get, "/_active_tasks")
      #expect(tasks.json.arrayValue?.map { $0["replication_id"] } == [.string(id)])
      #expect(try await listener.ask(.get, "/_scheduler/jobs").json["total_rows"] == 1)
      try await wait { try await listener.ask(.get, "/b").json["doc_count"] == 5 }
      try await listener.ask(.put, "/a/later", [:])
      try await wait { try await listener.ask(.get, "/b/later").status == 200 }
      let cancel: JSON = ["replication_id": .string(id), "cancel": true]
      let reply3 = try await listener.ask(.post, "/_replicate", cancel)
      #expect(reply3.status == 200)
      try await wait { try await listener.ask(.post, "/_replicate", cancel).status == 404 }
      let reply4 = try await listener.ask(.get, "/_active_tasks")
      #expect(reply4.json == [])
    }
  }

  @Test("a document of _replicator is carried out and told so", .timeLimit(.minutes(1)))
  func ordered() async throws {
    try await withPair { listener in
      try await listener.ask(.put, "/_replicator")
      let reply5 = try await listener.ask(.put, "/_replicator/o", order(listener))
      #expect(reply5.status == 201)
      try await wait {
        try await listener.ask(.get, "/_replicator/o").json["_replication_state"] == "completed"
      }
      #expect(try await listener.ask(.get, "/b").json["doc_count"] == 5)
      let row = try await listener.ask(.get, "/_scheduler/docs/_replicator/o").json
      #expect(row["state"] == "completed")
      #expect(row["info"]?["docs_written"] == 5)
    }
  }

  @Test("an order cannot reach this server's databases past their permissions")
  func localOrder() async throws {
    try await withPair { listener in
      try await listener.ask(.put, "/_replicator")
      try await listener.ask(.put, "/_replicator/o", ["source": "a", "target": "b"])
      try await wait {
        try await listener.ask(.get, "/_replicator/o").json["_replication_state"] == "failed"
      }
      #expect(try await listener.ask(.get, "/b").json["doc_count"] == 0)
    }
  }

  @Test("secrets of a replication are shown to nobody")
  func secrets() async throws {
    try await withPair { listener in
      var source = listener.url.appending("a")
      source.user = "somebody"
      source.password = "hushhush"
      try await listener.ask(
        .post, "/_replicate",
        order(listener, ["continuous": true, "source": .string(source.textWithUserInfo)]))
      for target in ["/_active_tasks", "/_scheduler/jobs", "/_scheduler/docs"] {
        let text = try await listener.ask(.get, target).text
        #expect(!text.contains("hushhush"))
      }
    }
  }
}
