import Core
import Drop
import Foundation
import HTTP
import TestSupport
import Testing

/// How the bytes of files come, break off, go on and are checked.
@Suite struct UploadTests {
  @Test("a file is offered, sent, checked and saved with its time")
  func whole() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let bytes = noise(300_000)
      let answer = try await fixture.deliver(
        "a1", name: "photo.jpg", bytes,
        more: ["sha256": .string(sha256(bytes)), "modified": "2020-05-06T07:08:09.123456789Z"])
      #expect(answer.status == 200)
      #expect(answer.json["name"] == "photo.jpg")
      #expect(answer.json["sha256"] == .string(sha256(bytes)))
      #expect(try fixture.bytes("photo.jpg") == bytes)
      var status = stat()
      #expect(stat("\(fixture.folder)/photo.jpg", &status) == 0)
      #expect(status.st_mtim.tv_sec == 1_588_748_889)
      #expect(status.st_mtim.tv_nsec == 123_456_789)
      #expect(status.st_mode & 0o111 == 0)
    }
  }

  @Test("a file of no bytes is complete with an empty request")
  func empty() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let answer = try await fixture.deliver("e", name: "empty.txt", [])
      #expect(answer.status == 200)
      #expect(try fixture.bytes("empty.txt").isEmpty)
    }
  }

  @Test("what came stays, and the rest follows from there; a wrong offset is told the right one")
  func resumed() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let bytes = noise(100_000)
      try await fixture.offer("r", name: "r.bin", size: bytes.count)
      let first = try await fixture.patch("r", Array(bytes[..<30_000]))
      #expect(first.status == 204)
      #expect(first.headers["Upload-Offset"] == "30000")
      let wrong = try await fixture.patch("r", at: 10_000, Array(bytes[10_000...]))
      #expect(wrong.status == 409)
      #expect(wrong.headers["Upload-Offset"] == "30000")
      let state = try await fixture.send(.head, "/drop/r/file")
      #expect(state.headers["Upload-Offset"] == "30000")
      #expect(state.headers["Upload-Length"] == "100000")
      #expect(state.headers["Upload-State"] == "open")
      #expect(try fixture.names.isEmpty)
      let last = try await fixture.patch(
        "r", at: 30_000, Array(bytes[30_000...]), query: "&sha256=\(sha256(bytes))")
      #expect(last.status == 200)
      #expect(try fixture.bytes("r.bin") == bytes)
      let again = try await fixture.patch("r", at: 100_000, [])
      #expect(again.status == 200, "asking again gets the same answer")
    }
  }

  @Test("a connection cut in the middle keeps what came before")
  func cut() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let bytes = noise(4 << 20)
      try await fixture.offer("c", name: "c.bin", size: bytes.count)
      struct Cut: Error {}
      let sent = Counter()
      let body = HTTPBody(length: Int64(bytes.count)) {
        let start = sent.add(256 << 10)
        guard start < 2 << 20 else { throw Cut() }
        return Array(bytes[start..<start + (256 << 10)])
      }
      await #expect(throws: (any Error).self) {
        _ = try await fixture.send(.patch, "/drop/c/file?offset=0", body: .stream(body))
      }
      // Asking where to go on ends what is left of the cut request: the answer stays right.
      let state = try await fixture.send(.head, "/drop/c/file")
      let offset = try #require(Int(state.headers["Upload-Offset"] ?? ""))
      #expect(offset <= 2 << 20)
      let answer = try await fixture.patch("c", at: offset, Array(bytes[offset...]))
      #expect(answer.status == 200)
      #expect(try fixture.bytes("c.bin") == bytes)
    }
  }

  @Test("bytes of another digest are not saved, and nothing of them stays")
  func wrongDigest() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let answer = try await fixture.deliver(
        "w", name: "w.bin", noise(1_000), more: ["sha256": .string(sha256(noise(1_000, seed: 2)))])
      #expect(answer.status == 422)
      #expect(answer.json["error"] == "digest")
      // Bytes can be damaged on the way: once more from the start, and no more.
      let state = try await fixture.send(.head, "/drop/w/file")
      #expect(state.headers["Upload-State"] == "open" && state.headers["Upload-Offset"] == "0")
      #expect(try await fixture.patch("w", noise(1_000)).status == 422)
      let end = try await fixture.send(.head, "/drop/w/file")
      #expect(end.headers["Upload-State"] == "refused")
      #expect(try fixture.names.isEmpty)
    }
  }

  @Test("bytes that were damaged on the way are taken when they come once more")
  func damagedOnce() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let bytes = noise(70_000)
      let digest = sha256(bytes)
      var damaged = bytes
      damaged[5] ^= 1
      try await fixture.offer("d", name: "d.bin", size: bytes.count)
      #expect(try await fixture.patch("d", damaged, query: "&sha256=\(digest)").status == 422)
      #expect(try await fixture.patch("d", bytes, query: "&sha256=\(digest)").status == 200)
      #expect(try fixture.bytes("d.bin") == bytes)
      try await fixture.offer("e", name: "e.bin", size: bytes.count)
      #expect(try await fixture.patch("e", damaged, query: "&sha256=\(digest)").status == 422)
      #expect(
        try await fixture.send(
          .post, "/\(fixture.ticket.token.text)/done", headers: ["X-Tote": "1"]
        ).status == 200)
      let failures = await fixture.events().compactMap { event -> String? in
        if case .failed(let failure) = event { failure.code } else { nil }
      }
      #expect(failures == ["digest"])
    }
  }

  @Test("descriptions that no file has are refused, and the receiver goes on")
  func impossible() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let long = String(repeating: "n", count: 5_000)
      let impossible: [JSONObject] = [
        ["size": .integer(.max)], ["size": .integer(1 << 46 | 1)], ["size": -1],
        ["name": .string(long)], ["type": .string(long)], ["path": .string("\(long)/x")],
        ["_id": .string(long)],
      ]
      for (index, members) in impossible.enumerated() {
        for id in ["a", "b"] {
          let answer = try await fixture.offer("\(id)\(index)", name: "n", size: 1, more: members)
          #expect(answer.json.arrayValue?.isEmpty == false || answer.status == 400, "\(members)")
          #expect(try await fixture.send(.head, "/drop/\(id)\(index)/file").status == 404)
        }
        let row: JSON = [
          "name": members["name"] ?? "n", "size": members["size"] ?? 1,
          "type": members["type"] ?? "text/plain",
        ]
        guard members["path"] == nil, members["_id"] == nil else { continue }
        let answer = try await fixture.send(
          .post, "/\(fixture.ticket.token.text)/offer", headers: ["X-Tote": "1"],
          body: .bytes(JSON.object(["files": .array([row, row])]).serializedBytes()))
        #expect(answer.status == 400, "\(members)")
      }
      // As much as may be, from many: no sum is too large for a number, and what does not fit is told.
      let documents = (0..<9_000).map { index -> JSON in
        [
          "_id": .string("s\(index)"), "_revisions": ["start": 1, "ids": ["abc"]], "name": "n",
          "size": .integer(index % 2 == 0 ? 1 << 46 : 1), "@datatype": "DropFile",
        ]
      }
      for start in stride(from: 0, to: 9_000, by: 3_000) {
        let answer = try await fixture.post(
          "/drop/_bulk_docs",
          ["new_edits": false, "docs": .array(Array(documents[start..<start + 3_000]))])
        #expect(answer.status == 201)
      }
      #expect(try await fixture.patch("s1", [1]).status == 200)
    }
  }

  @Test("more bytes than were declared are cut off and never saved", arguments: [true, false])
  func tooMany(_ isChunked: Bool) async throws {
    try await ReceiverFixture.with { fixture async throws in
      try await fixture.offer("m", name: "m.bin", size: 100_000)
      let bytes = noise(200_000)
      let rest = Counter()
      let stream = HTTPBody(length: nil) { rest.add(1) < 1 ? bytes : nil }
      let answer = try await fixture.send(
        .patch, "/drop/m/file?offset=0", body: isChunked ? .stream(stream) : .bytes(bytes))
      #expect(answer.status == 413)
      #expect(try fixture.names.isEmpty)
    }
  }

  @Test("fewer bytes than were declared are never saved and are told as failed at the end")
  func tooFew() async throws {
    try await ReceiverFixture.with { fixture async throws in
      try await fixture.offer("f", name: "f.bin", size: 100_000)
      #expect(try await fixture.patch("f", noise(99_999)).status == 204)
      #expect(try await fixture.post("/\(fixture.ticket.token.text)/done", [:]).status == 200)
      await fixture.receiver.stop()
      #expect(try fixture.names.isEmpty)
      let failures = await fixture.events().compactMap { event -> String? in
        guard case .failed(let failure) = event else { return nil }
        return failure.code
      }
      #expect(failures == ["incomplete"])
    }
  }

  @Test("a file is sent at once by attachment, as CouchDB's clients do", arguments: [false, true])
  func attachment(_ isMerge: Bool) async throws {
    try await ReceiverFixture.with { fixture async throws in
      let bytes = noise(50_000)
      var document: JSON = [
        "_id": "doc",
        "_attachments": [
          "inline.txt": ["content_type": "text/plain", "data": "aGVsbG8="],
          "photo.jpg": [
            "content_type": "image/jpeg", "follows": true, "length": .integer(50_000),
          ],
        ],
      ]
      if isMerge { document["_revisions"] = ["start": 1, "ids": ["abc"]] }
      let boundary = "XXboundaryXX"
      let body =
        Array("--\(boundary)\r\nContent-Type: application/json\r\n\r\n".utf8)
        + document.serializedBytes() + Array("\r\n--\(boundary)\r\n\r\n".utf8) + bytes
        + Array("\r\n--\(boundary)--\r\n".utf8)
      let answer = try await fixture.send(
        .put, "/drop/doc?new_edits=\(!isMerge)",
        headers: ["Content-Type": "multipart/related; boundary=\"\(boundary)\""],
        body: .bytes(body))
      #expect(answer.status == 201)
      #expect(try fixture.bytes("inline.txt") == Array("hello".utf8))
      let put = try await fixture.send(.put, "/drop/d2/other%20file.bin", body: .bytes(bytes))
      #expect(put.status == 201)
      #expect(try fixture.bytes("other file.bin") == bytes)
      #expect(try fixture.bytes("photo.jpg") == bytes)
    }
  }
}

/// Adds up from several tasks.
final class Counter: Sendable {
  private let lock = NSLock()
  nonisolated(unsafe) private var value = 0

  /// Adds, and gives what was there before.
  func add(_ count: Int) -> Int {
    lock.withLock {
      defer { value += count }
      return value
    }
  }
}
