import Core
import HTTP
import Sync
import TestSupport
import Testing

/// Routes and forms that no recorded file covers.
@Suite struct ListenerRouteTests {
  private func documents(_ count: Int, _ store: LocalStore) throws {
    _ = try store.write(
      (0..<count).map { number in
        let digits = String(number)
        let id = "d" + String(repeating: "0", count: 5 - digits.utf8.count) + digits
        return Document(id: id, body: try DocumentBody(["n": .integer(Int64(number))]))
      }, mode: .edits)
  }

  private func ids(_ rows: JSON?) -> [String] {
    (rows?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
  }

  // MARK: Pages

  @Test(
    "a listing of many pages has every row once, in order, from either end",
    arguments: ["", "include_docs=true&"])
  func longListing(_ option: String) async throws {
    try await withListener { listener in
      try documents(4_500, try listener.stores.create("db"))
      let all = try await listener.send("GET", "/db/_all_docs?\(option)update_seq=true").json
      let forward = ids(all["rows"])
      #expect(forward.count == 4_500)
      #expect(forward == forward.sorted())
      #expect(all["total_rows"] == 4_500)
      #expect(all["offset"] == 0)
      #expect(all["update_seq"]?.stringValue?.hasPrefix("4500-") == true)
      let down = try await listener.send("GET", "/db/_all_docs?\(option)descending=true").json
      #expect(ids(down["rows"]) == forward.reversed())
      let part = try await listener.send(
        "GET", "/db/_all_docs?\(option)skip=5&limit=4400&start_key=%22d00010%22"
      ).json
      #expect(ids(part["rows"]) == Array(forward[15..<4_415]))
      #expect(part["offset"] == 15)
      let keys: JSON = ["keys": .array(forward.reversed().map { .string($0) } + [7])]
      let named = try await listener.send("POST", "/db/_all_docs?\(option)", body: keys).json
      #expect(ids(named["rows"]) == forward.reversed())
      #expect(named["rows"]?.arrayValue?.last == ["key": 7, "error": "not_found"])
    }
  }

  @Test("a feed of many pages has every row once, in order, from either end")
  func longFeed() async throws {
    try await withListener { listener in
      try documents(2_500, try listener.stores.create("db"))
      func feed(_ query: String) async throws -> JSON {
        try await listener.send("GET", "/db/_changes?\(query)").json
      }
      let up = try await feed("")
      #expect(up["results"]?.arrayValue?.count == 2_500)
      #expect(up["pending"] == 0)
      let down = try await feed("descending=true&include_docs=true")
      #expect(ids(down["results"]) == ids(up["results"]).reversed())
      #expect(down["pending"] == 0)
      let cut = try await feed("descending=true&limit=1500")
      #expect(ids(cut["results"]) == Array(ids(down["results"])[..<1_500]))
      #expect(cut["pending"] == 1_000)
      let first = try await feed("limit=1200")
      let since = try #require(first["last_seq"]?.stringValue)
      #expect(first["pending"] == 1_300)
      let rest = try await feed("since=\(since)")
      #expect(ids(first["results"]) + ids(rest["results"]) == ids(up["results"]))
    }
  }

  @Test("apache/couchdb#1081: a feed whose filter lets nothing pass sends heartbeats meanwhile")
  func filteredHeartbeat() async throws {
    try await withListener { listener in
      try documents(3_000, try listener.stores.create("db"))
      var request = HTTPClientRequest(
        .post,
        listener.url.appending("db", "_changes").with(query: [
          ("feed", "continuous"), ("filter", "_selector"), ("heartbeat", "1"),
        ]))
      request.headers["Content-Type"] = "application/json"
      let selector: JSON = ["selector": ["n": -1]]
      request.body = .bytes(selector.serializedBytes())
      let response = try await listener.client.send(request)
      var text: [UInt8] = []
      for try await chunk in response.body {
        text += chunk
        if text.count > 5 { break }
      }
      #expect(text.allSatisfy { $0 == UInt8(ascii: "\n") })
    }
  }

  // MARK: Attachments

  @Test("ibmcloudant sends gzip: it is sent back as gzip, or expanded for who takes none")
  func gzip() async throws {
    try await withListener { listener in
      _ = try listener.stores.create("db")
      let plain = Array(String(repeating: "hello ", count: 100).utf8)
      let small = try GzipEncoder.encode(plain)
      let put = try await listener.send(
        "PUT", "/db/a/f.txt", bytes: small,
        headers: ["Content-Encoding": "gzip", "Content-Type": "text/plain; charset=utf-8"])
      #expect(put.status == 201)
      #expect(put.headers["Location"]?.hasSuffix("/db/a/f.txt") == true)
      var request = HTTPClientRequest(.get, listener.url.appending("db", "a", "f.txt"))
      request.decompresses = false
      let expanded = try await listener.client.send(request)
      #expect(expanded.headers["Content-Encoding"] == nil)
      #expect(expanded.headers["Accept-Ranges"] == "none")
      #expect(expanded.headers["Content-Type"] == "text/plain; charset=utf-8")
      #expect(try await expanded.bytes() == plain)
      request.headers["Accept-Encoding"] = "gzip"
      let encoded = try await listener.client.send(request)
      #expect(encoded.headers["Content-Encoding"] == "gzip")
      #expect(try await encoded.bytes() == small)
      let read = try await listener.send("GET", "/db/a?attachments=true").json
      #expect(
        read["_attachments"]?["f.txt"]?["data"]?.stringValue == Base64.encode(plain))
      let bulk = try await listener.send(
        "POST", "/db/_bulk_get?attachments=true", body: ["docs": [["id": "a"]]]
      ).json
      let document = bulk["results"]?[0]?["docs"]?[0]?["ok"]
      #expect(
        document?["_attachments"]?["f.txt"]?["data"]?.stringValue == Base64.encode(plain))
    }
  }

  // MARK: Web pages

  @Test("pages of allowed origins are let in, with their preflight; others see no header")
  func origins() async throws {
    try await withListener {
      $0.allowedOrigins = ["http://localhost:8000"]
    } _: { listener in
      _ = try listener.stores.create("db")
      let preflight = try await listener.send(
        "OPTIONS", "/db/x",
        headers: [
          "Origin": "http://localhost:8000", "Access-Control-Request-Method": "PUT",
          "Access-Control-Request-Headers": "content-type",
        ])
      #expect(preflight.status == 204)
      #expect(
        preflight.headers["Access-Control-Allow-Origin"] == "http://localhost:8000")
      #expect(preflight.headers["Access-Control-Allow-Headers"] == "content-type")
      #expect(preflight.headers["Access-Control-Allow-Methods"]?.contains("PUT") == true)
      let read = try await listener.send(
        "GET", "/db/none", headers: ["Origin": "http://localhost:8000"])
      #expect(read.status == 404)
      #expect(read.headers["Access-Control-Allow-Credentials"] == "true")
      let other = try await listener.send(
        "GET", "/db", headers: ["Origin": "http://evil.example"])
      #expect(other.headers["Access-Control-Allow-Origin"] == nil)
      let refused = try await listener.send(
        "OPTIONS", "/db",
        headers: ["Origin": "http://evil.example", "Access-Control-Request-Method": "PUT"])
      #expect(refused.status == 405)
    }
  }

  @Test("a method may be named in a header of a POST")
  func methodOverride() async throws {
    try await withListener { listener in
      _ = try listener.stores.create("db")
      let put = try await listener.send(
        "POST", "/db/a", body: ["x": 1], headers: ["X-HTTP-Method-Override": "PUT"])
      #expect(put.status == 201)
      let deleted = try await listener.send(
        "POST", "/db/a?rev=\(put.json["rev"]?.stringValue ?? "")",
        headers: ["X-HTTP-Method-Override": "DELETE"])
      #expect(deleted.status == 200)
    }
  }

  // MARK: Replications

  @Test("_replicate moves documents once, and says when there was nothing to move")
  func replicate() async throws {
    try await withListener { listener in
      try documents(3, try listener.stores.create("a"))
      let target = "\(listener.url.appending("b"))"
      let request: JSON = ["source": "a", "target": .string(target), "create_target": true]
      let first = try await listener.send("POST", "/_replicate", body: request).json
      #expect(first["ok"] == true)
      #expect(first["history"]?[0]?["docs_written"] == 3)
      #expect(first["session_id"] == first["history"]?[0]?["session_id"])
      #expect(first["replication_id_version"] == 4)
      let second = try await listener.send("POST", "/_replicate", body: request).json
      #expect(second["no_changes"] == true)
      #expect(try listener.stores.open("b").info().documentCount == 3)
      let missing = try await listener.send(
        "POST", "/_replicate", body: ["source": "zz", "target": "b"])
      #expect(missing.status == 404)
      #expect(missing.json["error"] == "db_not_found")
    }
  }

  @Test("a continuous replication is listed as a task until it is cancelled")
  func continuous() async throws {
    try await withListener { listener in
      try documents(2, try listener.stores.create("a"))
      let target = try listener.stores.create("b")
      var request: JSON = ["source": "a", "target": "b", "continuous": true]
      let started = try await listener.send("POST", "/_replicate", body: request)
      #expect(started.status == 202)
      let tasks = try await listener.send("GET", "/_active_tasks").json
      #expect(tasks[0]?["type"] == "replication")
      #expect(tasks[0]?["continuous"] == true)
      #expect(tasks[0]?["replication_id"] == started.json["_local_id"])
      while try target.info().documentCount < 2 { await Task.yield() }
      request["cancel"] = true
      let cancelled = try await listener.send("POST", "/_replicate", body: request)
      #expect(cancelled.json["_local_id"] == started.json["_local_id"])
      #expect(try await listener.send("GET", "/_active_tasks").json == [])
      #expect(try await listener.send("POST", "/_replicate", body: request).status == 404)
    }
  }

  // MARK: Small things

  @Test("facts about many databases come in one answer")
  func databasesInformation() async throws {
    try await withListener { listener in
      _ = try listener.stores.create("a")
      _ = try listener.stores.create("b")
      let all = try await listener.send("GET", "/_dbs_info").json
      #expect(all.arrayValue?.map { $0["key"] } == ["a", "b"])
      #expect(all[0]?["info"]?["doc_count"] == 0)
      let some = try await listener.send("POST", "/_dbs_info", body: ["keys": ["b", "zz"]]).json
      #expect(some[0]?["info"]?["db_name"] == "b")
      #expect(some[1] == ["key": "zz", "error": "not_found"])
    }
  }

  @Test("several listings come in one answer")
  func queries() async throws {
    try await withListener { listener in
      try documents(3, try listener.stores.create("db"))
      let answer = try await listener.send(
        "POST", "/db/_all_docs/queries",
        body: ["queries": [["limit": 1], ["keys": ["d00002", "x"]], ["descending": true]]]
      ).json
      #expect(ids(answer["results"]?[0]?["rows"]) == ["d00000"])
      #expect(ids(answer["results"]?[1]?["rows"]) == ["d00002"])
      #expect(ids(answer["results"]?[2]?["rows"]) == ["d00002", "d00001", "d00000"])
    }
  }

  @Test(
    "a limit of purges that was set is told", arguments: ["_purged_infos_limit", "_revs_limit"])
  func limits(_ name: String) async throws {
    try await withListener { listener in
      _ = try listener.stores.create("db")
      #expect(try await listener.send("GET", "/db/\(name)").json == 1000)
      #expect(try await listener.send("PUT", "/db/\(name)", body: 50).json["ok"] == true)
      #expect(try await listener.send("GET", "/db/\(name)").json == 50)
      #expect(try await listener.send("PUT", "/db/\(name)", body: "x").status == 400)
    }
  }

  @Test(
    "parameters of the wrong kind are said, never a failure of the server",
    arguments: [
      "GET /db/_all_docs?limit=x", "GET /db/_all_docs?skip=-1", "GET /db/_all_docs?keys=1",
      "GET /db/_all_docs?startkey=%7B", "GET /db/_all_docs?include_docs=2",
      "GET /db/_changes?since=x", "GET /db/_changes?heartbeat=x", "GET /db/_changes?timeout=x",
      "GET /db/_changes?filter=x", "GET /db/_changes?feed=x", "GET /db/_changes?style=x",
      "GET /db/a?rev=x", "GET /db/a?open_revs=x", "GET /db/a?atts_since=x", "GET /db/a?revs=x",
      "PUT /db/a?new_edits=x", "POST /db/_bulk_docs {\"docs\":1}",
      "POST /db/_bulk_docs {\"docs\":[1]}", "POST /db/_bulk_docs {}", "POST /db/_bulk_docs [",
      "POST /db/_bulk_docs {\"docs\":[],\"new_edits\":1}", "POST /db/_bulk_get {\"docs\":1}",
      "POST /db/_bulk_get {}", "POST /db/_revs_diff []", "POST /db/_revs_diff {\"a\":1}",
      "POST /db/_revs_diff {\"a\":[1]}", "POST /db/_find []", "POST /db/_find {}",
      "POST /db/_find {\"selector\":1}", "POST /db/_find {\"selector\":{},\"limit\":\"x\"}",
      "POST /db/_find {\"selector\":{},\"bookmark\":\"x\"}", "POST /db/_index {}",
      "POST /db/_index {\"index\":{\"fields\":1}}", "POST /db/_explain {}", "POST /db/_purge []",
      "POST /db/_purge {\"a\":1}", "PUT /db/_revs_limit x", "PUT /db/_revs_limit -1",
      "PUT /db/_security []", "PUT /db/_security {\"admins\":1}", "PUT /db/a [", "PUT /db/a []",
      "PUT /db/a {\"_attachments\":1}", "PUT /db/a {\"_attachments\":{\"x\":{\"data\":\"%\"}}}",
      "PUT /db/a {\"_rev\":1}", "PUT /db/a {\"_revisions\":1}", "PUT /db/a {\"_x\":1}",
      "POST /_replicate {}", "POST /_replicate {\"source\":1,\"target\":\"db\"}",
      "POST /db/_all_docs {\"keys\":1}", "POST /db/_all_docs {\"limit\":\"x\"}",
      "POST /db/_all_docs/queries {}", "POST /db/_all_docs/queries {\"queries\":[1]}",
      "POST /_dbs_info {}", "GET /_uuids?count=x", "PUT /DB", "COPY /db/a", "PUT /db/_bad {}",
    ])
  func badInput(_ line: String) async throws {
    try await withListener { listener in
      _ = try listener.stores.create("db")
      let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
      let answer = try await listener.send(
        parts[0], parts[1], bytes: parts.count > 2 ? Array(parts[2].utf8) : nil,
        headers: ["Content-Type": "application/json"])
      #expect((400..<500).contains(answer.status), "\(answer.status) \(answer.said)")
      #expect(answer.json["error"] != nil)
      #expect(answer.json["reason"] != nil)
    }
  }
}
