import Core
import HTTP
import Sync
import TestSupport
import Testing

/// Partitioned databases, over HTTP.
@Suite struct PartitionTests {
  private func withPartitions(_ body: (RunningListener) async throws -> Void) async throws {
    try await withListener { listener in
      let reply6 = try await listener.ask(.put, "/db?partitioned=true")
      #expect(reply6.status == 201)
      let docs: [JSON] = ["a:1", "a:2", "a:3", "b:1", "ab:1"].map {
        ["_id": .string($0), "text": .string("text of \($0)")]
      }
      try await listener.ask(.post, "/db/_bulk_docs", ["docs": .array(docs)])
      try await body(listener)
    }
  }

  @Test("a database tells that it is partitioned, also when it is opened again")
  func properties() async throws {
    try await withPartitions { listener in
      let info = try await listener.ask(.get, "/db")
      #expect(info.json["props"] == ["partitioned": true])
      #expect(try listener.stores.open("db").isPartitioned)
      try await listener.ask(.put, "/plain")
      #expect(try await listener.ask(.get, "/plain").json["props"] == [:])
      let bad = try await listener.ask(.put, "/other?partitioned=yes")
      #expect(bad.status == 400)
      #expect(bad.reason == "Invalid `partitioned` parameter")
    }
  }

  @Test(
    "a document's id names its partition and its key",
    arguments: [
      ("nowhere", "Doc id must be of form partition:id"),
      (":key", "Partition must not be empty"),
      ("p:", "Document id must not be empty"),
    ])
  func illegalID(id: String, reason: String) async throws {
    try await withPartitions { listener in
      let put = try await listener.ask(.put, "/db/\(id)", [:])
      #expect(put.status == 400)
      #expect(put.json == ["error": "illegal_docid", "reason": .string(reason)])
      let bulk = try await listener.ask(.post, "/db/_bulk_docs", ["docs": [["_id": .string(id)]]])
      #expect(bulk.json == put.json)
      let purge = try await listener.ask(.post, "/db/_purge", .object([id: ["1-a"]]))
      #expect(purge.json == put.json)
    }
  }

  @Test("design and local documents belong to no partition")
  func unpartitioned() async throws {
    try await withPartitions { listener in
      let reply7 = try await listener.ask(.put, "/db/_design/x", [:])
      #expect(reply7.status == 201)
      let reply8 = try await listener.ask(.put, "/db/_local/x", [:])
      #expect(reply8.status == 201)
      #expect(try await listener.ask(.get, "/db/_partition/a").json["doc_count"] == 3)
    }
  }

  @Test("a partition lists its own documents, whatever is asked")
  func listing() async throws {
    try await withPartitions { listener in
      let all = "/db/_partition/a/_all_docs"
      let reply9 = try await listener.ask(.get, all)
      #expect(reply9.ids == ["a:1", "a:2", "a:3"])
      let reply10 = try await listener.ask(.get, all + "?descending=true&limit=1")
      #expect(reply10.ids == ["a:3"])
      let reply11 = try await listener.ask(.get, all + "?startkey=%22a:2%22")
      #expect(reply11.ids == ["a:2", "a:3"])
      let reply12 = try await listener.ask(.get, all + "?skip=2")
      #expect(reply12.ids == ["a:3"])
      let keys = try await listener.ask(.post, all, ["keys": ["a:3", "b:1"]])
      #expect(keys.ids == ["a:3"])
      #expect(keys.json["rows"]?.arrayValue?.count == 2)
    }
  }

  @Test("a partition is searched alone, by indexes that are made for partitions")
  func search() async throws {
    try await withPartitions { listener in
      try await listener.ask(.post, "/db/_index", ["index": ["fields": ["text"]], "name": "t"])
      try await listener.ask(
        .post, "/db/_index",
        ["index": ["fields": ["text"]], "name": "g", "ddoc": "g", "partitioned": false])
      let query: JSON = ["selector": ["text": ["$gt": ""]]]
      let found = try await listener.ask(.post, "/db/_partition/a/_find", query)
      let ids = found.json["docs"]?.arrayValue?.compactMap { $0["_id"]?.stringValue }
      #expect(ids == ["a:1", "a:2", "a:3"])
      let all = try await listener.ask(.post, "/db/_find", query)
      #expect(all.json["docs"]?.arrayValue?.count == 5)
      let inside = try await listener.ask(.post, "/db/_partition/a/_explain", query).json
      #expect(inside["index"]?["name"] == "t")
      #expect(inside["mrargs"]?["partition"] == "a")
      #expect(inside["selector"] == ["text": ["$gt": ""]])
      let outside = try await listener.ask(.post, "/db/_explain", query).json
      #expect(outside["index"]?["name"] == "g")
      #expect(outside["partitioned"] == false)
    }
  }

  @Test("a partition's size follows its documents")
  func sizes() async throws {
    try await withPartitions { listener in
      let before = try await listener.ask(.get, "/db/_partition/a").json
      try await listener.ask(.put, "/db/a:4", ["text": "more"])
      try await listener.ask(.put, "/db/b:4", ["text": "elsewhere"])
      let after = try await listener.ask(.get, "/db/_partition/a").json
      #expect(after["doc_count"] == 4)
      let grown = try #require(after["sizes"]?["external"]?.integerValue)
      #expect(grown > (before["sizes"]?["external"]?.integerValue ?? 0))
      let others = try await listener.ask(.get, "/db/_partition/b").json
      let third = try await listener.ask(.get, "/db/_partition/ab").json
      let whole = try await listener.ask(.get, "/db").json["sizes"]?["external"]?.integerValue
      let parts = [after, others, third].compactMap { $0["sizes"]?["external"]?.integerValue }
      #expect(whole == parts.reduce(0, +))
    }
  }

  @Test(
    "what is no partition is refused",
    arguments: [
      ("/db/_partition", "bad_request"), ("/db/_partition/_x/_all_docs", "illegal_partition"),
      ("/plain/_partition/x", "bad_request"),
    ])
  func refusal(target: String, error: String) async throws {
    try await withPartitions { listener in
      try await listener.ask(.put, "/plain")
      let answer = try await listener.ask(.get, target)
      #expect(answer.status == 400)
      #expect(answer.error == error)
    }
  }
}
