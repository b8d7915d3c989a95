import Core
import TestSupport
import Testing

/// What CouchDB 3.5.0 answered to edits and reads of documents, replayed against local stores.
@Suite struct ReplayDocumentTests {
  @Test("edits.json: creating, updating, deleting, with and without a validation function")
  func edits() async throws {
    let outcome = try await Replay.run(
      "edits", stores: ["vec_edit", "vec_edit_vdu"],
      rules: [
        .skip(
          "vdu.vdu_forbid", "vdu.vdu_unauth", "vdu.vdu_forbid_bulk",
          "vdu.vdu_forbid_bulk_new_edits_false", because: "JavaScript functions"),
        .skip(
          "vdu.create_with_unknown_rev", "vdu.create_with_unknown_rev_7",
          "vdu.put_new_edits_true_with_revisions",
          because: "a validation function makes CouchDB insist on a known parent"),
      ])
    #expect(outcome.applied == 88)
    #expect(
      outcome.skipped == [
        "JavaScript functions": 4,
        "a validation function makes CouchDB insist on a known parent": 3,
        "delayed writes": 4,
      ])
  }

  @Test("open_revs.json: leaves, named revisions, resolving")
  func openRevisions() async throws {
    let outcome = try await Replay.run("open_revs", stores: ["vec_openrevs"])
    #expect(outcome.applied == 48)
    #expect(
      outcome.skipped == [
        "multipart answers": 5
      ])
  }

  @Test("bulk_docs.json: batches of edits and of merges")
  func bulkDocs() async throws {
    let outcome = try await Replay.run(
      "bulk_docs", stores: ["vec_bulk"],
      rules: [
        .skip("all_or_nothing", because: "options of the HTTP layer"),
        .status(201, "w_param", because: "quorums of a cluster"),
        .skip("ensure_full_commit", because: "every write is committed when it returns"),
        .ignoring(
          "pending", in: ["ne_deleted_in_changes"],
          because: "pending does not count what a filter passed over"),
      ])
    #expect(outcome.applied == 67)
    #expect(
      outcome.skipped == [
        "HTTP methods": 1,
        "authentication": 1,
        "content types": 1,
        "every write is committed when it returns": 1,
        "options of the HTTP layer": 1,
      ])
  }

  @Test("bulk_get.json: many revisions in one call")
  func bulkGet() async throws {
    let outcome = try await Replay.run(
      "bulk_get", stores: ["vec_bg"],
      rules: [
        .ignoring(
          "revpos",
          in: [
            "attachments_true", "attachments_false_stub", "att_encoding_info",
            "attachments_revs_latest", "atts_since",
          ], because: "apache/pouchdb#3942: revpos is never 0")
      ])
    #expect(outcome.applied == 38)
    #expect(
      outcome.skipped == [
        "HTTP methods": 1,
        "authentication": 1,
        "multipart answers": 2,
      ])
  }

  @Test("revs_diff.json: what a target lacks")
  func revisionsDiff() async throws {
    let outcome = try await Replay.run("revs_diff", stores: ["vec_rd"])
    #expect(outcome.applied == 36)
    #expect(
      outcome.skipped == [
        "HTTP methods": 1,
        "content types": 1,
      ])
  }

  @Test("stemming.json: limits on the length of histories")
  func stemming() async throws {
    let outcome = try await Replay.run("stemming", stores: ["vec_stem"])
    #expect(outcome.applied == 50)
    #expect(
      outcome.skipped == [
        "authentication": 1
      ])
  }

  @Test("local_docs.json: documents that are never replicated")
  func localDocuments() async throws {
    let outcome = try await Replay.run(
      "local_docs", stores: ["vec_local"],
      rules: [.skip("empty_id", because: "syntax of paths")])
    #expect(outcome.applied == 51)
    #expect(
      outcome.skipped == [
        "authentication": 1,
        "conditional requests": 1,
        "syntax of paths": 1,
      ])
  }
}
