import Core
import Drop
import HTTP
import TestSupport
import Testing

/// Who is let in, and what those learn who are not.
@Suite struct GateTests {
  /// More than any throttle gives back while a busy machine makes them.
  private static let guesses = 40

  @Test("without the token everything is 404, whatever is asked")
  func nothing() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let other = DropToken.random().text
      for path in [
        "/", "/drop", "/drop/_all_docs", "/favicon.ico", "/drop/_bulk_docs", "/\(other)",
        "/\(other)/status", "/_session", "/_users", "/drop/a/file", "/%2e%2e/%2e%2e/etc/passwd",
      ] {
        for method in [HTTPMethod.get, .post, .put, .head, .patch] {
          let answer = try await fixture.send(
            method, path, headers: ["Authorization": "Bearer x", "X-Tote": "1"])
          #expect([404, 429].contains(answer.status), "\(method.rawValue) \(path)")
          #expect(answer.headers["Access-Control-Allow-Origin"] == nil)
        }
      }
    }
  }

  @Test(
    "a replicator cannot read: documents, feeds, designs and other databases are not there",
    arguments: [
      "/drop/_all_docs", "/drop/_changes", "/drop/a", "/drop/a/photo.jpg", "/drop/_design/x",
      "/_all_dbs", "/_users", "/drop/_security", "/drop/_find", "/drop/_bulk_get", "/_utils",
      "/other", "/drop/_local_docs", "/drop/%5fdesign/x", "/drop/_local/../a",
    ])
  func writeOnly(_ path: String) async throws {
    try await ReceiverFixture.with { fixture async throws in
      try await fixture.deliver("a", name: "photo.jpg", noise(100))
      for method in [HTTPMethod.get, .post, .head] {
        let answer = try await fixture.send(method, path)
        #expect(answer.status == 404, "\(method.rawValue) \(path)")
      }
      #expect(try await fixture.send(.put, "/drop/_design/x", body: .bytes([])).status == 404)
      #expect(try await fixture.send(.delete, "/drop/a").status == 405)
    }
  }

  @Test("a wrong password is 401, and an address that goes on guessing is not heard any more")
  func guesses() async throws {
    try await ReceiverFixture.with { fixture async throws in
      var statuses: [Int] = []
      for _ in 0..<Self.guesses {
        let wrong = BasicCredentials(user: "drop", password: DropToken.random().text)
        statuses.append(
          try await fixture.send(.get, "/drop", headers: ["Authorization": wrong.authorization])
            .status)
      }
      #expect(statuses.first == 401)
      #expect(statuses.last == 404)
      #expect(try await fixture.send(.get, "/drop").status == 404, "the right one comes too late")
      await fixture.receiver.stop()
      let cut = await fixture.events().contains {
        if case .cutOff("127.0.0.1") = $0 { true } else { false }
      }
      #expect(cut)
    }
  }

  @Test("guesses in the path count as well")
  func pathGuesses() async throws {
    try await ReceiverFixture.with { fixture async throws in
      for _ in 0..<Self.guesses {
        let answer = try await fixture.send(
          .get, "/\(DropToken.random().text)", headers: ["Authorization": "none"])
        #expect(answer.status == 404)
      }
      #expect(try await fixture.send(.get, "/drop").status == 404)
    }
  }

  @Test("what cannot be a token is no guess: browsers ask for icons")
  func noGuess() async throws {
    try await ReceiverFixture.with { fixture async throws in
      for _ in 0..<30 {
        _ = try await fixture.send(.get, "/favicon.ico", headers: ["Authorization": "none"])
      }
      #expect(try await fixture.send(.get, "/drop").status == 200)
    }
  }

  @Test(
    "another Host (DNS rebinding) or Origin is 404, with the right token too",
    arguments: [
      ["Host": "evil.example"], ["Host": "127.0.0.1"], ["Host": "localhost:80"],
      ["Origin": "https://evil.example"], ["Origin": "null"], ["Origin": "http://127.0.0.1"],
    ])
  func origins(_ fields: [String: String]) async throws {
    try await ReceiverFixture.with { fixture async throws in
      let headers = HTTPHeaders(fields.map { ($0.key, $0.value) })
      #expect(try await fixture.send(.get, "/drop", headers: headers).status == 404)
      let page = "/\(fixture.ticket.token.text)"
      #expect(try await fixture.send(.get, page, headers: headers).status == 404)
      let own = "https://127.0.0.1:\(fixture.ticket.port)"
      #expect(try await fixture.send(.get, "/drop", headers: ["Origin": own]).status == 200)
    }
  }

  @Test("the token is matched in either case, and looking at the page consumes nothing")
  func page() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let token = fixture.ticket.token.text
      let pin = Base32.encode(fixture.ticket.pin.digest)
      for path in [
        "/\(token)/\(pin)", "/\(token.lowercased())/\(pin.lowercased())", "/\(token)", "/\(token)/",
        "/\(token)/\(pin).C0A80117",
      ] {
        for _ in 0..<3 {
          let answer = try await fixture.send(.get, path, headers: ["Authorization": "none"])
          #expect(answer.status == 200, "\(path)")
          #expect(answer.headers["Content-Type"]?.hasPrefix("text/html") == true)
          let policy = answer.headers["Content-Security-Policy"] ?? ""
          #expect(policy.contains("default-src 'none'"))
          #expect(policy.contains("frame-ancestors 'none'"))
          #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
          #expect(answer.headers["Cache-Control"] == "no-store")
          #expect(answer.headers["Set-Cookie"]?.contains("HttpOnly") == true)
        }
      }
      #expect(try await fixture.deliver("a", name: "a", [1]).status == 200)
    }
  }

  @Test("the phone's token opens the plain listener's page and nothing else")
  func phone() async throws {
    try await ReceiverFixture.with({ $0.hasPhone = true }) { fixture async throws in
      let phone = try #require(fixture.ticket.phone)
      #expect(phone.token != fixture.ticket.token)
      #expect(phone.port != fixture.ticket.port)
      let plain = try HTTPClient()
      func status(_ path: String, _ headers: HTTPHeaders = [:]) async throws -> Int {
        let url = try WebURL("http://127.0.0.1:\(phone.port)\(path)")
        return try await plain.send(HTTPClientRequest(.get, url, headers: headers)).status
      }
      #expect(try await status("/\(phone.token.text)") == 200)
      #expect(try await status("/\(phone.token.text)/status") == 200)
      #expect(try await status("/\(fixture.ticket.token.text)") == 404)
      #expect(try await status("/drop", ["Authorization": fixture.authorization]) == 404)
      let sniffed = BasicCredentials(user: "drop", password: phone.token.text).authorization
      #expect(try await status("/drop", ["Authorization": sniffed]) == 404)
      #expect(
        try await fixture.send(.get, "/drop", headers: ["Authorization": sniffed]).status == 401)
      #expect(
        try await fixture.send(
          .get, "/\(phone.token.text)", headers: ["Authorization": "none"]
        ).status == 404)
    }
  }

  @Test("another key than the ticket's is not talked to")
  func pin() async throws {
    try await ReceiverFixture.with { fixture async throws in
      var ticket = fixture.ticket
      ticket.pin = TLSPin([UInt8](repeating: 7, count: 32))
      let client = try ReceiverFixture.client(for: ticket)
      await #expect(throws: HTTPError.self) {
        _ = try await fixture.send(.get, "/drop", client: client)
      }
    }
  }

  @Test("forwarding headers do not make another address of a guesser")
  func forwarded() async throws {
    try await ReceiverFixture.with { fixture async throws in
      for number in 0..<Self.guesses {
        let wrong = BasicCredentials(user: "drop", password: "x").authorization
        _ = try await fixture.send(
          .get, "/drop",
          headers: [
            "Authorization": wrong, "X-Forwarded-For": "10.0.0.\(number)",
            "Forwarded": "for=10.0.0.\(number)",
          ])
      }
      #expect(try await fixture.send(.get, "/drop").status == 404)
    }
  }

  @Test("headers, targets and bodies beyond their limits are refused")
  func limits() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let long = String(repeating: "x", count: 20_000)
      #expect(try await fixture.send(.get, "/drop", headers: ["X-Long": long]).status == 431)
      #expect(try await fixture.send(.get, "/drop?\(long.prefix(5_000))").status == 414)
      let deep = Array((String(repeating: "[", count: 2_000)).utf8)
      #expect(
        try await fixture.send(.post, "/drop/_bulk_docs", body: .bytes(deep)).status == 400)
      let huge = [UInt8](repeating: 0x20, count: 33 << 20)
      #expect(
        try await fixture.send(.post, "/drop/_bulk_docs", body: .bytes(huge)).status == 413)
      let many = JSON.array((0..<10_001).map { ["_id": .string("d\($0)")] })
      #expect(
        try await fixture.post("/drop/_bulk_docs", ["new_edits": false, "docs": many]).status == 413
      )
      #expect(try await fixture.send(.get, "/drop").status == 200)
    }
  }
}
