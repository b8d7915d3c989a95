import Core
import HTTP
import Sync
import TestSupport
import Testing

/// Parameters of listings and feeds.
@Suite struct ListingTests {
  private func withDatabase(_ body: (RunningListener) async throws -> Void) async throws {
    try await withListener { listener in
      try await listener.ask(.put, "/db")
      let docs: [JSON] = ["a", "m", "z", "_design/d"].map { ["_id": .string($0)] }
      try await listener.ask(.post, "/db/_bulk_docs", ["docs": .array(docs)])
      try await body(listener)
    }
  }

  @Test("a parameter of the query outweighs one of the body")
  func precedence() async throws {
    try await withDatabase { listener in
      let both = try await listener.ask(.post, "/db/_all_docs?limit=1", ["limit": 3])
      #expect(both.ids.count == 1)
      let body = try await listener.ask(.post, "/db/_all_docs", ["descending": "true", "limit": 1])
      #expect(body.ids == ["z"])
    }
  }

  @Test(
    "keys that are no strings lie before all ids",
    arguments: [
      ("startkey=0", 4), ("startkey=[1,2]", 4), ("startkey={}", 4), ("endkey=false", 0),
      ("endkey=[]", 0), ("startkey=0&descending=true", 0), ("endkey=0&descending=true", 4),
    ])
  func otherKeys(query: String, count: Int) async throws {
    try await withDatabase { listener in
      let encoded = PercentEncoding.encode(query, keeping: "=&")
      let reply13 = try await listener.ask(.get, "/db/_all_docs?" + encoded)
      #expect(reply13.ids.count == count)
    }
  }

  @Test("keys of other documents find no design document")
  func designKeys() async throws {
    try await withDatabase { listener in
      let answer = try await listener.ask(
        .post, "/db/_design_docs", ["keys": ["_design/d", "a"]])
      #expect(answer.ids == ["_design/d"])
    }
  }

  @Test("a filter function is looked for before it is refused")
  func filters() async throws {
    try await withDatabase { listener in
      func changes(_ filter: String) async throws -> ListenerReply {
        try await listener.ask(.get, "/db/_changes?filter=" + filter)
      }
      #expect(try await changes("nothing/f").reason == "missing")
      #expect(try await changes("d/f").status == 404)
      try await listener.ask(.put, "/db/_design/e", ["filters": ["f": "function() {}"]])
      #expect(try await changes("e/g").reason == "missing json key: g")
      #expect(try await changes("e/f").status == 501)
      #expect(try await changes("_other").status == 400)
    }
  }

  @Test("a browser's stream goes on where it was")
  func lastEvent() async throws {
    try await withDatabase { listener in
      let rows = try await listener.ask(.get, "/db/_changes").json["results"]?.arrayValue
      let sequence = try #require(rows?[1]["seq"]?.stringValue)
      let stream = try await listener.ask(
        .get, "/db/_changes?feed=eventsource&timeout=1&since=0",
        headers: ["Last-Event-ID": sequence])
      #expect(stream.text.split(separator: "\n").filter { $0.hasPrefix("data:") }.count == 2)
    }
  }

  @Test("the number of remembered purges is kept for those who ask")
  func purgedInfosLimit() async throws {
    try await withDatabase { listener in
      let reply14 = try await listener.ask(.get, "/db/_purged_infos_limit")
      #expect(reply14.json == 1000)
      let reply15 = try await listener.ask(.put, "/db/_purged_infos_limit", 5)
      #expect(reply15.status == 200)
      let reply16 = try await listener.ask(.get, "/db/_purged_infos_limit")
      #expect(reply16.json == 5)
      let reply17 = try await listener.ask(.put, "/db/_purged_infos_limit", 0)
      #expect(reply17.status == 400)
    }
  }
}
