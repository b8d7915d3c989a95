import Core
import Drop
import HTTP
import TestSupport
import Testing

/// What a phone's browser does with the page's routes.
@Suite struct PageRouteTests {
  /// A browser: its cookie, and no Basic authentication.
  struct Browser {
    let fixture: ReceiverFixture
    let cookie: String
    var base: String { "/\(fixture.ticket.token.text)" }

    init(_ fixture: ReceiverFixture) async throws {
      self.fixture = fixture
      let answer = try await fixture.send(
        .get, "/\(fixture.ticket.token.text)", headers: ["Authorization": "none"])
      cookie = String((answer.headers["Set-Cookie"] ?? "").prefix { $0 != ";" })
    }

    func headers(_ more: HTTPHeaders = [:]) -> HTTPHeaders {
      var headers: HTTPHeaders = [
        "Authorization": "none", "Cookie": cookie, "X-Tote": "1",
        "Origin": "https://127.0.0.1:\(fixture.ticket.port)",
      ]
      for field in more { headers[field.name] = field.value }
      return headers
    }
  }

  @Test("a browser offers, sends with offsets, sees the status and says it is done")
  func script() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let browser = try await Browser(fixture)
      let bytes = noise(200_000)
      let offer = try await fixture.post(
        browser.base + "/offer",
        [
          "device": "Anna's phone",
          "files": [
            [
              "name": "IMG_1.HEIC", "size": 200_000, "type": "image/heic",
              "modified": 1_588_748_889_123,
            ],
            ["name": "big", "size": .integer(1 << 46), "type": "", "modified": .null],
          ],
        ], headers: browser.headers())
      #expect(offer.status == 200)
      #expect(offer.json["files"]?[1]?["state"] == "refused")
      let id = try #require(offer.json["files"]?[0]?["id"]?.stringValue)
      #expect(offer.json["files"]?[0]?["state"] == "open")
      let half = try await fixture.send(
        .patch, browser.base + "/files/\(id)?offset=0", headers: browser.headers(),
        body: .bytes(Array(bytes[..<100_000])))
      #expect(half.status == 204)
      let status = try await fixture.send(
        .get, browser.base + "/status", headers: browser.headers())
      #expect(status.json["state"] == "open")
      #expect(status.json["waiting"] == false)
      #expect(status.json["files"]?[0]?["offset"] == 100_000)
      let rest = try await fixture.send(
        .patch, browser.base + "/files/\(id)?offset=100000", headers: browser.headers(),
        body: .bytes(Array(bytes[100_000...])))
      #expect(rest.status == 200)
      #expect(rest.json["sha256"] == .string(sha256(bytes)))
      let done = try await fixture.send(
        .post, browser.base + "/done", headers: browser.headers())
      #expect(done.status == 200)
      let saved = await fixture.events().compactMap { event -> DropSaved? in
        guard case .saved(let saved) = event else { return nil }
        return saved
      }
      #expect(saved.map(\.name) == ["IMG_1.HEIC"])
      #expect(saved.first?.file.sender == "Anna's phone")
    }
  }

  @Test("changes need the page's own header, so that no other site's form makes them")
  func crossSite() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let browser = try await Browser(fixture)
      var headers = browser.headers()
      headers["X-Tote"] = nil
      for path in ["/offer", "/done"] {
        #expect(
          try await fixture.send(
            .post, browser.base + path, headers: headers, body: .bytes(Array("{}".utf8))
          ).status == 403)
      }
    }
  }

  @Test("a form without JavaScript delivers its files and answers with a page")
  func form() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let browser = try await Browser(fixture)
      let bytes = noise(150_000)
      let body =
        Array(
          "--b\r\nContent-Disposition: form-data; name=\"photos\"; filename=\"../été \\\"1\\\".jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"
            .utf8) + bytes
        + Array(
          "\r\n--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"\"\r\n\r\n\r\n--b--\r\n"
            .utf8)
      let answer = try await fixture.send(
        .post, browser.base + "/form",
        headers: browser.headers(["Content-Type": "multipart/form-data; boundary=b"]),
        body: .bytes(body))
      #expect(answer.status == 200)
      #expect(answer.headers["Content-Type"]?.hasPrefix("text/html") == true)
      #expect(try fixture.bytes("été _1_.jpg") == bytes)
    }
  }

  @Test("another browser with the same ticket is 409 and sees nothing of the first")
  func second() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let first = try await Browser(fixture)
      let second = try await Browser(fixture)
      let offer: JSON = ["device": "x", "files": [["name": "a", "size": 1]]]
      _ = try await fixture.post(first.base + "/offer", offer, headers: first.headers())
      #expect(
        try await fixture.post(second.base + "/offer", offer, headers: second.headers()).status
          == 409)
      let status = try await fixture.send(
        .get, second.base + "/status", headers: second.headers())
      #expect(status.json["files"] == .array([]))
    }
  }
}
