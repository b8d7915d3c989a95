import Core
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Sync

/// What a client must tolerate of reads.
@Suite struct ReadToleranceTests {
  @Test(
    "a server without '_bulk_get' is read document by document",
    arguments: [400, 404, 405, 500, 501])
  func noBulkGet(_ status: Int) async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 30)
      try attach(Array("bytes".utf8), to: "file", in: world.store)
      world.peer.script { $0.route == "POST _bulk_get" ? .error(status, "odd") : .forward }
      #expect(try await world.pull().written == 31)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("'_bulk_get' is given up after failures and tried again after a while")
  func bulkGetHealth() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 3)
      let remote = try world.remote()
      let asked = (0..<3).map { (id: "d\($0)", choice: RevisionChoice.leaves) }
      world.peer.script { $0.route == "POST _bulk_get" ? .error(500) : .forward }
      for _ in 0..<8 { _ = try await remote.openRevisions(ofEach: asked, ReadOptions()) }
      #expect(world.peer.count("POST _bulk_get") == 3)
      world.peer.script { _ in .forward }
      world.pauses.skip(36)
      _ = try await remote.openRevisions(ofEach: asked, ReadOptions())
      #expect(world.peer.count("POST _bulk_get") == 3)
      world.pauses.skip(2)
      for _ in 0..<3 { _ = try await remote.openRevisions(ofEach: asked, ReadOptions()) }
      #expect(world.peer.count("POST _bulk_get") == 6)
    }
  }

  @Test("a missing '_bulk_get' is not asked for again")
  func absentBulkGet() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 60)
      world.peer.script { $0.route == "POST _bulk_get" ? .error(404) : .forward }
      var options = ReplicationOptions()
      options.batchSize = 10
      #expect(try await world.pull(options).written == 60)
      #expect(world.peer.count("POST _bulk_get") == 1)
    }
  }

  @Test("an answer that is cut, anywhere, is asked for again", arguments: [0, 1, 50, 500])
  func cutBulkGet(_ bytes: Int) async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 20)
      world.peer.script {
        $0.route == "POST _bulk_get" && $0.number == 1 ? .cut(after: bytes) : .forward
      }
      #expect(try await world.pull().written == 20)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("CDTDatastore#454, couchbase-lite-ios#334: a revision that vanished is skipped")
  func vanished() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 5)
      world.peer.script { request in
        guard request.route == "POST _bulk_get" else {
          return request.route == "GET d3" ? .error(404, "not_found", "missing") : .forward
        }
        return .edit { response in
          response.text = response.text.replacing(
            #/\{"ok":\{"_id":"d3","_rev":"([^"]*)"[^}]*\}[^}]*\}\}/#
          ) { match in
            #"{"error":{"id":"d3","rev":"\#(match.1)","error":"not_found","reason":"missing"}}"#
          }
        }
      }
      let report = try await world.pull()
      #expect(report.written == 4 && report.vanished == 1 && report.failureCount == 0)
      // A cluster's node may lag: it was asked a second time, after a pause.
      #expect(world.pauses.seconds.withLock { $0 } == [2])
      #expect(try await world.pull().checked == 0)
    }
  }

  @Test("a revision that was replaced meanwhile comes as the one that replaced it")
  func replaced() async throws {
    try await PeerWorld.run { (world) async throws in
      let first = try write("a", "1", to: world.store)
      let store = world.store
      world.peer.script { request in
        if request.route == "POST _revs_diff" || request.route == "POST _bulk_get"
          || request.route == "GET a"
        {
          _ = try? write("a", "2", over: first, to: store)
        }
        return .forward
      }
      #expect(try await world.pull().written == 1)
      #expect(try world.local.document("a").body.members["text"] == "2")
    }
  }

  @Test("414: long lists of revisions are split until they pass", arguments: [1_500, 600])
  func longAddresses(_ limit: Int) async throws {
    try await PeerWorld.run { (world) async throws in
      for index in 0..<60 {
        let hash = String(index, radix: 16)
        let long = String(repeating: "0", count: 32 - hash.count) + hash
        _ = try world.store.write(
          [Document(id: "x", revision: RevisionID(generation: 1, hash: long))], mode: .revisions)
      }
      world.peer.script { request in
        if request.route == "POST _bulk_get" { return .error(404) }
        return request.target.utf8.count > limit ? .error(414, "too_long") : .forward
      }
      #expect(try await world.pull().written == 60)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test(
    "overload and failures that pass are waited out, at every step",
    arguments: [
      "GET _local", "GET _changes", "POST _bulk_get", "GET file", "PUT _local",
    ], [408, 500, 503, 0, 1])
  func transient(_ route: String, _ status: Int) async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 3)
      var random = SeededGenerator(seed: 1)
      try attach(noise(80_000, &random), to: "file", in: world.store)
      world.peer.script { request in
        guard request.route == route, request.number <= 2 else { return .forward }
        switch status {
        case 0: return .hangUp
        case 1: return .raw(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8))
        default: return .error(status)
        }
      }
      #expect(try await world.pull().written == 4)
      #expect(try leaves(world.local) == leaves(world.store))
      #expect(try await world.pull().startSequence.json.stringValue?.hasPrefix("4-") == true)
    }
  }

  @Test("429: the client slows down, waits as long as it is told, and becomes faster again")
  func tooMany() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 30)
      world.peer.script { request in
        request.route == "GET _changes" && request.number <= 3
          ? .error(
            429, "too_many_requests", "slow down",
            headers: request.number == 1 ? [("Retry-After", "7")] : []) : .forward
      }
      #expect(try await world.pull().written == 30)
      let pauses = world.pauses.seconds.withLock { $0 }
      #expect(pauses.contains(7))
      let delays = pauses.filter { $0 < 1 }
      #expect(delays.starts(with: [0.02, 0.04, 0.08]))
      #expect((delays.last ?? 1) < 0.08)
    }
  }

  @Test("429 without end is told, not waited for", arguments: [1])
  func tooManyForEver(_ attempts: Int) async throws {
    try await PeerWorld.run { (world) async throws in
      world.peer.script { _ in .error(429, "too_many_requests") }
      await #expect(throws: RemoteError.self) { try await world.pull() }
    }
  }

  @Test("redirects of reads are followed", arguments: [301, 302, 303, 307, 308])
  func redirects(_ status: Int) async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 3)
      world.peer.script { request in
        guard request.method == "GET", !request.query.contains("moved") else { return .forward }
        let mark = request.query.isEmpty ? "?moved=1" : "&moved=1"
        return .answer(
          ScriptedPeer.Response(status, "", headers: [("Location", request.target + mark)]))
      }
      #expect(try await world.pull().written == 3)
    }
  }

  @Test(
    "redirects of requests with a body are sent there with it", arguments: [301, 302, 307, 308])
  func redirectedPosts(_ status: Int) async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 3)
      try fill(world.local, count: 3, prefix: "l")
      world.peer.script { request in
        guard request.method == "POST", !request.query.contains("moved") else { return .forward }
        let mark = request.query.isEmpty ? "?moved=1" : "&moved=1"
        return .answer(
          ScriptedPeer.Response(status, "", headers: [("Location", request.target + mark)]))
      }
      #expect(try await world.pull().written == 3)
      #expect(try await world.push().written == 3)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("errors that will not pass end the run at once", arguments: [401, 402, 403, 404, 410, 451])
  func final(_ status: Int) async throws {
    try await PeerWorld.run { (world) async throws in
      world.peer.script { $0.route == "GET _changes" ? .error(status) : .forward }
      await #expect(throws: RemoteError.self) { try await world.pull() }
      #expect(world.peer.count("GET _changes") == 1)
    }
  }

  @Test("a database that is not there is told as such, and not made")
  func missingDatabase() async throws {
    try await PeerWorld.run { (world) async throws in
      let remote = RemoteStore(
        try WebURL("http://127.0.0.1:\(world.peer.port)/nope"), client: world.client)
      await #expect(throws: StoreError.self) {
        try await Replicator(from: remote, to: world.local).run()
      }
      #expect(try await !remote.exists())
      try await remote.create()
      try await remote.create()
      #expect(try await remote.exists())
    }
  }

  @Test("proxies that refuse an encoded slash: '_design' and '_local' keep theirs")
  func plainSlashes() async throws {
    try await PeerWorld.run { (world) async throws in
      try world.store.put(Document(id: "_design/app", body: try DocumentBody(["views": [:]])))
      try fill(world.store, count: 2)
      world.peer.script { $0.path.uppercased().contains("%2F") ? .error(404) : .forward }
      #expect(try await world.pull().written == 3)
      _ = try await world.push()
      #expect(world.peer.requests.contains { $0.path.hasPrefix("/db/_local/") })
    }
  }

  @Test(
    "pouchdb#3004, #1045, couchbase-lite-ios#206: odd ids arrive both ways",
    arguments: [
      "a/b", "a+b", "a?b", "50%", "50%25", "a b", "ü/é", "a&b=c", "#", "..", "a/../b", "\"q\"",
      "_design/a/b c", "日本", "a\\b", ";,:@", "\u{1F600}",
    ], [true, false])
  func oddIDs(_ id: String, _ hasBulkGet: Bool) async throws {
    try await PeerWorld.run { (world) async throws in
      world.peer.script {
        !hasBulkGet && $0.route == "POST _bulk_get" ? .error(404) : .forward
      }
      try attach(Array("bytes".utf8), to: id, name: "n/m +%?&ü", in: world.store)
      #expect(try await world.pull().written == 1)
      #expect(try leaves(world.local) == leaves(world.store))
      var document = try world.local.document(id)
      var random = SeededGenerator(seed: 2)
      document.attachments.append(
        Core.Attachment(
          name: "more", contentType: "image/png", content: .inline(noise(70_000, &random))))
      try world.local.put(document)
      #expect(try await world.push().written == 1)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("pouchdb#7276: the number of requests is bounded by batches, also for tombstones")
  func requestCount() async throws {
    try await PeerWorld.run { (world) async throws in
      for index in 0..<400 {
        let first = try write("d\(index)", "x", to: world.store)
        if index % 2 == 0 { try world.store.delete("d\(index)", revision: first) }
      }
      var options = ReplicationOptions()
      options.batchSize = 50
      #expect(try await world.pull(options).written == 400)
      #expect(world.peer.requests.count <= 2 * 400 / 50 + 8)
      // Documents that were changed since come in batches too.
      for index in stride(from: 1, to: 400, by: 2) {
        let document = try world.store.document("d\(index)")
        try write("d\(index)", "y", over: document.revision, to: world.store)
      }
      world.peer.forget()
      #expect(try await world.pull(options).written == 200)
      #expect(world.peer.requests.count <= 2 * 200 / 50 + 8)
    }
  }

  @Test("a sync with nothing to do asks at most six times")
  func nothingToDo() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 20)
      try fill(world.local, count: 20, prefix: "l")
      for _ in 0..<2 {
        try await world.pull()
        try await world.push()
      }
      world.peer.forget()
      try await world.pull()
      try await world.push()
      #expect(world.peer.requests.count <= 6)
      #expect(world.peer.requests.allSatisfy { $0.method == "GET" })
    }
  }

  @Test("pouchdb#3133: a pull and a push of the same documents do not go in circles")
  func noCircles() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 30)
      try await world.pull()
      world.peer.forget()
      let pushed = try await world.push()
      #expect(pushed.found == 0 && pushed.written == 0)
      #expect(world.peer.count("POST _bulk_docs") == 0)
    }
  }
}
