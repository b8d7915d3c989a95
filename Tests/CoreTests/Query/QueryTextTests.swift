import Core
import TestSupport
import Testing

struct QueryTextTests {
  static func withStore(_ body: (LocalStore) throws -> Void) throws {
    try withTemporaryDirectory { path in
      let store = try StoreDirectory(path: path).create("t")
      try body(store)
    }
  }

  static func put(_ store: LocalStore, _ id: String, _ members: JSONObject) throws {
    let revision = try? store.document(id).revision
    try store.put(Document(id: id, revision: revision, body: DocumentBody(members)))
  }

  static func ids(_ store: LocalStore, _ text: String, _ selector: JSON = [:]) throws -> [String] {
    var request = FindRequest(selector: try Selector(selector))
    request.text = text
    return try store.find(request).documents.map(\.id)
  }

  static let textIndex = Result {
    try IndexDefinition(
      kind: .text, fields: [SortField(FieldPath("title")), SortField(FieldPath("notes"))],
      name: "words", designDocument: "words")
  }

  @Test("words are found in documents there before the index and in later ones")
  func words() throws {
    try Self.withStore { store in
      try Self.put(
        store, "a", ["title": "Buy milk", "notes": ["two litres", ["of the *fresh* one"]]])
      try store.createIndex(try Self.textIndex.get())
      try Self.put(store, "b", ["title": "Milk the cow", "n": 1])
      try Self.put(store, "c", ["title": "Crème brûlée", "n": 2])
      #expect(try Self.ids(store, "milk") == ["a", "b"])
      #expect(try Self.ids(store, "MILK cow") == ["b"])
      #expect(try Self.ids(store, "creme") == ["c"])
      #expect(try Self.ids(store, "fresh two") == ["a"])
      #expect(try Self.ids(store, "mil*") == ["a", "b"])
      #expect(try Self.ids(store, "mil") == [])
      #expect(try Self.ids(store, "\"the cow\"") == ["b"])
      #expect(try Self.ids(store, "\"cow the\"") == [])
      #expect(try Self.ids(store, "milk", ["n": ["$gte": 1]]) == ["b"])
      #expect(try Self.ids(store, "milk", ["_id": "a"]) == ["a"])
    }
  }

  @Test("changed and deleted documents are forgotten")
  func maintenance() throws {
    try Self.withStore { store in
      try store.createIndex(try Self.textIndex.get())
      try Self.put(store, "a", ["title": "Buy milk"])
      try Self.put(store, "a", ["title": "Buy bread"])
      #expect(try Self.ids(store, "milk") == [])
      #expect(try Self.ids(store, "bread") == ["a"])
      _ = try store.delete("a", revision: try store.document("a").revision)
      #expect(try Self.ids(store, "bread") == [])
      try store.deleteIndex("words")
      #expect(throws: QueryError.self) { try Self.ids(store, "bread") }
    }
  }

  @Test(
    "no text is an error of the search language",
    arguments: [
      "", "\"", "*", "AND", "NOT milk", "a:b", "(", "milk)", "mi-lk", "^milk", "{x}", "\"a\"b\"",
      "+", "'",
      "milk OR", "NEAR(a b)", "\u{0}", "日本",
    ])
  func anyText(text: String) throws {
    try Self.withStore { store in
      try store.createIndex(try Self.textIndex.get())
      try Self.put(store, "a", ["title": "Buy milk"])
      _ = try Self.ids(store, text)
    }
  }

  @Test("$text in a selector asks the text index; twice is refused")
  func selector() throws {
    try Self.withStore { store in
      try store.createIndex(try Self.textIndex.get())
      try Self.put(store, "a", ["title": "Buy milk"])
      try Self.put(store, "b", ["title": "Buy bread"])
      let request = FindRequest(selector: try Selector(["$text": "milk"]))
      #expect(try store.find(request).documents.map(\.id) == ["a"])
      #expect(try store.count(request) == 1)
      #expect(throws: QueryError.self) { try Self.ids(store, "milk", ["$text": "buy"]) }
    }
  }

  @Test("words of an index with a filter are found only where the query asks for the filter")
  func filtered() throws {
    try Self.withStore { store in
      let filter = try Selector(["done": false])
      try store.createIndex(
        try IndexDefinition(
          kind: .text, fields: [SortField(FieldPath("title"))], partialFilter: filter))
      try Self.put(store, "a", ["title": "milk", "done": true])
      try Self.put(store, "b", ["title": "milk", "done": false])
      #expect(try Self.ids(store, "milk", ["done": false]) == ["b"])
      #expect(throws: QueryError.self) { try Self.ids(store, "milk") }
    }
  }
}
