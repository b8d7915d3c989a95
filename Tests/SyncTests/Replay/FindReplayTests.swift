import Core
import HTTP
import Sync
import TestSupport
import Testing

/// The recorded Mango requests over HTTP: statuses, errors, bodies and headers of the routes.
///
/// What queries mean is tested with the store.
@Suite struct FindReplayTests {
  /// Cases that are answered differently on purpose, each with its reason.
  private static let skipped: [String: String] = [
    "eq_whole_object_two_keys_reordered": "the order of an object's keys does not count here",
    "text_unsupported": "$text without a text index is an error here",
    "sort_by_id": "answered here, with a warning, not refused",
    "sort_by_id_desc": "answered here, with a warning, not refused",
    "sort_no_index": "answered here, with a warning, not refused",
    "create_auto_named": "names are derived by another hash",
    "create_auto_named_again": "names are derived by another hash",
    "fields_empty_accepted": "names are derived by another hash",
    "err_type_text": "text indexes are available here",
    "sort_name_only_no_index": "answered here, with a warning, not refused",
    "explain_or": "an index is not read as a whole here",
    "explain_no_sort_index": "answered here by sorting",
    "design_doc_of_index": "indexes are no documents here",
    "put_index": "CouchDB takes it for a document",
  ]

  @Test(
    "find.json and find_index.json: _find, _explain and _index", arguments: ["find", "find_index"])
  func replay(name: String) async throws {
    let file = try ReplayFile(name)
    let dataset = try #require(ReplayFile("find").json["dataset"]?.arrayValue)
    try await withListener(HTTPReplayServer.prepare) { listener in
      let server = HTTPReplayServer(listener)
      try server.create("vec_find")
      _ = try listener.stores.open("vec_find").write(
        dataset.map { try Document(json: $0) }, mode: .revisions)
      var applied = 0
      for vector in file.cases where Self.skipped[vector.name] == nil {
        guard vector.json["pages"] == nil else { continue }
        applied += 1
        let answer = try await server.send(Self.request(vector), whileOpen: nil) { $0 }
        Self.check(answer, vector)
      }
      print("HTTP vectors of \(name).json: \(applied) applied")
      #expect(applied == (name == "find" ? 233 : 73))
    }
  }

  private static func request(_ vector: ReplayCase) -> ReplayCase {
    var request = JSONObject()
    request["method"] = vector.json["method"] ?? "POST"
    let path = vector.json["path"]?.stringValue ?? "/{db}/_find"
    let database = vector.name == "err_missing_db" ? "vec_nodb" : "vec_find"
    request["path"] = .string(path.replacing("{db}", with: database))
    if vector.name == "err_noauth" { request["auth"] = "none" }
    if let type = vector.json["content_type"] { request["headers"] = ["Content-Type": type] }
    switch vector.name {
    case "err_body_bad_json", "err_bad_json":
      request["body_text"] = "{"
      request["headers"] = ["Content-Type": "application/json"]
    case "err_body_empty":
      request["body_text"] = ""
      request["headers"] = ["Content-Type": "application/json"]
    default: if let body = vector.json["body"] { request["body"] = body }
    }
    return ReplayCase(["request": .object(request)])
  }

  /// Members that need not be there: of the recordings, or explanations of CouchDB's planner.
  private static let optional: Set<String> = [
    "ids", "warning", "index_candidates", "selector_hints",
  ]

  private static func check(_ answer: HTTPReplayAnswer, _ vector: ReplayCase) {
    let status = Int(vector.json["status"]?.integerValue ?? 0)
    let expected = vector.json["response"]
    // CouchDB answers 500 where its code does not expect a value.
    guard status != 500 else {
      #expect(answer.status == 400, "\(vector.name)")
      return
    }
    #expect(answer.status == status, "\(vector.name): \(answer.json ?? .null)")
    if status >= 400 {
      #expect(answer.json?["error"] == expected?["error"], "\(vector.name)")
      #expect(answer.json?["reason"] == expected?["reason"], "\(vector.name)")
      return
    }
    if let ids = expected?["ids"]?.arrayValue {
      let found = (answer.json?["docs"]?.arrayValue ?? []).map { $0["_id"] ?? .null }
      #expect(Set(found) == Set(ids), "\(vector.name)")
    }
    // What our answers have more, they may; what CouchDB's have, they must.
    for key in expected?.objectValue?.keys ?? [] where !optional.contains(key) {
      #expect(answer.json?[key] != nil, "\(vector.name) has no \(key)")
    }
  }
}
