import Core
import TestSupport
import Testing

/// The recorded `_find` and `_index` cases, asked of a store with unicode collation.
struct QueryStoreVectorTests {
  /// Cases whose answer differs on purpose; see `Selector.differences`.
  static let skipped: [String: String] = [
    // find.json
    "eq_whole_object_two_keys_reordered": "the order of an object's keys does not count here",
    "text_unsupported": "$text without a text index is an error here",
    "err_body_bad_json": "the HTTP listener reads the body",
    "err_body_empty": "the HTTP listener reads the body",
    "err_get_method": "HTTP",
    "err_content_type": "HTTP",
    "err_missing_db": "HTTP",
    "err_noauth": "HTTP",
    // find_index.json
    "create_auto_named": "names are derived by another hash",
    "create_auto_named_again": "names are derived by another hash",
    "err_type_text": "text indexes are available here",
    "err_bad_json": "the HTTP listener reads the body",
    "fields_empty_accepted": "names are derived by another hash",
    "put_index": "HTTP",
  ]

  static func makeStore(in path: String) throws -> LocalStore {
    let store = try StoreDirectory(path: path).create("vec", collation: .unicode)
    let documents = try QueryVectors.documents().map { try Document(json: $0) }
    _ = try store.write(documents, mode: .revisions)
    return store
  }

  /// Asks a query and compares with the recorded answer.
  static func check(_ vector: JSON, in store: LocalStore) throws {
    let name = QueryVectors.name(vector)
    guard let body = vector["body"], let status = vector["status"]?.integerValue else { return }
    guard status == 200 else {
      let caught = #expect(throws: QueryError.self, "\(name)") {
        _ = try store.find(try FindRequest(json: body))
      }
      // CouchDB answers 500 where its code does not expect a value.
      guard status != 500 else { return }
      #expect(caught?.code == vector["response"]?["error"]?.stringValue, "\(name)")
      #expect(caught?.reason == vector["response"]?["reason"]?.stringValue, "\(name)")
      return
    }
    let request = try FindRequest(json: body)
    if let pages = vector["pages"]?.arrayValue { return try walk(request, pages, name, store) }
    var documents: [JSON] = []
    var ids: [String] = []
    let summary = try store.find(request) { found in
      documents.append(found.json)
      ids.append(found.id)
      return true
    }
    if let expected = vector["response"]?["docs"]?.arrayValue {
      #expect(documents == expected, "\(name)")
      #expect(documents.map { $0.serialized() } == expected.map { $0.serialized() }, "\(name)")
    } else if let expected = QueryVectors.ids(vector["response"]?["ids"]) {
      #expect(ids == expected, "\(name)")
    }
    let told = summary.json(withStatistics: request.executionStatistics)
    let bookmark = told["bookmark"].map { $0 == "nil" ? $0 : "BOOKMARK" }
    #expect(bookmark == vector["response"]?["bookmark"], "\(name)")
    #expect(warnings(told["warning"]) == warnings(vector["response"]?["warning"]), "\(name)")
    if let wanted = vector["response"]?["execution_stats"] {
      #expect(keys(told["execution_stats"]) == keys(wanted), "\(name)")
    }
  }

  /// The warnings but the one of too many documents looked at: here fewer are.
  private static func warnings(_ json: JSON?) -> [Substring] {
    (json?.stringValue ?? "").split(separator: "\n").filter { !$0.hasPrefix("The number of") }
  }

  private static func keys(_ json: JSON?) -> [String]? {
    guard case .object(let members)? = json else { return nil }
    return members.keys
  }

  /// Follows bookmarks.
  static func walk(
    _ request: FindRequest, _ pages: [JSON], _ name: String, _ store: LocalStore
  ) throws {
    var request = request
    for page in pages {
      let result = try store.find(request)
      #expect(result.documents.map(\.id) == QueryVectors.ids(page), "\(name)")
      request.bookmark = result.summary.bookmark
    }
  }

  @Test("the store answers _find as CouchDB does")
  func find() throws {
    try withTemporaryDirectory { path in
      let store = try Self.makeStore(in: path)
      var checked = 0
      for vector in try QueryVectors.cases("find")
      where Self.skipped[QueryVectors.name(vector)] == nil {
        try Self.check(vector, in: store)
        checked += 1
      }
      #expect(checked > 225)
    }
  }

  @Test("indexes are made, listed, used and removed as in CouchDB")
  func index() throws {
    try withTemporaryDirectory { path in
      let store = try Self.makeStore(in: path)
      for vector in try QueryVectors.cases("find_index") {
        let name = QueryVectors.name(vector)
        guard let target = vector["path"]?.stringValue, vector["method"] != "PUT" else { continue }
        if name == "create_auto_named", let body = vector["body"] {
          // The name CouchDB derived, so that lists can be compared.
          var definition = try IndexDefinition(json: body)
          definition.name = "d20d2beb4c0826212d89ea257217f7674be76882"
          definition.designDocument = "_design/" + definition.name
          _ = try store.createIndexDocument(definition, source: body["index"] ?? .null)
        }
        guard Self.skipped[name] == nil else { continue }
        switch (vector["method"], target) {
        case ("POST", "/{db}/_find"): try Self.check(vector, in: store)
        case ("POST", "/{db}/_explain"): try Self.explain(vector, store)
        case ("POST", "/{db}/_index"): try Self.create(vector, store)
        case ("POST", "/{db}/_index/_bulk_delete"):
          try store.deleteIndexes(ofDesignDocument: "_design/ixp")
          #expect(throws: StoreError.self) {
            try store.deleteIndexes(ofDesignDocument: "_design/nope")
          }
        case ("GET", "/{db}/_design/ixd"): try Self.design(vector, store)
        case ("GET", _): try Self.list(vector, target, store)
        default: Self.delete(vector, target, store)
        }
      }
      #expect(try store.verify().problems == [])
    }
  }

  static func create(_ vector: JSON, _ store: LocalStore) throws {
    let name = QueryVectors.name(vector)
    guard let body = vector["body"] else { return }
    guard vector["status"] == 200 else {
      let caught = #expect(throws: QueryError.self, "\(name)") {
        _ = try store.createIndexDocument(try IndexDefinition(json: body), source: [:])
      }
      #expect(caught?.code == vector["response"]?["error"]?.stringValue, "\(name)")
      #expect(caught?.reason == vector["response"]?["reason"]?.stringValue, "\(name)")
      return
    }
    let definition = try IndexDefinition(json: body)
    let outcome = try store.createIndexDocument(definition, source: body["index"] ?? .null)
    #expect(outcome.rawValue == vector["response"]?["result"]?.stringValue, "\(name)")
    #expect(definition.name == vector["response"]?["name"]?.stringValue, "\(name)")
    #expect(definition.designDocument == vector["response"]?["id"]?.stringValue, "\(name)")
  }

  static func list(_ vector: JSON, _ target: String, _ store: LocalStore) throws {
    guard let rows = vector["response"]?["indexes"]?.arrayValue, !target.contains("?") else {
      return
    }
    #expect(try store.verify().problems == [])
    let listed = [IndexDefinition.allDocumentsJSON] + (try store.indexes().map(\.json))
    #expect(listed == rows, "\(QueryVectors.name(vector))")
  }

  /// The design document that holds an index, but for its revision.
  static func design(_ vector: JSON, _ store: LocalStore) throws {
    let document = try store.document("_design/ixd")
    var wanted = vector["response"]
    wanted?["_rev"] = nil
    wanted?["_id"] = nil
    #expect(JSON.object(document.body.members) == wanted)
  }

  static func explain(_ vector: JSON, _ store: LocalStore) throws {
    let name = QueryVectors.name(vector)
    guard let body = vector["body"] else { return }
    guard vector["status"] == 200 else {
      #expect(throws: QueryError.self, "\(name)") { try FindRequest(json: body) }
      return
    }
    let request = try FindRequest(json: body)
    let answer = try store.explain(request).json(for: request, database: "vec_find")
    guard case .object(let wanted)? = vector["response"] else { return }
    #expect(keys(answer) == wanted.keys, "\(name)")
    for (member, value) in wanted {
      // Only their number was recorded.
      let candidates = answer[member]?.arrayValue.map { JSON.integer(Int64($0.count)) }
      let found = member == "index_candidates" ? candidates : answer[member]
      #expect(found == value, "\(name) \(member)")
    }
  }

  static func delete(_ vector: JSON, _ target: String, _ store: LocalStore) {
    var parts = target.split(separator: "/").dropFirst(2)
    if parts.first == "_design" { parts = parts.dropFirst() }
    guard parts.count == 3, let document = parts.first, let index = parts.last else { return }
    let isKnownType = parts.dropFirst().first == "json"
    let deleted =
      isKnownType
      && (try? store.deleteIndex(String(index), designDocument: String(document))) != nil
    #expect(deleted == (vector["status"] == 200), "\(QueryVectors.name(vector))")
  }
}
