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
    "sort_by_id": "answered here, with a warning, not refused",
    "sort_by_id_desc": "answered here, with a warning, not refused",
    "sort_no_index": "answered here, with a warning, not refused",
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
    "sort_name_only_no_index": "answered here, with a warning, not refused",
    "explain_or": "an index is not read as a whole here",
    "explain_no_sort_index": "answered here by sorting",
    "design_doc_of_index": "indexes are no documents here",
    "fields_empty_accepted": "names are derived by another hash",
    "put_index": "HTTP",
  ]

  /// Answers whose order follows an index nobody sorted by in CouchDB; here they come by id.
  static func isOrdered(_ vector: JSON) -> Bool {
    vector["body"]?["sort"] != nil || vector["path"] == nil
  }

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
      #expect(isOrdered(vector) ? ids == expected : ids == expected.sorted(), "\(name)")
    }
    if vector["path"] == nil, let warning = vector["response"]?["warning"]?.stringValue,
      warning.contains("was not used")
    {
      #expect(summary.warnings.joined(separator: "\n") == warning, "\(name)")
    }
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
          try store.createIndex(definition)
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
        _ = try store.createIndex(try IndexDefinition(json: body))
      }
      #expect(caught?.code == vector["response"]?["error"]?.stringValue, "\(name)")
      #expect(caught?.reason == vector["response"]?["reason"]?.stringValue, "\(name)")
      return
    }
    let definition = try IndexDefinition(json: body)
    let outcome = try store.createIndex(definition)
    #expect(outcome.rawValue == vector["response"]?["result"]?.stringValue, "\(name)")
    #expect(definition.name == vector["response"]?["name"]?.stringValue, "\(name)")
    #expect(definition.designDocument == vector["response"]?["id"]?.stringValue, "\(name)")
  }

  static func list(_ vector: JSON, _ target: String, _ store: LocalStore) throws {
    guard let rows = vector["response"]?["indexes"]?.arrayValue, !target.contains("?") else {
      return
    }
    let listed = [IndexDefinition.allDocumentsJSON] + (try store.indexes().map(\.json))
    #expect(listed == rows, "\(QueryVectors.name(vector))")
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
    for member in ["dbname", "index", "selector", "opts", "limit", "skip", "fields"] {
      #expect(answer[member] == vector["response"]?[member], "\(name) \(member)")
    }
    guard name != "explain_and" else { return }  // CouchDB's start key goes on after a range
    for member in ["start_key", "end_key", "direction"] {
      #expect(
        answer["mrargs"]?[member] == vector["response"]?["mrargs"]?[member], "\(name) \(member)")
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
