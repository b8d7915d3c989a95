import Core
import TestSupport
import Testing

/// Indexes that design documents describe.
struct QueryIndexDocumentTests {
  static func withStore(_ body: (LocalStore) throws -> Void) throws {
    try withTemporaryDirectory { path in try body(StoreDirectory(path: path).create("p")) }
  }

  static func design(_ field: String, revision: RevisionID? = nil) throws -> Document {
    try Document(
      id: "_design/x", revision: revision,
      body: DocumentBody([
        "language": "query",
        "views": ["v": ["map": ["fields": [field: "asc"]], "options": ["def": [:]]]],
      ]))
  }

  @Test("an index follows the winner of its design document, and goes with it")
  func winner() throws {
    try Self.withStore { store in
      try store.put(Document(id: "a", body: DocumentBody(["n": 1, "m": 2])))
      let first = try store.put(Self.design("n"))
      #expect(try store.indexes().map { $0.fields.map(\.path.text) } == [["n"]])
      let second = try store.put(Self.design("m", revision: first))
      #expect(try store.indexes().map { $0.fields.map(\.path.text) } == [["m"]])
      let winner = try #require(RevisionID("9-ffffffffffffffffffffffffffffffff"))
      var rival = try Self.design("n", revision: winner)
      rival.history = [winner]
      _ = try store.write([rival], mode: .revisions)
      #expect(try store.indexes().map { $0.fields.map(\.path.text) } == [["n"]])
      try store.delete("_design/x", revision: winner)
      #expect(try store.document("_design/x").revision == second)
      #expect(try store.indexes().map { $0.fields.map(\.path.text) } == [["m"]])
      #expect(try store.verify().problems == [])
      _ = try store.purge([("_design/x", [second])])
      #expect(try store.indexes().isEmpty)
    }
  }

  @Test("an index of a command and one of a document may share a design document")
  func shared() throws {
    try Self.withStore { store in
      func index(_ field: String, _ name: String) throws -> IndexDefinition {
        try IndexDefinition(
          fields: [SortField(try FieldPath(field))], name: name, designDocument: "x")
      }
      try store.createIndex(index("a", "plain"))
      #expect(try store.createIndexDocument(index("b", "kept"), source: [:]) == .created)
      #expect(try store.createIndexDocument(index("b", "kept"), source: [:]) == .exists)
      #expect(try store.indexes().map(\.name) == ["kept", "plain"])
      // Each takes the other's place under its name.
      #expect(try store.createIndexDocument(index("c", "plain"), source: [:]) == .created)
      #expect(try store.createIndex(index("d", "kept")) == .created)
      #expect(try store.indexes().map { $0.fields[0].path.text } == ["d", "c"])
      try store.deleteIndex("plain")
      #expect(try store.indexes().map(\.name) == ["kept"])
      #expect(throws: StoreError.self) { try store.document("_design/x") }
    }
  }

  @Test("an index over the revision follows every edit")
  func revisions() throws {
    try Self.withStore { store in
      let paths = try ["n", "_rev"].map { SortField(try FieldPath($0)) }
      try store.createIndex(try IndexDefinition(fields: paths, name: "r", designDocument: "r"))
      var revision: RevisionID?
      for number in Int64(0)..<3 {
        revision = try store.put(
          Document(id: "a", revision: revision, body: DocumentBody(["n": .integer(number)])))
      }
      let rev = try #require(revision?.description)
      let request = FindRequest(selector: try Selector(["n": 2, "_rev": .string(rev)]))
      #expect(try store.find(request).documents.map(\.id) == ["a"])
      guard case .index = try store.explain(request).source else {
        Issue.record("the index is not used")
        return
      }
      #expect(try store.verify().problems == [])
    }
  }

  @Test("a design document within an import makes the index for what comes after it too")
  func bulk() throws {
    try Self.withStore { store in
      let bodies = [
        ("_design/x", try Self.design("n").body.bytes), ("a", Array("{\"n\":1}".utf8)),
        ("b", Array("{\"n\":2}".utf8)),
      ]
      try store.bulkInsert { inserter, _ in
        for (number, (id, body)) in bodies.enumerated() {
          let isNew = try Array(id.utf8).withUnsafeBytes { id in
            try body.withUnsafeBytes { body in
              try inserter.insert(id: id, digest: (1, UInt64(number)), body: body)
            }
          }
          #expect(isNew)
        }
      }
      #expect(try store.indexes().map(\.name) == ["v"])
      #expect(try store.verify().problems.filter { $0.kind == .index } == [])
    }
  }

  @Test("an empty $or beside other conditions holds, as in CouchDB; alone it never does")
  func emptyOr() throws {
    try Self.withStore { store in
      try store.put(Document(id: "a", body: DocumentBody(["n": 1])))
      func ids(_ selector: JSON) throws -> [String] {
        try store.find(FindRequest(selector: try Selector(selector))).documents.map(\.id)
      }
      #expect(try ids(["n": 1, "$or": []]) == ["a"])
      #expect(try ids(["n": 2, "$or": []]).isEmpty)
      #expect(try ids(["$or": []]).isEmpty)
      #expect(try Selector(["n": 1, "$or": []]).matches(["n": 1]))
    }
  }
}
