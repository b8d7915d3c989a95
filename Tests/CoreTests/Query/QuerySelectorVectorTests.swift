import Core
import Testing

struct QuerySelectorVectorTests {
  /// Cases whose answer differs on purpose; see `Selector.differences`.
  static let skipped: [String: String] = [
    "text_unsupported": "$text without a text index matches everything in CouchDB",
    "eq_whole_object_two_keys_reordered": "the order of an object's keys does not count here",
  ]

  /// Options that take away from, or change, what matches.
  static let otherOptions = ["skip", "sort", "fields", "bookmark"]

  @Test("the evaluator matches the documents CouchDB matches")
  func matches() throws {
    let documents = try QueryVectors.documents()
    var checked = 0
    for vector in try QueryVectors.cases("find") {
      let name = QueryVectors.name(vector)
      guard let body = vector["body"], let selector = body["selector"],
        Self.otherOptions.allSatisfy({ body[$0] == nil }), Self.skipped[name] == nil,
        let ids = QueryVectors.ids(vector["response"]?["ids"])
      else { continue }
      let limit = Int(body["limit"]?.integerValue ?? 25)
      let parsed = try Selector(selector)
      let found = documents.filter { parsed.matches($0, collation: .unicode) }
        .map { $0["_id"]?.stringValue ?? "?" }
      #expect(Array(found.prefix(limit)) == ids, "\(name)")
      checked += 1
    }
    #expect(checked > 140)
  }

  @Test("a malformed selector is refused with CouchDB's word and reason")
  func errors() throws {
    var checked = 0
    for vector in try QueryVectors.cases("find") {
      guard let selector = vector["body"]?["selector"], vector["body"]?.objectValue?.count == 1,
        vector["status"] == 400,
        let error = vector["response"]?["error"]?.stringValue,
        let reason = vector["response"]?["reason"]?.stringValue
      else { continue }
      let caught = #expect(throws: QueryError.self, "\(QueryVectors.name(vector))") {
        try Selector(selector)
      }
      #expect(caught?.code == error, "\(QueryVectors.name(vector))")
      #expect(caught?.reason == reason, "\(QueryVectors.name(vector))")
      checked += 1
    }
    #expect(checked >= 25)
  }

  @Test("the normal form reads back as itself")
  func normalForm() throws {
    for vector in try QueryVectors.cases("find") {
      guard let json = vector["body"]?["selector"], let selector = try? Selector(json) else {
        continue
      }
      guard selector.json.serialized() != #"{"$and":[{"$eq":1}]}"# else { continue }
      let again = try Selector(selector.json)
      #expect(again.json == selector.json, "\(QueryVectors.name(vector))")
    }
  }

  @Test("explained selectors are normalised as CouchDB does")
  func explained() throws {
    var checked = 0
    for vector in try QueryVectors.cases("find_index") {
      guard let expected = vector["response"]?["selector"],
        let json = vector["body"]?["selector"]
      else { continue }
      #expect(try Selector(json).json == expected, "\(QueryVectors.name(vector))")
      checked += 1
    }
    #expect(checked >= 11)
  }
}
