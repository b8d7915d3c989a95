import Core
import HTTP
import Sync
import Testing

/// `_find` and `_explain` over HTTP answer as CouchDB does, whatever the command line does.
struct MangoFindTests {
  static let people: [JSON] = [
    ["_id": "a", "name": "Zoe", "age": 31, "city": "Oslo"],
    ["_id": "b", "name": "adam", "age": 48, "city": "Bern"],
    ["_id": "c", "name": "Bea", "age": 22], ["_id": "d", "name": "Cy", "city": "Oslo"],
    ["_id": "e", "name": "Dan", "age": 48, "city": "Rome"],
  ]

  static func withPeople(_ body: (RawDatabase) async throws -> Void) async throws {
    try await withListener { listener in
      let database = try await RawDatabase(listener)
      try await database.send(.post, "/_bulk_docs", ["docs": .array(people)])
      try await body(database)
    }
  }

  @Test("documents come in the order of the index that answers, equal keys by id")
  func order() async throws {
    try await Self.withPeople { database in
      #expect(try await database.ids(["age": ["$gt": 0]]) == ["a", "b", "c", "e"])
      try await database.index(["age"])
      #expect(try await database.ids(["age": ["$gt": 0]]) == ["c", "a", "b", "e"])
      let descending = try await database.ids(["age": ["$gt": 0]], ["sort": [["age": "desc"]]])
      #expect(descending == ["e", "b", "a", "c"])
      #expect(try await database.ids(["age": ["$in": [48, 22]]]) == ["c", "b", "e"])
    }
  }

  @Test("strings sort by the Unicode order in databases that clients make")
  func collation() async throws {
    try await Self.withPeople { database in
      try await database.index(["name"])
      guard Collation.unicode.isAvailable else { return }
      #expect(try await database.ids(["name": ["$gt": nil]]) == ["b", "c", "d", "e", "a"])
    }
  }

  @Test("a sort that no index gives is refused, and explained with no index")
  func unusableSort() async throws {
    try await Self.withPeople { database in
      #expect(
        try await database.refusal(["age": ["$gt": 0]], ["sort": ["age"]]) == "400 no_usable_index")
      #expect(
        try await database.refusal(["age": ["$gt": 0]], ["sort": ["_id"]]) == "400 no_usable_index")
      let plan = try await database.explain(["age": ["$gt": 0]], ["sort": ["age"]])
      #expect(plan["index"] == .null)
      #expect(plan["mrargs"] == nil)
      #expect(plan["index_candidates"]?[0]?["analysis"]?["usable"] == false)
      #expect(
        try await database.ids(["_id": ["$gt": "b"]], ["sort": [["_id": "desc"]]])
          == ["e", "d", "c"])
      try await database.index(["city", "age"])
      #expect(
        try await database.refusal(["age": ["$gt": 0], "city": ["$gt": nil]], ["sort": ["age"]])
          == "400 no_usable_index")
      // A leading column that is fixed does not disturb the order.
      #expect(
        try await database.ids(["age": ["$gt": 0], "city": "Oslo"], ["sort": ["age"]]) == ["a"])
    }
  }

  @Test("pages follow the index's order through equal keys, to an end that repeats its bookmark")
  func pages() async throws {
    try await Self.withPeople { database in
      try await database.index(["age"])
      for (sort, expected) in [
        ([], [["c", "a"], ["b", "e"], []]), ([["age": "desc"]], [["e", "b"], ["a", "c"], []]),
      ] as [(JSON, [[String]])] {
        var bookmark: JSON = nil
        for page in expected {
          let answer = try await database.find(
            ["age": ["$gt": 0]],
            ["limit": 2, "sort": sort, "bookmark": bookmark, "fields": ["_id"]])
          #expect(answer["docs"]?.arrayValue?.compactMap { $0["_id"]?.stringValue } == page)
          if page.isEmpty { #expect(answer["bookmark"] == bookmark) }
          bookmark = answer["bookmark"] ?? nil
        }
      }
      // The key of one index is no place in another.
      let answer = try await database.find(["age": ["$gt": 0]], ["limit": 1])
      try await database.index(["name"])
      #expect(
        try await database.refusal(
          ["name": ["$gt": nil]], ["bookmark": answer["bookmark"] ?? nil])
          == "400 invalid_bookmark")
    }
  }

  @Test("of several indexes the closest to the selector wins, then the narrowest, then the first")
  func choice() async throws {
    try await Self.withPeople { database in
      for (fields, ddoc) in [
        (["city", "age", "name"], "aaa"), (["city", "age"], "bbb"), (["city"], "zzz"),
        (["city"], "yyy"),
      ] as [(JSON, String)] {
        try await database.index(fields, ddoc: ddoc)
      }
      func chosen(_ selector: JSON, _ options: JSONObject = [:]) async throws -> JSON? {
        try await database.explain(selector, options)["index"]?["ddoc"]
      }
      #expect(try await chosen(["city": "Oslo"]) == "_design/yyy")
      #expect(try await chosen(["city": "Oslo", "age": ["$gte": 1]]) == "_design/bbb")
      #expect(
        try await chosen(["city": "Oslo", "age": 1], ["use_index": "zzz"]) == "_design/zzz")
      #expect(try await chosen(["name": "Bea"]) == .null)
      #expect(try await chosen(["$or": [["city": "Oslo"], ["city": "Bern"]]]) == "_design/yyy")
      let candidates = try await database.explain(["city": "Oslo"])["index_candidates"]
      let told = candidates?.arrayValue?.map { row in
        "\(row["index"]?["ddoc"]?.stringValue ?? "-") "
          + "\(row["analysis"]?["reasons"]?[0]?["name"]?.stringValue ?? "") "
          + (row["analysis"]?["ranking"]?.serialized() ?? "")
      }
      #expect(
        told == [
          "_design/zzz alphabetically_comes_after 1", "_design/bbb field_mismatch 3",
          "_design/aaa field_mismatch 3", "- unfavored_type 2",
        ])
    }
  }

  @Test("an index with a filter serves only who names it, and then finds what it holds")
  func partial() async throws {
    try await Self.withPeople { database in
      try await database.index(["age"], ddoc: "old", filter: ["age": ["$gte": 40]])
      #expect(try await database.ids(["age": ["$gte": 30]]) == ["a", "b", "e"])
      #expect(try await database.ids(["age": ["$gte": 30]], ["use_index": "old"]) == ["b", "e"])
      let plan = try await database.explain(["age": ["$gte": 30]])
      #expect(plan["index_candidates"]?[0]?["analysis"]?["reasons"]?[0]?["name"] == "is_partial")
      // A filter on ids, and an index over them.
      try await database.index(["_id"], ddoc: "ids", filter: ["_id": ["$regex": "^[bc]$"]])
      #expect(try await database.ids(["_id": ["$gt": nil]], ["use_index": "ids"]) == ["b", "c"])
    }
  }

  @Test("an index that cannot be used is warned of, or refused where no other may serve")
  func useIndex() async throws {
    try await Self.withPeople { database in
      try await database.index(["age"], ddoc: "x", name: "y")
      let warning = try await database.find(["city": "Oslo"], ["use_index": ["x", "y"]])["warning"]
      #expect(
        warning?.stringValue?.hasPrefix(
          "_design/x, y was not used because it is not a valid index for this query.\n") == true)
      for name in ["x", "nope"] as [JSON] {
        let refusal = try await database.refusal(
          ["city": "Oslo"], ["use_index": name, "allow_fallback": false])
        #expect(refusal == "400 invalid_index")
      }
      #expect(
        try await database.refusal([:], ["use_index": "a/b/c"]) == "400 invalid_index_name")
      let options = try await database.explain(["age": 1], ["use_index": "_design/x"])["opts"]
      #expect(options?["use_index"] == ["x"])
    }
  }

  @Test("a plan tells the ends of what is read, turned round for a descending sort")
  func bounds() async throws {
    try await Self.withPeople { database in
      try await database.index(["city", "age"])
      func ends(_ selector: JSON, _ options: JSONObject = [:]) async throws -> [JSON] {
        let arguments = try await database.explain(selector, options)["mrargs"]
        return ["start_key", "end_key", "direction"].map { arguments?[$0] ?? "missing" }
      }
      #expect(
        try await ends(["city": "Oslo", "age": ["$gte": 3]])
          == [["Oslo", 3], ["Oslo", "<MAX>"], "fwd"])
      #expect(
        try await ends(
          ["city": ["$beginsWith": "O"], "age": ["$exists": true]],
          ["sort": [["city": "desc"]]])
          == [["O\u{FFFD}", "<MAX>"], ["O"], "rev"])
      #expect(try await ends(["_id": ["$beginsWith": "a"]]) == ["a", "a\u{FFFD}", "fwd"])
      #expect(try await ends(["name": "x"]) == [nil, "<MAX>", "fwd"])
    }
  }

  @Test("an index that holds all that is asked for is said to cover the query")
  func covering() async throws {
    try await Self.withPeople { database in
      try await database.index(["age"])
      func covers(_ selector: JSON, _ fields: JSON) async throws -> [JSON?] {
        let plan = try await database.explain(selector, ["fields": fields])
        return [plan["covering"], plan["mrargs"]?["include_docs"]]
      }
      #expect(try await covers(["age": ["$gt": 1]], ["_id", "age"]) == [true, false])
      #expect(try await covers(["age": ["$gt": 1]], ["name"]) == [false, true])
      #expect(try await covers(["age": ["$gt": 1], "city": "Oslo"], ["_id"]) == [false, true])
      #expect(try await covers(["age": ["$gt": 1]], []) == [false, true])
      let statistics = try await database.find(
        ["age": ["$lt": 40]], ["fields": ["_id"], "execution_stats": true])["execution_stats"]
      #expect(statistics?["total_keys_examined"] == 2)
      #expect(statistics?["total_docs_examined"] == 0)
      #expect(statistics?["results_returned"] == 2)
    }
  }

  @Test("conflicts that are asked for can be looked for")
  func conflicts() async throws {
    try await withListener { listener in
      let database = try await RawDatabase(listener, "db", ["_id": "x", "n": 1], ["_id": "y"])
      try await database.send(
        .post, "/_bulk_docs",
        [
          "docs": [["_id": "x", "_rev": "1-00000000000000000000000000000000", "n": 2]],
          "new_edits": false,
        ])
      // Nothing can be indexed there; the index is taken and never used.
      try await database.index(["_conflicts"])
      let selector: JSON = ["_conflicts": ["$exists": true]]
      #expect(try await database.ids(selector, ["conflicts": true]) == ["x"])
      #expect(try await database.ids(selector).isEmpty)
      let docs = try await database.find(selector, ["conflicts": true])["docs"]
      #expect(docs?[0]?["_conflicts"]?[0] == "1-00000000000000000000000000000000")
    }
  }

  @Test(
    "a malformed member is refused in CouchDB's words",
    arguments: [
      (["r": 0], "invalid_pos_integer"), (["r": "1"], "invalid_pos_integer"),
      (["limit": -1], "invalid_non_neg_integer"), (["limit": nil], "invalid_non_neg_integer"),
      (["skip": 1.5], "invalid_non_neg_integer"), (["conflicts": nil], "invalid_boolean"),
      (["stale": "maybe"], "invalid_ok_or_false_value"), (["sort": [:]], "invalid_sort_json"),
      (["fields": [[]]], "invalid_field"), (["bookmark": "bad"], "invalid_bookmark"),
      (["use_index": ["a", "b", "c"]], "invalid_index_name"), (["nope": 1], "invalid_key"),
    ] as [(JSONObject, String)])
  func malformed(_ options: JSONObject, _ error: String) async throws {
    try await withListener { listener in
      let database = try await RawDatabase(listener)
      #expect(try await database.refusal([:], options) == "400 \(error)")
    }
  }
}
