import Core
import TestSupport
import Testing

/// What CouchDB 3.5.0 answered about attachments, replayed against a local store.
@Suite struct ReplayAttachmentTests {
  @Test("attachments.json: inline, stub, standalone and streamed attachments, ranges, digests")
  func attachments() async throws {
    let outcome = try await Replay.run(
      "attachments", stores: ["vec_att"],
      rules: [
        .skip(
          "get_att_text_gzip", "range_on_gzipped_text",
          because: "text that CouchDB stored compressed"),
        .skip(
          "get_att_gzip_encoded", "mp_gzip_follows_data",
          because: "decoding for a client that does not take gzip"),
      ])
    #expect(outcome.applied == 145)
    #expect(
      outcome.skipped == [
        "conditional requests": 2,
        "content types": 1,
        "decoding for a client that does not take gzip": 2,
        "multipart answers": 11,
        "text that CouchDB stored compressed": 2,
      ])
  }

  @Test("attachments.json: digests of bytes that are stored as they are")
  func digests() throws {
    let file = try ReplayFile("attachments")
    let digests = file.json["digests"]?.arrayValue ?? []
    #expect(digests.count == 4)
    try withStores { stores in
      let store = try stores.create("digests")
      for entry in digests {
        let data = try #require(entry["bytes_base64"]?.stringValue)
        let type = try #require(entry["content_type"])
        let document = try Document(
          json: ["_attachments": ["a": ["content_type": type, "data": .string(data)]]])
        try store.put(document)
        #expect(
          try store.document(document.id).attachments[0].digest == entry["digest"]?.stringValue)
      }
    }
  }
}
