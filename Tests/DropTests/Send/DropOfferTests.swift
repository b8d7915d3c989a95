import Foundation
import HTTP
import TestSupport
import Testing

@testable import Drop

/// Files that browsers fetch.
@Suite(.serialized) struct DropOfferTests {
  /// An offer of files, and a browser that trusts it.
  struct World {
    let folder: String
    let offer: DropOffer
    let client: HTTPClient

    func get(
      _ path: String, _ headers: HTTPHeaders = HTTPHeaders(), method: HTTPMethod = .get
    ) async throws -> (response: HTTPClientResponse, bytes: [UInt8]) {
      let base = try WebURL(offer.url)
      let text = "\(base.scheme.rawValue)://\(base.authority)\(path)"
      let response = try await client.send(
        HTTPClientRequest(method, try WebURL(text), headers: headers))
      return (response, try await response.bytes())
    }

    var token: String { offer.url.split(separator: "/").last.map(String.init) ?? "" }
  }

  static func run(
    isPlain: Bool = false, count: Int? = nil,
    _ prepare: (inout FileGathering) throws -> Void = { _ in },
    _ body: (World) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      mkdir("\(folder)/trip", 0o700)
      for (name, bytes) in [
        ("a b.txt", Array("hello".utf8)),
        ("trip/\u{65E5}\u{672C}.bin", DropSenderTests.noise(700_000)),
        ("<b>\".html", Array("<script>".utf8)),
      ] as [(String, [UInt8])] {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
      }
      var gathering = try FileGathering(
        ["\(folder)/a b.txt", "\(folder)/trip", "\(folder)/<b>\".html"])
      try prepare(&gathering)
      var options = DropOffer.Options(addresses: ["127.0.0.1"])
      options.isPlain = isPlain
      options.count = count
      options.name = "the <desk>"
      let offer = try DropOffer(gathering.files, options)
      var client = HTTPClient.Options()
      if let pin = offer.pin { client.trust = .pin(pin) }
      try await body(World(folder: folder, offer: offer, client: try HTTPClient(client)))
      await offer.stop()
    }
  }

  @Test("the page lists the files and says how they go, escaped", arguments: [false, true])
  func page(isPlain: Bool) async throws {
    try await Self.run(isPlain: isPlain) { world in
      let (response, bytes) = try await world.get("/\(world.token)")
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(response.status == 200 && text.contains("a b.txt"))
      #expect(text.contains("trip/\u{65E5}\u{672C}.bin") && !text.contains("<b>\""))
      #expect(!text.contains("the <desk>"))
      #expect(text.contains("Not encrypted") == isPlain)
      #expect(response.headers["Content-Security-Policy"]?.contains("default-src 'none'") == true)
      #expect(world.offer.url.hasPrefix(isPlain ? "http://" : "https://"))
      let lower = try await world.get("/\(world.token.lowercased())/")
      #expect(lower.response.status == 200)
    }
  }

  @Test("a file comes with its name, is resumed by range and tag, and counts when it is complete")
  func file() async throws {
    try await Self.run { world in
      let path = "/\(world.token)/f/1/x"
      let (whole, bytes) = try await world.get(path)
      #expect(whole.status == 200 && bytes == DropSenderTests.noise(700_000))
      #expect(
        whole.headers["Content-Disposition"].map { ContentDisposition($0).filename }
          == "\u{65E5}\u{672C}.bin")
      #expect(whole.headers["Content-Disposition"]?.hasPrefix("attachment") == true)
      #expect(whole.headers["Accept-Ranges"] == "bytes")
      let tag = try #require(whole.headers["ETag"])
      let (part, rest) = try await world.get(
        path, ["Range": "bytes=600000-", "If-Range": tag])
      #expect(part.status == 206 && rest == Array(bytes[600_000...]))
      #expect(
        try await world.get(path, ["Range": "bytes=600000-", "If-Range": "\"other\""]).bytes
          == bytes)
      #expect(try await world.get(path, ["If-None-Match": tag]).response.status == 304)
      #expect(try await world.get(path, method: .head).bytes.isEmpty)
      #expect(try await world.get(path, ["Range": "bytes=0-9"]).bytes == Array(bytes[..<10]))
      #expect(world.offer.downloads == 3)
      let page = try await world.get("/\(world.token)/f/2/x")
      #expect(page.response.headers["Content-Security-Policy"]?.contains("sandbox") == true)
      #expect(page.response.headers["X-Content-Type-Options"] == "nosniff")
    }
  }

  @Test("nothing but the offered files can be fetched, and guesses are cut off")
  func others() async throws {
    try await Self.run { world async throws in
      let token = world.token
      for path in [
        "/", "/favicon.ico", "/\(token)/f/3/x", "/\(token)/f/-1/x", "/\(token)/f/0",
        "/\(token)/f/0/x/y",
        "/\(token)/f/..%2F..%2Fetc%2Fpasswd/x", "/\(token)/status", "/drop", "/\(token)x",
      ] {
        #expect(try await world.get(path).response.status == 404, "\(path)")
      }
      #expect(try await world.get("/\(token)", method: .post).response.status == 405)
      #expect(try await world.get("/\(token)", ["Host": "evil.example"]).response.status == 404)
      for _ in 0..<30 {
        #expect(try await world.get("/\(DropToken.random().text)").response.status == 404)
      }
      #expect(try await world.get("/\(token)").response.status == 404)
    }
  }

  @Test("a file that has changed or gone is told as gone")
  func changed() async throws {
    try await Self.run { world in
      try Data("other".utf8).write(to: URL(fileURLWithPath: "\(world.folder)/a b.txt"))
      #expect(try await world.get("/\(world.token)/f/0/x").response.status == 410)
      try FileManager.default.removeItem(atPath: "\(world.folder)/<b>\".html")
      #expect(try await world.get("/\(world.token)/f/2/x").response.status == 410)
      #expect(world.offer.downloads == 0)
    }
  }

  @Test("replaced bytes are what is fetched")
  func replacements() async throws {
    try await Self.run { gathering in
      try gathering.prepare { file throws(FileFailure) in
        file.replacements = [OutgoingFile.Replacement(offset: 1, bytes: Array("EL".utf8))]
      }
    } _: { world async throws in
      #expect(try await world.get("/\(world.token)/f/0/x").bytes == Array("hELlo".utf8))
      #expect(
        try await world.get("/\(world.token)/f/0/x", ["Range": "bytes=2-3"]).bytes
          == Array("Ll".utf8))
    }
  }

  @Test("an offer ends after its count of downloads")
  func count() async throws {
    try await Self.run(count: 2) { world in
      _ = try await world.get("/\(world.token)/f/0/x")
      _ = try await world.get("/\(world.token)/f/0/x")
      var words: [String] = []
      for await event in world.offer.events {
        if case .downloaded(let file, "127.0.0.1") = event { words.append(file.name) }
      }
      #expect(words == ["a b.txt", "a b.txt"])
    }
  }

  @Test("an offer that nobody wants ends when its time is over")
  func timeout() async throws {
    var options = DropOffer.Options(addresses: ["127.0.0.1"])
    options.timeout = .milliseconds(50)
    let offer = try DropOffer([], options)
    for await _ in offer.events {}
    await offer.stop()
  }
}
