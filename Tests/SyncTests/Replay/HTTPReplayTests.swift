import Core
import TestSupport
import Testing

/// What CouchDB 3.5.0 answered, replayed over HTTP against a listener: every case is sent, or named
/// with the reason why not.
@Suite struct HTTPReplayTests {
  private static let revpos = "apache/pouchdb#3942: revpos is never 0"
  private static let functions = "JavaScript functions"

  @Test("errors.json: databases, documents, methods, JSON that is none")
  func errors() async throws {
    let outcome = try await HTTPReplay.run(
      "errors", databases: ["vec_err"],
      rules: [
        .ignoring(
          "vendor", "uuid", "features", "git_sha", in: ["root", "root_noauth"],
          because: "facts about a server"),
        .skip("design_encoded", because: "an encoded design document is answered, not redirected"),
        .ignoring("reason", in: ["doc_bad_percent"], because: "other words for errors"),
      ])
    #expect(outcome.applied == 129)
  }

  @Test("all_docs.json: listings by id")
  func allDocs() async throws {
    let outcome = try await HTTPReplay.run("all_docs", databases: ["vec_all"])
    #expect(outcome.applied == 65)
  }

  @Test("changes_empty.json: feeds of an empty database")
  func changesEmpty() async throws {
    let outcome = try await HTTPReplay.run("changes_empty", databases: ["vec_ch0"])
    #expect(outcome.applied == 5)
  }

  @Test("edits.json: creating, updating, deleting")
  func edits() async throws {
    let outcome = try await HTTPReplay.run(
      "edits", databases: ["vec_edit", "vec_edit_vdu"],
      rules: [
        .skip(
          "vdu.vdu_forbid", "vdu.vdu_unauth", "vdu.vdu_forbid_bulk",
          "vdu.vdu_forbid_bulk_new_edits_false", because: Self.functions),
        .skip(
          "vdu.create_with_unknown_rev", "vdu.create_with_unknown_rev_7",
          "vdu.put_new_edits_true_with_revisions",
          because: "a validation function makes CouchDB insist on a known parent"),
      ])
    #expect(outcome.applied == 92)
  }

  @Test("open_revs.json: leaves, named revisions, resolving")
  func openRevs() async throws {
    let outcome = try await HTTPReplay.run("open_revs", databases: ["vec_openrevs"])
    #expect(outcome.applied == 53)
  }

  @Test("bulk_docs.json: batches of edits and of merges")
  func bulkDocs() async throws {
    let outcome = try await HTTPReplay.run(
      "bulk_docs", databases: ["vec_bulk"],
      rules: [
        .status(201, "w_param", because: "quorums of a cluster"),
        .ignoring(
          "instance_start_time", in: ["ensure_full_commit"],
          because: "a number of the database, not its time"),
        .ignoring(
          "pending", in: ["ne_deleted_in_changes"],
          because: "pending does not count what a filter passed over"),
      ])
    #expect(outcome.applied == 72)
  }

  @Test("bulk_get.json: many revisions in one call")
  func bulkGet() async throws {
    let outcome = try await HTTPReplay.run(
      "bulk_get", databases: ["vec_bg"],
      rules: [
        .ignoring(
          "revpos",
          in: [
            "attachments_true", "attachments_false_stub", "att_encoding_info",
            "attachments_revs_latest", "atts_since", "accept_multipart_mixed",
            "accept_multipart_related",
          ], because: Self.revpos)
      ])
    #expect(outcome.applied == 42)
  }

  @Test("revs_diff.json: what a target lacks")
  func revsDiff() async throws {
    let outcome = try await HTTPReplay.run("revs_diff", databases: ["vec_rd"])
    #expect(outcome.applied == 38)
  }

  @Test("stemming.json: limits on the length of histories")
  func stemming() async throws {
    let outcome = try await HTTPReplay.run("stemming", databases: ["vec_stem"])
    #expect(outcome.applied == 51)
  }

  @Test("local_docs.json: documents that are never replicated")
  func localDocs() async throws {
    let outcome = try await HTTPReplay.run("local_docs", databases: ["vec_local"])
    #expect(outcome.applied == 54)
  }

  @Test("attachments.json: inline, stub, standalone and streamed attachments, ranges, digests")
  func attachments() async throws {
    let outcome = try await HTTPReplay.run(
      "attachments", databases: ["vec_att"],
      rules: [
        .skip("get_att_text_gzip", because: "text that CouchDB stored compressed"),
        .skip("range_multi", because: "several ranges are answered with the whole"),
        .status(206, "range_on_gzipped_text", because: "text is stored as it was sent"),
        .status(200, "head_range", because: "RFC 9110 §14.2: ranges are for GET"),
        .ignoring("reason", in: ["mp_no_boundary"], because: "other words for errors"),
      ])
    #expect(outcome.applied == 161)
  }

  /// Revision 1 of a new document, as it was written while a recorded feed was open.
  private func written(_ id: String, _ body: JSONObject = [:]) throws -> Document {
    Document(
      id: id, revision: RevisionID(generation: 1, hash: String(repeating: "a", count: 32)),
      body: try DocumentBody(body))
  }

  @Test("changes.json: feeds of every form, also waiting ones, with filters")
  func changes() async throws {
    let outcome = try await HTTPReplay.run(
      "changes", databases: ["vec_ch"], rules: Self.changesRules,
      whileOpen: [
        "longpoll_waits": [written("new1")],
        "longpoll_heartbeat": [written("new2")],
        "longpoll_filter_doc_ids_wait": [written("new3"), written("new4")],
        "continuous_heartbeat": [written("new5"), written("doc9")],
        "continuous_include_docs": [written("new6", ["n": 6])],
        "continuous_db_deleted_while_open": [],
      ])
    #expect(outcome.applied == 101)
  }

  private static var changesRules: [ReplayRule] {
    [
      .status(
        501, "filter_view", "filter_function", "filter_function_param", because: functions),
      .status(
        200, "since_integer_2", "since_future_int", because: "a bare number is a sequence here"),
      .ignoring(
        "revpos",
        in: [
          "include_docs", "include_docs_conflicts", "include_docs_attachments",
          "include_docs_att_encoding", "style_all_docs_include",
        ], because: revpos),
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
