import Core
import HTTP
import Sync
import Testing

/// `_index`, and the design documents that indexes are over HTTP.
struct MangoIndexTests {
  static func names(_ database: RawDatabase, _ query: String = "") async throws -> [String] {
    let answer = try await database.send(.get, "/_index\(query)")
    try #require(answer.status == 200)
    return (answer.json["indexes"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
  }

  @Test("an index is a view of its design document, which goes with the last one")
  func designDocument() async throws {
    try await withListener { listener in
      let database = try await RawDatabase(listener)
      try await database.index([["b": "desc"], ["a": "desc"]], ddoc: "ix", name: "one")
      try await database.index(["c"], ddoc: "_design/ix", name: "two")
      let document = try await database.send(.get, "/_design/ix").json
      #expect(document["language"] == "query")
      #expect(
        document["views"]?["one"] == [
          "map": ["fields": ["a": "desc", "b": "desc"], "partial_filter_selector": [:]],
          "options": ["def": ["fields": [["b": "desc"], ["a": "desc"]]]], "reduce": "_count",
        ])
      #expect(document["_rev"]?.stringValue?.hasPrefix("2-") == true)
      #expect(try await database.send(.get, "").json["doc_count"] == 1)
      #expect(
        try await database.send(.get, "/_design/ix/_info").json["view_index"]?["language"]
          == "query")
      // Making it again writes nothing.
      try await database.index([["b": "desc"], ["a": "desc"]], ddoc: "ix", name: "one")
      #expect(try await database.send(.get, "/_design/ix").json["_rev"] == document["_rev"])
      for path in ["/_index/_design/ix/json/one", "/_index/_design%2Fix/json/two"] {
        #expect(try await database.send(.delete, path).status == 200)
      }
      #expect(try await database.send(.get, "/_design/ix").status == 404)
      #expect(try await Self.names(database) == ["_all_docs"])
      // It can be made anew over its tombstone.
      try await database.index(["c"], ddoc: "ix", name: "two")
      #expect(try await Self.names(database) == ["_all_docs", "two"])
    }
  }

  @Test("a design document of the language query makes the indexes it describes, also old ones")
  func written() async throws {
    try await withListener { listener in
      let database = try await RawDatabase(
        listener, "db", ["_id": "1", "place": "AUS"], ["_id": "2", "place": "FRA"])
      let view: JSON = [
        "map": ["fields": ["place": "asc"], "selector": ["place": ["$gte": "B"]]],
        "reduce": "_count", "options": ["def": ["fields": ["place"]]],
      ]
      let put = try await database.send(
        .put, "/_design/old",
        ["language": "query", "views": ["old": view, "odd": ["map": ["fields": 1]]]])
      #expect(put.status == 201)
      #expect(try await Self.names(database) == ["_all_docs", "old"])
      #expect(try await database.ids(["place": ["$gt": nil]], ["use_index": "old"]) == ["2"])
      let revision = try #require(put.json["rev"]?.stringValue)
      #expect(try await database.send(.delete, "/_design/old?rev=\(revision)").status == 200)
      #expect(try await Self.names(database) == ["_all_docs"])
      // Neither views of JavaScript nor a document without views are indexes.
      try await database.send(.put, "/_design/js", ["views": ["v": ["map": "function () {}"]]])
      try await database.send(.put, "/_design/none", ["language": "query"])
      #expect(try await Self.names(database) == ["_all_docs"])
      #expect(
        try await database.send(
          .post, "/_index", ["index": ["fields": ["a"]], "ddoc": "js"]
        ).json["error"] == "invalid_ddoc_lang")
    }
  }

  @Test("a view that is none is refused alone, the rest of the batch is written")
  func refused() async throws {
    try await withListener { listener in
      let database = try await RawDatabase(listener)
      let answer = try await database.send(
        .post, "/_bulk_docs",
        [
          "docs": [
            [
              "_id": "_design/bad", "language": "query",
              "views": ["v": ["map": "function (doc) {}"]],
            ], ["_id": "good"],
          ]
        ])
      #expect(answer.status == 201)
      #expect(answer.json[0]?["error"] == "invalid_design_doc")
      #expect(answer.json[1]?["ok"] == true)
      let put = try await database.send(
        .put, "/_design/bad", ["language": "query", "views": ["v": ["map": 1]]])
      #expect(put.status == 400)
    }
  }

  @Test("indexes are replicated, and gone where their document was deleted")
  func replicated() async throws {
    try await withListener { listener in
      let database = try await RawDatabase(listener, "db", ["_id": "1", "n": 1])
      try await database.index(["n"], ddoc: "ix", name: "n")
      let copy = try listener.stores.create("copy")
      _ = try await Replicator(from: listener.remote("db"), to: copy).run()
      #expect(try copy.indexes().map(\.name) == ["n"])
      #expect(try copy.verify().problems == [])
      try await database.send(.delete, "/_index/ix/json/n")
      _ = try await Replicator(from: listener.remote("db"), to: copy).run()
      #expect(try copy.indexes().isEmpty)
    }
  }

  @Test("a list has pages, and refuses numbers that make none with CouchDB's 500")
  func list() async throws {
    try await withListener { listener in
      let database = try await RawDatabase(listener)
      for number in 1...3 {
        try await database.index([.string("f\(number)")], ddoc: "d\(number)", name: "n\(number)")
      }
      #expect(try await Self.names(database, "?limit=2;skip=1") == ["n1", "n2"])
      #expect(try await Self.names(database, "?skip=3&limit=99") == ["n3"])
      #expect(try await Self.names(database, "?skip=100").isEmpty)
      for query in ["?limit=0", "?skip=-1", "?limit=x"] {
        let answer = try await database.send(.get, "/_index\(query)")
        #expect(answer.status == 500)
        #expect(answer.json["error"] == "invalid_list_index_params")
      }
      #expect(try await database.send(.get, "/_index?limit=1").json["total_rows"] == 4)
      #expect(try await database.send(.get, "/_index/foo").status == 405)
    }
  }

  @Test("many are deleted at once; what is none is told")
  func bulkDelete() async throws {
    try await withListener { listener in
      let database = try await RawDatabase(listener)
      try await database.index(["a"], ddoc: "x", name: "one")
      try await database.index(["b"], ddoc: "x", name: "two")
      let answer = try await database.send(
        .post, "/_index/_bulk_delete", ["docids": ["x", "_design/nope"], "w": 3]
      ).json
      #expect(answer["success"] == [["id": "_design/x", "ok": true]])
      #expect(answer["fail"] == [["id": "_design/nope", "error": "not_found"]])
      #expect(try await Self.names(database) == ["_all_docs"])
      for body in [[:], ["docids": "x"], ["docids": [1]], ["docids": [], "x": 1]] as [JSON] {
        #expect(try await database.send(.post, "/_index/_bulk_delete", body).status == 400)
      }
      for path in ["x/json/one", "x/foo/one", "x/json", "nope/json/one"] {
        #expect(try await database.send(.delete, "/_index/\(path)").status == 404)
      }
    }
  }

  @Test(
    "a malformed definition is refused",
    arguments: [
      (["name": ""], "invalid_string"), (["name": nil], "invalid_string"),
      (["ddoc": ""], "invalid_string"), (["w": 0], "invalid_pos_integer"),
      (["type": nil], "invalid_string"), (["type": "geo"], "invalid_index"),
      (["index": ["fields": [""]]], "invalid_field_name"),
      (["index": ["fields": ["a"], "selector": [:]]], "invalid_key"),
    ] as [(JSONObject, String)])
  func malformed(_ members: JSONObject, _ error: String) async throws {
    try await withListener { listener in
      let database = try await RawDatabase(listener)
      var body: JSONObject = ["index": ["fields": ["a"]]]
      for (key, value) in members { body[key] = value }
      let answer = try await database.send(.post, "/_index", .object(body))
      #expect(answer.status == 400)
      #expect(answer.json["error"]?.stringValue == error)
    }
  }
}
