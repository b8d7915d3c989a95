import Core
import HTTP
import Sync
import TestSupport
import Testing

/// The less usual ways to write a document.
@Suite struct WritingTests {
  private func withDatabase(_ body: (RunningListener) async throws -> Void) async throws {
    try await withListener { listener in
      try await listener.ask(.put, "/db")
      try await body(listener)
    }
  }

  @Test("a write in a batch is accepted whatever comes of it")
  func batch() async throws {
    try await withDatabase { listener in
      for number in 0..<3 {
        let answer = try await listener.ask(.put, "/db/x?batch=ok", ["n": .integer(Int64(number))])
        #expect(answer.status == 202)
        #expect(answer.json["ok"] == true)
      }
      #expect(try await listener.ask(.get, "/db/x").json["n"] == 0)
    }
  }

  @Test("a POST may stand for a method that its client cannot send; no other request may")
  func methodOverride() async throws {
    try await withDatabase { listener in
      let put = try await listener.ask(
        .post, "/db/x", ["n": 1], headers: ["X-HTTP-Method-Override": "PUT"])
      #expect(put.status == 201)
      let revision = try #require(put.json["rev"]?.stringValue)
      let read = try await listener.ask(
        .get, "/db/x?rev=\(revision)", headers: ["X-HTTP-Method-Override": "DELETE"])
      #expect(read.status == 200)
      let deletion = try await listener.ask(
        .post, "/db/x?rev=\(revision)", headers: ["X-HTTP-Method-Override": "DELETE"])
      #expect(deletion.status == 200)
    }
  }

  @Test("a copy goes to a document of the same database")
  func copy() async throws {
    try await withDatabase { listener in
      try await listener.ask(.put, "/db/x", ["n": 1])
      let absolute = try await listener.ask(
        .copy, "/db/x", headers: ["Destination": "http://example.org/db/y"])
      #expect(absolute.reason == "Destination URL must be relative.")
      let copied = try await listener.ask(.copy, "/db/x", headers: ["Destination": "y"])
      #expect(copied.status == 201)
      #expect(try await listener.ask(.get, "/db/y").json["n"] == 1)
    }
  }

  @Test("what is merged as it stands has to say which revision it is")
  func newEdits() async throws {
    try await withDatabase { listener in
      let unnamed = try await listener.ask(.put, "/db/x?new_edits=false", ["n": 1])
      #expect(unnamed.status == 400)
      #expect(unnamed.reason?.contains("`_rev` or `_revisions`") == true)
      let named = try await listener.ask(
        .put, "/db/x?new_edits=false", ["_rev": "7-abc", "n": 1])
      #expect(named.json["rev"] == "7-abc")
      let odd = try await listener.ask(.put, "/db/x?new_edits=maybe", [:])
      #expect(odd.reason == "`new_edits` parameter must be a boolean.")
    }
  }

  @Test("members of replication orders are kept, other underscores are not")
  func replicationMembers() async throws {
    try await withDatabase { listener in
      let kept = try await listener.ask(.put, "/db/x", ["_replication_state": "completed"])
      #expect(kept.status == 201)
      #expect(
        try await listener.ask(.get, "/db/x").json["_replication_state"] == "completed")
      #expect(try listener.stores.open("db").verify().problems.isEmpty)
      let reply27 = try await listener.ask(.put, "/db/y", ["_other": 1])
      #expect(reply27.error == "doc_validation")
    }
  }

  @Test("a form's file becomes an attachment, if the form is of this server's page")
  func form() async throws {
    try await withDatabase { listener in
      let first = try await listener.ask(.put, "/db/x", ["n": 1])
      let revision = try #require(first.json["rev"]?.stringValue)
      let body =
        "--b\r\nContent-Disposition: form-data; name=\"_rev\"\r\n\r\n\(revision)\r\n"
        + "--b\r\nContent-Disposition: form-data; name=\"_attachments\"; filename=\"a.txt\"\r\n"
        + "Content-Type: text/plain\r\n\r\nhello\r\n--b--\r\n"
      let type = "multipart/form-data; boundary=b"
      let strange = try await listener.ask(
        .post, "/db/x", text: body,
        headers: ["Content-Type": type, "Referer": "http://example.org/"])
      #expect(strange.reason == "Referer header must match host.")
      let own = try await listener.ask(
        .post, "/db/x", text: body,
        headers: ["Content-Type": type, "Referer": "\(listener.url)/page"])
      #expect(own.status == 201)
      let reply28 = try await listener.ask(.get, "/db/x/a.txt")
      #expect(reply28.text == "hello")
      #expect(try await listener.ask(.get, "/db/x").json["n"] == 1)
      let json = try await listener.ask(
        .post, "/db/x", [:], headers: ["Referer": "\(listener.url)/page"])
      #expect(json.status == 415)
    }
  }

  @Test("an attachment keeps its whole type, and shows its digest")
  func attachment() async throws {
    try await withDatabase { listener in
      let put = try await listener.ask(
        .put, "/db/x/a", text: "hello", headers: ["Content-Type": "text/plain;charset=utf-8"])
      #expect(put.status == 201)
      let read = try await listener.ask(.get, "/db/x/a", headers: ["Range": "bytes=0-"])
      #expect(read.status == 200)
      #expect(read.headers["Content-Type"] == "text/plain;charset=utf-8")
      #expect(read.headers["Content-MD5"] == "XUFAKrxLKna5cZ2REBfFkg==")
      let reversed = try await listener.ask(.get, "/db/x/a", headers: ["Range": "bytes=3-1"])
      #expect(reversed.status == 416)
      let unknown = try await listener.ask(.delete, "/db/x/a?rev=4-garbage")
      #expect(unknown.status == 409)
      #expect(unknown.reason == "missing_rev")
    }
  }

  @Test("temporary views are gone, as in CouchDB")
  func temporaryViews() async throws {
    try await withListener { listener in
      try await listener.ask(.put, "/db")
      let answer = try await listener.ask(.post, "/db/_temp_view", ["map": "function() {}"])
      #expect(answer.status == 410)
      #expect(answer.error == "gone")
    }
  }
}
