import Core
import TestSupport
import Testing

struct QueryPlanTests {
  /// A store of documents `d000`… with `n` counting up, `even`, and for a few of them `rare`.
  static func withStore(_ count: Int, _ body: (LocalStore) throws -> Void) throws {
    try withTemporaryDirectory { path in
      let store = try StoreDirectory(path: path).create("p")
      let documents = try (0..<count).map { number in
        var members: JSONObject = ["n": .integer(Int64(number)), "even": .bool(number % 2 == 0)]
        if number % 100 == 7 { members["rare"] = .string("r\(number)") }
        let digits = String(number)
        let id = "d" + String(repeating: "0", count: 5 - digits.count) + digits
        return try Document(id: id, body: DocumentBody(members))
      }
      _ = try store.write(documents, mode: .edits)
      try body(store)
    }
  }

  static func index(_ fields: String..., filter: JSON = [:]) throws -> IndexDefinition {
    try IndexDefinition(
      fields: fields.map { SortField(try FieldPath($0)) }, partialFilter: Selector(filter),
      name: fields.joined(), designDocument: "d")
  }

  static func request(_ selector: JSON, sort: String? = nil, limit: Int? = nil) throws
    -> FindRequest
  {
    var request = FindRequest(selector: try Selector(selector))
    if let sort { request.sort = [SortField(try FieldPath(sort))] }
    request.limit = limit
    return request
  }

  static func usedIndex(_ store: LocalStore, _ request: FindRequest) throws -> String? {
    guard case .index(let definition) = try store.explain(request).source else { return nil }
    return definition.name
  }

  @Test("an index is used for what it holds completely, and only then")
  func choice() throws {
    try Self.withStore(300) { store in
      try store.createIndex(try Self.index("n"))
      try store.createIndex(try Self.index("even", "n"))
      try store.createIndex(try Self.index("rare", filter: ["even": false]))
      #expect(try Self.usedIndex(store, Self.request(["n": 3])) == "n")
      #expect(try Self.usedIndex(store, Self.request(["even": true, "n": ["$lt": 9]])) == "evenn")
      #expect(try Self.usedIndex(store, Self.request(["even": true])) == nil)
      #expect(try Self.usedIndex(store, Self.request(["rare": "r7"])) == nil)
      #expect(try Self.usedIndex(store, Self.request(["rare": "r7", "even": false])) == "rare")
      #expect(try Self.usedIndex(store, Self.request(["n": ["$exists": false]])) == nil)
      #expect(try Self.usedIndex(store, Self.request(["$or": [["n": 1], ["even": true]]])) == nil)
      #expect(try Self.usedIndex(store, Self.request(["n": ["$in": [1, 2]]])) == "n")
    }
  }

  @Test("apache/pouchdb#6271: $or with a sort is answered, with a warning")
  func orAndSort() throws {
    try Self.withStore(40) { store in
      let request = try Self.request(["$or": [["n": 30], ["n": 3], ["n": 7]]], sort: "n")
      let result = try store.find(request)
      #expect(result.documents.map(\.id) == ["d00003", "d00007", "d00030"])
      #expect(result.summary.warnings.count == 2)
    }
  }

  @Test("apache/pouchdb#6337: $exists with a sort is answered, and by an index")
  func existsAndSort() throws {
    try Self.withStore(210) { store in
      let request = try Self.request(["rare": ["$exists": true]], sort: "rare")
      let expected = ["d00107", "d00207", "d00007"]
      #expect(try store.find(request).documents.map(\.id) == expected)
      try store.createIndex(try Self.index("rare"))
      let result = try store.find(request)
      #expect(result.documents.map(\.id) == expected)
      #expect(result.summary.warnings == [])
      #expect(try store.explain(request).servesSort)
    }
  }

  @Test("a page of a range that holds half of the store is read by id")
  func broad() throws {
    try Self.withStore(4000) { store in
      let request = try Self.request(["even": true, "n": ["$gte": 10]], limit: 3)
      let expected = try store.find(request).documents.map(\.id)
      #expect(expected == ["d00010", "d00012", "d00014"])
      try store.createIndex(try Self.index("even"))
      #expect(try Self.usedIndex(store, request) == nil)
      let result = try store.find(request)
      #expect(result.documents.map(\.id) == expected)
      #expect(result.summary.examined < 50)
      #expect(try Self.usedIndex(store, Self.request(["even": true])) == "even")
    }
  }

  @Test("documents without the sort field come first, or not at all over HTTP")
  func missingSortField() throws {
    try Self.withStore(10) { store in
      var request = try Self.request(["n": ["$gte": 6]], sort: "rare")
      #expect(
        try store.find(request).documents.map(\.id) == ["d00006", "d00008", "d00009", "d00007"])
      request.followsCouchDB = true
      let refusal = #expect(throws: QueryError.self) { _ = try store.find(request) }
      #expect(refusal?.code == "no_usable_index")
      try store.createIndex(try Self.index("rare"))
      #expect(try store.find(request).documents.map(\.id) == ["d00007"])
    }
  }

  @Test("an index follows edits, deletions and conflicts")
  func maintenance() throws {
    try Self.withStore(20) { store in
      try store.createIndex(try Self.index("n"))
      let revision = try #require(store.document("d00003").revision)
      let second = try store.put(
        Document(id: "d00003", revision: revision, body: DocumentBody(["n": 77])))
      #expect(try store.find(Self.request(["n": 3])).documents.isEmpty)
      #expect(try store.find(Self.request(["n": 77])).documents.map(\.id) == ["d00003"])
      // A conflicting leaf that wins takes the entry over.
      let winner = try #require(RevisionID("9-ffffffffffffffffffffffffffffffff"))
      var rival = try Document(id: "d00003", revision: winner, body: DocumentBody(["n": 88]))
      rival.history = [winner]
      _ = try store.write([rival], mode: .revisions)
      #expect(try store.find(Self.request(["n": 77])).documents.isEmpty)
      #expect(try store.find(Self.request(["n": 88])).documents.map(\.id) == ["d00003"])
      _ = try store.delete("d00003", revision: winner)
      #expect(try store.find(Self.request(["n": 77])).documents.map(\.revision) == [second])
      #expect(try store.verify().problems == [])
    }
  }

  @Test("an index made by another connection is kept up by this one")
  func otherConnection() throws {
    try withTemporaryDirectory { path in
      let directory = StoreDirectory(path: path)
      let first = try directory.create("p")
      try first.put(Document(id: "a", body: DocumentBody(["n": 1])))
      let second = try directory.open("p")
      try second.createIndex(try Self.index("n"))
      try first.put(Document(id: "b", body: DocumentBody(["n": 1])))
      #expect(try second.find(Self.request(["n": 1])).documents.map(\.id) == ["a", "b"])
      try second.deleteIndex("n")
      try first.put(Document(id: "c", body: DocumentBody(["n": 1])))
      #expect(try first.find(Self.request(["n": 1])).documents.count == 3)
    }
  }

  @Test("a selector on attachments is answered by evaluating whole documents")
  func attachments() throws {
    try Self.withStore(5) { store in
      var request = try Self.request(
        ["_attachments": ["$exists": false], "n": ["$gt": 0]], limit: 2)
      request.skip = 1
      #expect(try store.find(request).documents.map(\.id) == ["d00002", "d00003"])
      #expect(try store.count(request) == 4)
    }
  }

  @Test("design documents are not found")
  func designDocuments() throws {
    try Self.withStore(1) { store in
      try store.put(Document(id: "_design/x", body: DocumentBody(["n": 0])))
      #expect(try store.find(Self.request(["n": 0])).documents.map(\.id) == ["d00000"])
      try store.createIndex(try Self.index("n"))
      #expect(try store.find(Self.request(["n": 0])).documents.map(\.id) == ["d00000"])
    }
  }

  @Test("found documents are written as their JSON is")
  func written() throws {
    try Self.withStore(3) { store in
      try store.put(Document(id: "a\"\n", body: .empty))
      for fields in [[], ["n"], ["_id", "nothing"]] {
        var request = FindRequest()
        request.fields = try fields.map { try FieldPath($0) }
        _ = try store.find(request) { found in
          var buffer = ByteBuffer()
          found.append(to: &buffer)
          #expect(buffer.string() == found.json.serialized())
          return true
        }
      }
    }
  }
}
