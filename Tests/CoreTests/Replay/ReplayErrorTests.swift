import Core
import TestSupport
import Testing

/// What CouchDB 3.5.0 refused, and how, replayed against local stores.
@Suite struct ReplayErrorTests {
  @Test("errors.json: databases, documents, JSON that is none")
  func errors() async throws {
    let outcome = try await Replay.run(
      "errors", stores: ["vec_err"],
      rules: [
        .skip("root", "up", "unknown_root_endpoint", "favicon", because: "facts about a server"),
        .skip(
          "db_put_with_q_bad", "db_create_q0", "db_create_partitioned", because: "clusters"),
        .skip("view_missing_ddoc", "view_missing_view", because: "JavaScript functions"),
        .skip(
          "find_no_selector", "find_bad_selector", "find_selector_array",
          because: "replayed with find.json by the tests of Query"),
        .skip(
          "db_delete_with_rev", "doc_post_to_doc", "method_override",
          because: "options of the HTTP layer"),
        .skip("design_encoded", "doc_bad_percent", because: "syntax of paths"),
        .status(400, "db_create_too_long", because: "other words for errors"),
        .status(
          409, "att_put_bad_rev", "att_delete_missing_doc",
          because: "a revision that is not there is a conflict, in words too"),
      ])
    #expect(outcome.applied == 92)
    #expect(
      outcome.skipped == [
        "HTTP methods": 4,
        "JavaScript functions": 2,
        "authentication": 11,
        "clusters": 3,
        "conditional requests": 4,
        "content types": 2,
        "facts about a server": 4,
        "options of the HTTP layer": 3,
        "replayed with find.json by the tests of Query": 3,
        "syntax of paths": 2,
      ])
  }
}
