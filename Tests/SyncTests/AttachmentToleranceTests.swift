import Core
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Sync

/// What a client must tolerate of attachments.
@Suite struct AttachmentToleranceTests {
  /// A world whose store has one document with noise attached.
  private func run(
    _ size: Int, _ body: (PeerWorld, [UInt8]) async throws -> Void
  ) async throws {
    var random = SeededGenerator(seed: UInt64(size))
    let bytes = noise(size, &random)
    try await PeerWorld.run { (world) async throws in
      try attach(bytes, to: "a", in: world.store)
      try fill(world.store, count: 3)
      try await body(world, bytes)
    }
  }

  private static func spoil(_ response: inout ScriptedPeer.Response) {
    guard !response.body.isEmpty else { return }
    response.body[response.body.count / 2] ^= 0xff
  }

  @Test(
    "pouchdb#8466: a corrupted download is refused and fetched again",
    arguments: [80_000, 9_000, 100])
  func corrupted(_ size: Int) async throws {
    try await run(size) { (world, _) async throws in
      world.peer.script { request in
        request.path.hasSuffix("/a/f") && request.number == 1 ? .edit { Self.spoil(&$0) } : .forward
      }
      let report = try await world.pull()
      #expect(report.written == 4 && report.failureCount == 0)
      #expect(try leaves(world.local) == leaves(world.store))
      #expect(world.peer.requests.filter { $0.path.hasSuffix("/a/f") }.count == 2)
    }
  }

  @Test(
    "sync-android#575: a proxy that alters images fails their documents alone, and says why",
    arguments: [true, false])
  func altered(_ changesLength: Bool) async throws {
    try await run(80_000) { (world, _) async throws in
      world.peer.script { request in
        guard request.path.hasSuffix("/a/f") else { return .forward }
        return .edit { response in
          if changesLength { response.body.removeLast(100) } else { Self.spoil(&response) }
        }
      }
      let report = try await world.pull()
      #expect(report.written == 3)
      #expect(report.failures.map(\.id) == ["a"])
      let reason = try #require(report.failures.first?.reason)
      #expect(reason.contains(changesLength ? "79900 bytes came instead of 80000" : "digest"))
      world.peer.script { _ in .forward }
      #expect(try await world.pull().written == 1)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("small attachments of several documents: one that is spoiled is fetched by itself")
  func spoiledBatch() async throws {
    try await PeerWorld.run { (world) async throws in
      for index in 0..<6 {
        try attach(Array("abcdef-\(index)".utf8), to: "d\(index)", in: world.store)
      }
      world.peer.script { request in
        guard request.route == "POST _bulk_get", request.query.contains("attachments=true") else {
          return .forward
        }
        // "abcdef-" in base 64.
        return .edit {
          $0.text = $0.text.replacing("YWJjZGVmLT", with: "YWJjZGVmLU", maxReplacements: 1)
        }
      }
      #expect(try await world.pull().written == 6)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test(
    "pouchdb#5779, couchbase-lite-ios#858, couchdb#1031: a broken download goes on where it broke",
    arguments: [[1_000], [40_000, 40_000], [300_000, 1, 2, 3]])
  func resumed(_ cuts: [Int]) async throws {
    try await run(400_000) { (world, bytes) async throws in
      world.peer.script { request in
        guard request.path.hasSuffix("/a/f"), request.number <= cuts.count else { return .forward }
        return .cut(after: cuts[request.number - 1])
      }
      let report = try await world.pull()
      #expect(report.written == 4 && report.failureCount == 0)
      #expect(try leaves(world.local) == leaves(world.store))
      let requests = world.peer.requests.filter { $0.path.hasSuffix("/a/f") }
      #expect(requests.count == cuts.count + 1)
      var place = 0
      for (request, cut) in zip(requests.dropFirst(), cuts) {
        place += cut
        #expect(request.header("range") == "bytes=\(place)-")
      }
    }
  }

  @Test(
    "a download that cannot be resumed begins again",
    arguments: ["no ranges", "another tag", "another place", "416"])
  func unresumable(_ kind: String) async throws {
    try await run(200_000) { (world, _) async throws in
      world.peer.script { request in
        guard request.path.hasSuffix("/a/f") else { return .forward }
        if request.number == 1 { return .cut(after: 100_000) }
        guard request.header("range") != nil else { return .forward }
        var whole = request
        whole.headers.removeAll { $0.name.lowercased() == "range" }
        switch kind {
        case "no ranges": return .replace(whole) { $0["Accept-Ranges"] = "none" }
        case "another tag": return .edit { $0["ETag"] = "\"other\"" }
        case "another place": return .edit { $0["Content-Range"] = "bytes 5-199999/200000" }
        default: return .error(416, "requested_range_not_satisfiable")
        }
      }
      #expect(try await world.pull().written == 4)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("a download that never gets on is given up, and its document is not lost")
  func stuck() async throws {
    try await run(200_000) { (world, _) async throws in
      world.peer.script { $0.path.hasSuffix("/a/f") ? .cut(after: 0) : .forward }
      await #expect(throws: RemoteError.self) { try await world.pull() }
      world.peer.script { _ in .forward }
      #expect(try await world.pull().failureCount == 0)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("many attachments come in one multipart answer; what breaks off comes by itself")
  func multipart() async throws {
    var random = SeededGenerator(seed: 11)
    let files = (0..<8).map { index in
      Core.Attachment(
        name: "f\(index)", contentType: "image/png", content: .inline(noise(20_000, &random)))
    }
    for cut in [nil, 0, 30_000, 100_000] as [Int?] {
      try await PeerWorld.run { (world) async throws in
        try world.store.put(Document(id: "a", attachments: files))
        world.peer.script { request in
          guard request.query.contains("attachments=true"), let cut else {
            return .forward
          }
          return .cut(after: cut)
        }
        #expect(try await world.pull().written == 1)
        #expect(try leaves(world.local) == leaves(world.store))
        let single = world.peer.requests.filter { $0.path.contains("/a/f") }.count
        #expect(cut == nil ? single == 0 : single > 0)
      }
    }
  }

  @Test("a server that sends no multipart is asked for each attachment")
  func noMultipart() async throws {
    try await PeerWorld.run { (world) async throws in
      let files = (0..<5).map {
        Core.Attachment(
          name: "f\($0)", contentType: "image/png",
          content: .inline([UInt8](repeating: UInt8($0), count: 9_000)))
      }
      try world.store.put(Document(id: "a", attachments: files))
      world.peer.script { request in
        guard request.route == "GET a", request.path.hasSuffix("/a") else { return .forward }
        var plain = request
        plain.headers.removeAll { $0.name.lowercased() == "accept" }
        plain.headers.append(("Accept", "application/json"))
        return .replace(plain) { _ in }
      }
      #expect(try await world.pull().written == 1)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("bytes stored in gzip travel as they are, and their digest counts over that form")
  func encoded() async throws {
    let text = Array(String(repeating: "all work and no play ", count: 9_000).utf8)
    let small = try GzipEncoder.encode(text)
    for size in [small, try GzipEncoder.encode(Array("short".utf8))] {
      try await PeerWorld.run { (world) async throws in
        try attach(size, to: "a", type: "text/plain", encoding: "gzip", in: world.store)
        #expect(try await world.pull().written == 1)
        #expect(try leaves(world.local) == leaves(world.store))
        _ = try world.store.purge("a")
        for local in try world.store.localDocuments() {
          try world.store.delete(local.id, revision: nil)
        }
        #expect(try await world.push().written == 1)
        #expect(try leaves(world.local) == leaves(world.store))
        #expect(try world.store.document("a").attachments.first?.encoding == "gzip")
      }
    }
  }

  @Test("couchdb: text that the server compresses without saying so is taken in that form")
  func silentlyEncoded() async throws {
    let small = try GzipEncoder.encode(Array(String(repeating: "text ", count: 40_000).utf8))
    try await PeerWorld.run { (world) async throws in
      try attach(small, to: "a", type: "text/plain", encoding: "gzip", in: world.store)
      world.peer.script { request in
        // A server that does not know `att_encoding_info`.
        .edit { response in
          guard request.method != "GET" || !request.path.hasSuffix("/f") else { return }
          response.text = response.text.replacing(
            #/,"encoding":"gzip","encoded_length":\d+/#, with: "")
        }
      }
      let report = try await world.pull()
      #expect(report.failures.map(\.reason) == [])
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("couchbase-lite-core#349: attachments of documents without 'revpos' are fetched")
  func noPosition() async throws {
    try await run(30_000) { (world, _) async throws in
      try await world.pull()
      var document = try world.store.document("a")
      document.body = try DocumentBody(["x": 1])
      var random = SeededGenerator(seed: 12)
      document.attachments.append(
        Core.Attachment(
          name: "new", contentType: "image/png", content: .inline(noise(30_000, &random))))
      try world.store.put(document)
      world.peer.script { request in
        guard request.route == "POST _bulk_get" || request.route == "GET a",
          !request.path.contains("/a/")
        else { return .forward }
        return .edit { $0.text = $0.text.replacing(#/"revpos":\d+,/#, with: "") }
      }
      #expect(try await world.pull().failures.map(\.reason) == [])
      let file = try world.local.attachment(named: "new", of: "a")
      #expect(file.count == 30_000)
      #expect(try world.local.attachment(named: "f", of: "a").count == 30_000)
    }
  }

  @Test("only attachments that are new since what the target has are fetched")
  func since() async throws {
    try await run(80_000) { (world, _) async throws in
      try await world.pull()
      var document = try world.store.document("a")
      document.body = try DocumentBody(["x": 1])
      try world.store.put(document)
      world.peer.forget()
      #expect(try await world.pull().written == 1)
      #expect(!world.peer.requests.contains { $0.path.hasSuffix("/a/f") })
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("an upload whose session ran out half-way is sent again whole")
  func resentUpload() async throws {
    try await PeerWorld.run { (world) async throws in
      var random = SeededGenerator(seed: 13)
      try attach(noise(300_000, &random), to: "a", in: world.local)
      let cookie = [(name: "Set-Cookie", value: "AuthSession=one; Path=/")]
      world.peer.script { request in
        if request.route == "POST _session" {
          return .answer(ScriptedPeer.Response(200, #"{"ok":true}"#, headers: cookie))
        }
        if request.route == "PUT a", request.number == 1 {
          return .error(401, "unauthorized", "Session expired")
        }
        return .forward
      }
      let remote = try world.remote(.password(user: "u", password: "p"))
      let report = try await Replicator(from: world.local, to: remote).run()
      #expect(report.written == 1 && report.failureCount == 0)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }
}
