import Core
import TestSupport
import Testing

/// What CouchDB 3.5.0 answered to listings and feeds, replayed against local stores.
@Suite struct ReplayFeedTests {
  @Test("all_docs.json: listings by id")
  func allDocs() async throws {
    let outcome = try await Replay.run(
      "all_docs", stores: ["vec_all"],
      rules: [
        .skip("key_number", "keys_nonstring", because: "keys that are no ids"),
        .ignoring(
          "total_rows", "offset", in: ["design_docs"],
          because: "a listing by prefix counts like any other"),
      ])
    #expect(outcome.applied == 54)
    #expect(
      outcome.skipped == [
        "HTTP methods": 1,
        "authentication": 1,
        "keys that are no ids": 2,
        "syntax of parameters": 7,
      ])
  }

  @Test("changes_empty.json: feeds of an empty store")
  func emptyChanges() async throws {
    let outcome = try await Replay.run("changes_empty", stores: ["vec_ch0"])
    #expect(outcome.applied == 5)
    #expect(outcome.skipped.isEmpty)
  }

  /// Revision 1 of a new document, as it was written while a recorded feed was open.
  private func written(_ id: String, _ body: JSONObject = [:]) throws -> Document {
    Document(
      id: id, revision: RevisionID(generation: 1, hash: String(repeating: "a", count: 32)),
      body: try DocumentBody(body))
  }

  @Test("changes.json: feeds, also waiting ones, with filters")
  func changes() async throws {
    let outcome = try await Replay.run(
      "changes", stores: ["vec_ch"], rules: Self.changesRules,
      whileOpen: [
        "longpoll_waits": [written("new1")],
        "longpoll_heartbeat": [written("new2")],
        "longpoll_filter_doc_ids_wait": [written("new3"), written("new4")],
        "continuous_heartbeat": [written("new5"), written("doc9")],
        "continuous_include_docs": [written("new6", ["n": 6])],
      ])
    #expect(outcome.applied == 81)
    #expect(
      outcome.skipped == [
        "HTTP methods": 1,
        "JavaScript functions": 6,
        "a store that is deleted under a reader": 1,
        "authentication": 1,
        "content types": 1,
        "event streams": 2,
        "options of the HTTP layer": 1,
        "syntax of parameters": 6,
        "the fields of a query are chosen by Query": 1,
      ])
  }

  private static var changesRules: [ReplayRule] {
    [
      .skip(
        "filter_view", "filter_view_missing", "filter_function", "filter_function_param",
        "filter_function_missing_fun", "filter_function_missing_ddoc",
        because: "JavaScript functions"),
      .skip(
        "limit_bad", "style_bad", "feed_bad", "filter_malformed", "filter_unknown_builtin",
        "filter_selector_get", because: "syntax of parameters"),
      .skip("seq_interval", because: "options of the HTTP layer"),
      .skip("filter_selector_fields", because: "the fields of a query are chosen by Query"),
      .skip(
        "continuous_db_deleted_while_open", because: "a store that is deleted under a reader"),
      .status(
        200, "since_integer_2", "since_future_int", because: "a bare number is a sequence here"),
      .status(
        400, "filter_selector_missing", "filter_selector_bad", because: "other words for errors"),
      .ignoring(
        "revpos",
        in: [
          "include_docs", "include_docs_conflicts", "include_docs_attachments",
          "include_docs_att_encoding", "style_all_docs_include",
        ], because: "apache/pouchdb#3942: revpos is never 0"),
      .ignoring(
        "pending",
        in: [
          "filter_doc_ids_get", "filter_doc_ids_post", "filter_doc_ids_post_empty",
          "filter_doc_ids_design", "filter_doc_ids_all_docs_style", "filter_design",
        ], because: "pending does not count what a filter passed over"),
      .ignoring(
        "last_seq", in: ["filter_selector_limit"],
        because: "a feed cut by its limit ends at its last row"),
    ]
  }
}
