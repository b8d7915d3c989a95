import Core
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Sync

/// The documents in which replications remember how far they came.
@Suite struct CheckpointTests {
  private func checkpoint(_ store: LocalStore) throws -> Document {
    try #require(try store.localDocuments().first { $0.id.count == "_local/".count + 32 })
  }

  @Test("a checkpoint has the shape that CouchDB's replicator writes")
  func shape() async throws {
    try await withTwoStores { left, right in
      try fill(left, count: 3)
      _ = try await Replicator(from: left, to: right).run()
      let members = try checkpoint(right).body.members
      #expect(members["replication_id_version"] == 4)
      #expect(members["source_last_seq"] == 3)
      let entry = try #require(members["history"]?.arrayValue?.first)
      #expect(entry["session_id"] == members["session_id"])
      for key in [
        "start_last_seq", "end_last_seq", "recorded_seq", "missing_checked", "missing_found",
        "docs_read", "docs_written", "doc_write_failures",
      ] {
        #expect(entry[key]?.integerValue != nil, "\(key)")
      }
      for key in ["start_time", "end_time"] {
        #expect(HTTPDate.parse(entry[key]?.stringValue ?? "") != nil)
      }
      #expect(try checkpoint(left).body.members["session_id"] == members["session_id"])
    }
  }

  @Test("fifty runs are remembered, the newest first")
  func history() async throws {
    try await withTwoStores { left, right in
      for index in 0..<55 {
        try write("d\(index)", "x", to: left)
        _ = try await Replicator(from: left, to: right).run()
      }
      let history = try #require(try checkpoint(left).body.members["history"]?.arrayValue)
      #expect(history.count == 50)
      #expect(history.first?["recorded_seq"] == 55 && history.last?["recorded_seq"] == 6)
    }
  }

  @Test("the newest session that both sides know counts", arguments: [0, 1, 2])
  func commonSession(_ lost: Int) throws {
    func document(_ sessions: [(String, Int)]) throws -> Checkpoint {
      let history = sessions.map { id, seq -> JSON in
        ["session_id": .string(id), "recorded_seq": .integer(Int64(seq))]
      }
      return Checkpoint(
        Document(
          id: "_local/x",
          body: try DocumentBody([
            "session_id": history[0]["session_id"] ?? .null,
            "source_last_seq": history[0]["recorded_seq"] ?? .null, "history": .array(history),
          ])))
    }
    let all = [("c", 30), ("b", 20), ("a", 10)]
    let source = try document(all)
    let target = try document([("z", 99)] + all.dropFirst(lost))
    #expect(Checkpoint.common(source: source, target: target)?.number == all[lost].1)
  }

  @Test(
    "documents that other programs left under the same name are tolerated",
    arguments: [
      #"{"last_seq":"5-x","session_id":"A","history":[{"last_seq":"5-x","session_id":"A"}],"replicator":"pouchdb","version":1}"#,
      #"{"history":"none","session_id":7}"#, #"{"history":[1,null,{"session_id":"x"}]}"#, "{}",
    ])
  func foreign(_ text: String) async throws {
    try await withTwoStores { left, right in
      try fill(left, count: 3)
      let id = ReplicationID(source: left.identity, target: right.identity, filter: .null)
      let members = try #require(try JSON(parsing: Array(text.utf8)).objectValue)
      for store in [left, right] {
        try store.put(Document(id: id.documentID, body: try DocumentBody(members)))
      }
      #expect(try await Replicator(from: left, to: right).run().written == 3)
      #expect(try await Replicator(from: left, to: right).run().checked == 0)
    }
  }

  @Test("pouchdb#130, #1102: a run that changes nothing leaves the checkpoint, and never goes back")
  func unchanged() async throws {
    try await withTwoStores { left, right in
      try fill(left, count: 3)
      for _ in 0..<3 { _ = try await Replicator(from: left, to: right).run() }
      #expect(try checkpoint(right).body.members["history"]?.arrayValue?.count == 1)
      #expect(try checkpoint(right).body.members["source_last_seq"] == 3)
    }
  }

  @Test("pouchdb#6916: 'since' counts without checkpoints, and nothing is written down")
  func since() async throws {
    try await withTwoStores { left, right in
      try fill(left, count: 5)
      var options = ReplicationOptions()
      options.usesCheckpoints = false
      options.since = 3
      #expect(try await Replicator(from: left, to: right, options: options).run().written == 2)
      #expect(try right.localDocuments().isEmpty && left.localDocuments().isEmpty)
    }
  }

  @Test("what was moved before a failure is not looked at again")
  func recordedBeforeFailure() async throws {
    try await withTwoStores { left, right in
      try fill(left, count: 40)
      var options = ReplicationOptions()
      options.batchSize = 5
      let target = FaultyStore(right)
      target.fault.withLock {
        $0.throwing = { [unowned target] name in
          if name == "write", target.count("write") > 4 { throw StoreError.diskFull(path: "x") }
        }
      }
      await #expect(throws: StoreError.diskFull(path: "x")) {
        try await Replicator(from: left, to: target, options: options).run()
      }
      let again = try await Replicator(from: left, to: right, options: options).run()
      #expect(again.startSequence.number ?? 0 >= 5)
      #expect(try leaves(left) == leaves(right))
    }
  }
}

/// What makes two replications the same.
@Suite struct ReplicationIDTests {
  private func id(
    _ url: String, _ change: (inout ReplicationOptions) throws -> Void = { _ in }
  ) throws -> ReplicationID {
    let remote = RemoteStore(try WebURL(url), client: try HTTPClient())
    var options = ReplicationOptions()
    try change(&options)
    return ReplicationID(source: remote.identity, target: "uuid", filter: options.identityJSON)
  }

  @Test(
    "neither the password, nor TLS, nor a default port, nor a slash makes another replication",
    arguments: [
      "http://joe:other@host/db", "https://host/db", "http://host:80/db", "http://host:5984/db",
      "https://host:443/db", "https://host:6984/db", "http://HOST/db/",
    ])
  func same(_ url: String) throws {
    #expect(try id(url) == id("http://host/db"))
  }

  @Test(
    "another host, port or path does",
    arguments: ["http://host2/db", "http://host:8080/db", "http://host/db2", "http://host/x/db"])
  func other(_ url: String) throws {
    #expect(try id(url) != id("http://host/db"))
  }

  @Test("the filter, the selector, the ids and 'since' do; the batch size and the mode do not")
  func options() throws {
    let url = "http://host/db"
    let changes: [(inout ReplicationOptions) throws -> Void] = [
      { _ in }, { $0.ids = ["a"] }, { $0.ids = ["a", "b"] },
      { $0.selector = try Selector(["a": 1]) }, { $0.selector = try Selector(["a": 2]) },
      {
        $0.selector = try Selector(["a": 1])
        $0.movesEveryTombstone = true
      },
      { $0.filter = DesignFilter(name: "a/b") },
      { $0.filter = DesignFilter(name: "a/b", parameters: ["x": "1"]) },
      { $0.since = 5 },
    ]
    let ids = try changes.map { try id(url, $0) }
    #expect(Set(ids).count == ids.count)
    #expect(try id(url) { $0.ids = ["b", "a"] } == id(url) { $0.ids = ["a", "b"] })
    let continuous = try id(url) {
      $0.isContinuous = true
      $0.batchSize = 7
    }
    #expect(continuous == ids[0])
  }
}
