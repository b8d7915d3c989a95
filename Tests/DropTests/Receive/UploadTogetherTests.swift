import Core
import Foundation
import HTTP
import TestSupport
import Testing

@testable import Drop

/// Small files that share a request.
@Suite struct UploadTogetherTests {
  private static func part(_ id: String, _ bytes: [UInt8], sha256 digest: String? = nil) -> [UInt8]
  {
    UploadParts.head(id: id, size: bytes.count, sha256: digest ?? sha256(bytes)) + bytes
  }

  private static let path = "/drop/_files"

  @Test("each file is saved and has its row, in their order")
  func saved() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let contents = [noise(100_000), [], noise(3, seed: 2), noise(256 << 10, seed: 3)]
      var body: [UInt8] = []
      for (index, bytes) in contents.enumerated() {
        try await fixture.offer("f\(index)", name: "n\(index).bin", size: bytes.count)
        body += Self.part("f\(index)", bytes)
      }
      let answer = try await fixture.send(.post, Self.path, body: .bytes(body))
      #expect(answer.status == 200)
      let rows = answer.json["files"]?.arrayValue ?? []
      #expect(rows.map { $0["status"] } == [200, 200, 200, 200])
      #expect(rows.map { $0["name"]?.stringValue } == (0..<4).map { "n\($0).bin" })
      for (index, bytes) in contents.enumerated() {
        #expect(try fixture.bytes("n\(index).bin") == bytes)
      }
      let again = try await fixture.send(.post, Self.path, body: .bytes(body))
      #expect(again.json == answer.json, "asking again gets the same answer")
      #expect(try fixture.names.count == 4)
    }
  }

  @Test("what is wrong with one file does not touch the others")
  func rows() async throws {
    try await ReceiverFixture.with { fixture async throws in
      for (id, size) in [("good", 5), ("wrong", 5), ("long", 5), ("begun", 5), ("last", 5)] {
        try await fixture.offer(id, name: id, size: size)
      }
      try await fixture.patch("begun", [1, 2])
      let five: [UInt8] = [1, 2, 3, 4, 5]
      let body =
        Self.part("good", five) + Self.part("nobody", five)
        + Self.part("wrong", five, sha256: sha256([9])) + Self.part("long", five + [6])
        + Self.part("begun", five) + Self.part("last", five, sha256: "no digest")
        + Self.part("last", five)
      let answer = try await fixture.send(.post, Self.path, body: .bytes(body))
      let rows = answer.json["files"]?.arrayValue ?? []
      #expect(rows.map { $0["status"] } == [200, 404, 422, 413, 409, 400, 200])
      #expect(rows[4]["offset"] == 2 && rows[4]["state"] == "open")
      #expect(try fixture.names == ["good", "last"])
      let rest = try await fixture.patch("begun", at: 2, [3, 4, 5])
      #expect(rest.status == 200)
    }
  }

  @Test("a body that is none is refused; what was complete before stays")
  func malformed() async throws {
    try await ReceiverFixture.with { fixture async throws in
      for id in ["a", "b"] { try await fixture.offer(id, name: id, size: 3) }
      let good = Self.part("a", [1, 2, 3])
      let bad: [(String, [UInt8], Int)] = [
        ("no line", Array("hello".utf8), 400), ("no JSON", Array("hello\n".utf8), 400),
        ("no size", Array("{\"id\":\"b\",\"sha256\":\"x\"}\n".utf8), 400),
        ("a negative size", Array("{\"id\":\"b\",\"sha256\":\"x\",\"size\":-1}\n".utf8), 400),
        ("an endless line", [UInt8](repeating: 0x20, count: 2_000), 400),
        ("too few bytes", Array(Self.part("b", [1, 2, 3]).dropLast()), 400),
        ("a large file", UploadParts.head(id: "b", size: 256 << 10 | 1, sha256: "x"), 413),
        ("a huge one", UploadParts.head(id: "b", size: .max, sha256: "x"), 413),
        ("a line of another kind", Array("[1]\n".utf8), 400),
      ]
      for (what, bytes, status) in bad {
        let answer = try await fixture.send(.post, Self.path, body: .bytes(good + bytes))
        #expect(answer.status == status, "\(what)")
        #expect(try fixture.names == ["a"], "\(what)")
      }
      let none = try await fixture.send(.post, Self.path, body: .bytes([]))
      #expect(none.status == 200 && none.json["files"] == [])
      let many = (0...1_000).flatMap { Self.part("x\($0)", []) }
      #expect(try await fixture.send(.post, Self.path, body: .bytes(many)).status == 413)
    }
  }

  @Test("a body that ends in the middle of a file leaves nothing of it")
  func cut() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let contents = (0..<20).map { noise(200_000, seed: UInt64($0 + 1)) }
      var body: [UInt8] = []
      for (index, bytes) in contents.enumerated() {
        try await fixture.offer("f\(index)", name: "f\(index)", size: bytes.count)
        body += Self.part("f\(index)", bytes)
      }
      struct Cut: Error {}
      let sent = Counter()
      let whole = body
      let stream = HTTPBody(length: Int64(whole.count)) {
        let start = sent.add(64 << 10)
        guard start < whole.count / 2 else { throw Cut() }
        return Array(whole[start..<start + (64 << 10)])
      }
      await #expect(throws: (any Error).self) {
        _ = try await fixture.send(.post, Self.path, body: .stream(stream))
      }
      // The handler may still be at the file before; a name is there with all its bytes or not.
      for name in try fixture.names {
        #expect(try fixture.bytes(name) == contents[Int(name.dropFirst()) ?? 0], "\(name)")
      }
      #expect(try fixture.names.count < 15)
      let again = try await fixture.send(.post, Self.path, body: .bytes(whole))
      let rows = again.json["files"]?.arrayValue ?? []
      #expect(rows.allSatisfy { [200, 409].contains($0["status"]) } && rows.count == 20)
      for (index, row) in rows.enumerated() where row["status"] == 409 {
        try await fixture.patch("f\(index)", contents[index])
      }
      for (index, bytes) in contents.enumerated() {
        #expect(try fixture.bytes("f\(index)") == bytes)
      }
      #expect(try fixture.names.count == 20)
    }
  }

  @Test("no more files come than were asked for, and the others are nobody's failure")
  func counted() async throws {
    try await ReceiverFixture.with({ $0.count = 3 }) { fixture async throws in
      var body: [UInt8] = []
      for index in 0..<10 {
        try await fixture.offer("f\(index)", name: "f\(index)", size: 1)
        body += Self.part("f\(index)", [UInt8(index)])
      }
      let answer = try await fixture.send(.post, Self.path, body: .bytes(body))
      let rows = answer.json["files"]?.arrayValue ?? []
      #expect(rows.map { $0["status"] } == [200, 200, 200] + Array(repeating: 410, count: 7))
      guard case .done(let totals)? = await fixture.events().last else {
        Issue.record("no end")
        return
      }
      #expect((totals.saved, totals.failed) == (3, 0) && totals.reason == .complete)
      #expect(try fixture.names == ["f0", "f1", "f2"])
    }
  }

  @Test("without the password, or as a second sender, nothing is taken")
  func strangers() async throws {
    try await ReceiverFixture.with { fixture async throws in
      try await fixture.offer("a", name: "a", size: 3)
      let body = Self.part("a", [1, 2, 3])
      let wrong = try await fixture.send(
        .post, Self.path, headers: ["Authorization": "Basic ZHJvcDp3cm9uZw=="], body: .bytes(body))
      #expect(wrong.status == 401)
      let other = try ReceiverFixture.client(for: fixture.ticket, agent: "another")
      let second = try await fixture.send(.post, Self.path, body: .bytes(body), client: other)
      #expect(second.status == 423 || second.status == 409)
      let packed = try await fixture.send(
        .post, Self.path, headers: ["Content-Encoding": "gzip"], body: .bytes(body))
      #expect(packed.status == 415)
      #expect(try fixture.names.isEmpty)
    }
  }
}
