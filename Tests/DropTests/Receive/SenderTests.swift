import Core
import Drop
import Foundation
import HTTP
import TestSupport
import Testing

/// One sender at a time, the person's word, and how a session ends.
@Suite struct SenderTests {
  @Test("the first sender that offers is the session's; others are 409, lookers are nobody")
  func bound() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let other = try ReceiverFixture.client(for: fixture.ticket, agent: "another")
      #expect(try await fixture.send(.get, "/drop", client: other).status == 200)
      try await fixture.offer("a", name: "a", size: 3)
      let document: JSON = ["_id": "b", "name": "b", "size": 1, "_rev": "1-a"]
      let body = JSON.object(["new_edits": false, "docs": .array([document])]).serializedBytes()
      let answer = try await fixture.send(
        .post, "/drop/_bulk_docs", body: .bytes(body), client: other)
      #expect(answer.status == 409)
      #expect(
        try await fixture.send(
          .patch, "/drop/a/file?offset=0", body: .bytes([1, 2, 3]), client: other
        ).status == 409)
      #expect(try await fixture.patch("a", [1, 2, 3]).status == 200)
      #expect(try fixture.names == ["a"])
    }
  }

  @Test("a sender is known again by its header, whatever address or program it comes from")
  func header() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let other = try ReceiverFixture.client(for: fixture.ticket, agent: "another")
      let mark: HTTPHeaders = ["X-Tote-Sender": "one"]
      let document: JSON = ["_id": "b", "name": "b", "size": 1, "_rev": "1-a"]
      _ = try await fixture.post(
        "/drop/_bulk_docs", ["new_edits": false, "docs": .array([document])], headers: mark)
      #expect(
        try await fixture.send(
          .patch, "/drop/b/file?offset=0", headers: mark, body: .bytes([1]), client: other
        ).status == 200)
    }
  }

  @Test("nothing is taken before the person agreed, and the question has names and sizes")
  func asked() async throws {
    let (stream, answer) = AsyncStream<DropDecision>.makeStream()
    let asked = Recorder<DropRequest>()
    try await ReceiverFixture.with({ options in
      options.ask = { request in
        asked.add(request)
        for await decision in stream { return decision }
        return .refuse
      }
    }) { fixture async throws in
      let docs: [JSON] = [("a", 3), ("b", 4)].map { id, size in
        [
          "_id": .string(id), "_rev": "1-a", "name": .string("\(id).txt"),
          "size": .integer(Int64(size)), "sender": "test machine",
        ]
      }
      _ = try await fixture.post("/drop/_bulk_docs", ["new_edits": false, "docs": .array(docs)])
      let early = try await fixture.patch("a", [1, 2, 3])
      #expect(early.status == 409)
      #expect(early.headers["Upload-State"] == "asking")
      answer.yield(.accept)
      var state = ""
      repeat {
        state = try await fixture.send(.head, "/drop/a/file").headers["Upload-State"] ?? ""
      } while state == "asking"
      #expect(state == "open")
      #expect(asked.all.count == 1)
      #expect(asked.all.first?.files.map(\.name) == ["a.txt", "b.txt"])
      #expect(asked.all.first?.size == 7)
      #expect(asked.all.first?.sender == "test machine")
      #expect(try await fixture.patch("a", [1, 2, 3]).status == 200)
    }
  }

  @Test("who is declined is told so, has no second try, and others may still come")
  func declined() async throws {
    try await ReceiverFixture.with({ $0.ask = { _ in .refuse } }) { fixture async throws in
      try await fixture.offer("a", name: "a.txt", size: 3)
      var state = ""
      repeat {
        state = try await fixture.send(.head, "/drop/a/file").headers["Upload-State"] ?? ""
      } while state == "asking"
      #expect(state == "refused")
      #expect(try await fixture.patch("a", [1, 2, 3]).status == 403)
      #expect(try await fixture.offer("b", name: "b.txt", size: 3).status == 403)
      let other = try ReceiverFixture.client(for: fixture.ticket, agent: "another")
      let document: JSON = ["_id": "c", "name": "c", "size": 1, "_rev": "1-a"]
      let body = JSON.object(["new_edits": false, "docs": .array([document])]).serializedBytes()
      #expect(
        try await fixture.send(.post, "/drop/_bulk_docs", body: .bytes(body), client: other).status
          == 201)
      #expect(try fixture.names.isEmpty)
    }
  }

  @Test("what came inline waits for the person as well")
  func inlineAsked() async throws {
    try await ReceiverFixture.with({ $0.ask = { _ in .accept } }) { fixture async throws in
      let document: JSON = ["_id": "x", "_attachments": ["n.txt": ["data": "aGVsbG8="]]]
      let answer = try await fixture.post("/drop", document)
      #expect(answer.status == 201)
      #expect(try fixture.bytes("n.txt") == Array("hello".utf8))
    }
  }

  @Test("the session ends after as many files as were asked for, and the ticket is dead then")
  func count() async throws {
    try await ReceiverFixture.with({ $0.count = 2 }) { fixture async throws in
      #expect(try await fixture.deliver("a", name: "a", [1]).status == 200)
      #expect(try await fixture.deliver("b", name: "b", [2]).status == 200)
      let events = await fixture.events()
      guard case .done(let totals)? = events.last else {
        Issue.record("no end")
        return
      }
      #expect((totals.saved, totals.failed, totals.bytes) == (2, 0, 2))
      #expect(totals.reason == .complete)
      await #expect(throws: HTTPError.self) { _ = try await fixture.send(.get, "/drop") }
      #expect(try fixture.hidden.isEmpty)
    }
  }

  @Test("the sender ends it by saying that it is finished")
  func done() async throws {
    try await ReceiverFixture.with { fixture async throws in
      #expect(try await fixture.deliver("a", name: "a", [1]).status == 200)
      let path = "/\(fixture.ticket.token.text)/done"
      #expect(try await fixture.post(path, [:]).status == 200)
      guard case .done(let totals)? = await fixture.events().last else {
        Issue.record("no end")
        return
      }
      #expect(totals.reason == .complete)
    }
  }

  @Test("kept open, a finished sender makes room for the next, with the same ticket")
  func keptOpen() async throws {
    try await ReceiverFixture.with({ $0.keepsOpen = true }) { fixture async throws in
      #expect(try await fixture.deliver("a", name: "a", [1]).status == 200)
      _ = try await fixture.post("/\(fixture.ticket.token.text)/done", [:])
      let other = try ReceiverFixture.client(for: fixture.ticket, agent: "another")
      #expect(
        try await fixture.send(.put, "/drop/x/b", body: .bytes([7]), client: other).status == 201)
      #expect(try fixture.names == ["a", "b"])
    }
  }

  @Test("when nothing comes for the given time the session has expired")
  func expired() async throws {
    try await ReceiverFixture.with({ $0.timeout = .milliseconds(50) }) { fixture async throws in
      guard case .done(let totals)? = await fixture.events().last else {
        Issue.record("no end")
        return
      }
      #expect(totals.reason == .expired)
      #expect(try fixture.hidden.isEmpty)
    }
  }

  @Test("an old ticket does not open the next session")
  func oldTicket() async throws {
    try await withTemporaryDirectory { folder in
      let first = try ReceiverFixture(DropReceiver.Options(folder: folder))
      let port = first.ticket.port
      await first.receiver.stop()
      var options = DropReceiver.Options(folder: folder)
      options.port = port
      let second = try ReceiverFixture(options)
      // The key is another one: the sender does not even say its token.
      await #expect(throws: HTTPError.self) {
        _ = try await second.send(.get, "/drop", client: first.client)
      }
      #expect(
        try await second.send(.get, "/drop", headers: ["Authorization": first.authorization])
          .status == 401)
      await second.receiver.stop()
    }
  }
}

/// Takes note of values from any task.
final class Recorder<Value: Sendable>: Sendable {
  private let values = Values()

  private final class Values: @unchecked Sendable {
    // Touched under `lock` only.
    var all: [Value] = []
    let lock = NSLock()
  }

  func add(_ value: Value) { values.lock.withLock { values.all.append(value) } }

  var all: [Value] { values.lock.withLock { values.all } }
}
