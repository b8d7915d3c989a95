import Core
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Sync

/// What a client must tolerate of writes.
@Suite struct WriteToleranceTests {
  @Test("413: a batch is halved until it passes, and a document that is too large is named")
  func tooLarge() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.local, count: 40)
      try write("huge", String(repeating: "x", count: 5_000), to: world.local)
      world.peer.script { request in
        request.method == "POST" && request.route.hasSuffix("_bulk_docs")
          && request.body.count > 2_000 ? .error(413, "too_large") : .forward
      }
      let report = try await world.push()
      #expect(report.written == 40)
      #expect(report.failures.map(\.id) == ["huge"])
      // It is tried again, and found in few requests.
      world.peer.forget()
      #expect(try await world.push().failures.map(\.id) == ["huge"])
      #expect(world.peer.count("POST _bulk_docs") <= 2)
    }
  }

  @Test(
    "a document with attachments that is refused is counted, and the others go on",
    arguments: [
      (400, "Attachment name '_x' is not allowed"), (401, ""), (403, ""), (413, ""), (415, ""),
    ])
  func refusedUploads(_ status: Int, _ reason: String) async throws {
    try await PeerWorld.run { (world) async throws in
      var random = SeededGenerator(seed: 3)
      for id in ["a", "b", "c"] { try attach(noise(40_000, &random), to: id, in: world.local) }
      world.peer.script {
        $0.route == "PUT b" ? .error(status, "scripted", reason) : .forward
      }
      let report = try await world.push()
      #expect(report.written == 2)
      #expect(report.failures.map(\.id) == ["b"])
      #expect(report.failureCount == 1)
      world.peer.script { _ in .forward }
      #expect(try await world.push().written == 1)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("couchdb#745, #1734: attachments that exceed the server's limit are named, with sizes")
  func attachmentsTooLarge() async throws {
    try await PeerWorld.run { (world) async throws in
      var random = SeededGenerator(seed: 4)
      try attach(noise(50_000, &random), to: "a", name: "film", in: world.local)
      try fill(world.local, count: 3)
      world.peer.script { $0.route == "PUT a" ? .error(413, "too_large") : .forward }
      let report = try await world.push()
      #expect(report.written == 3)
      #expect(report.failures.first?.reason.contains("film (50000 bytes)") == true)
    }
  }

  @Test("a row that is forbidden denies one document; the run goes on and says so")
  func deniedRow() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.local, count: 5)
      world.peer.script { request in
        guard request.route == "POST _bulk_docs" else { return .forward }
        return .edit {
          $0.text = #"[{"id":"d2","error":"forbidden","reason":"only on Sundays"}]"#
        }
      }
      let report = try await world.push()
      #expect(report.written == 4)
      #expect(report.failures.map(\.isDenied) == [true])
      #expect(report.failures.first?.reason == "forbidden: only on Sundays")
    }
  }

  @Test("rows are told apart by revision when a document has several", arguments: [true, false])
  func rowsByRevision(_ namesRevision: Bool) async throws {
    try await PeerWorld.run { (world) async throws in
      for hash in ["aa", "bb"] {
        _ = try world.local.write(
          [Document(id: "x", revision: RevisionID(generation: 1, hash: hash))], mode: .revisions)
      }
      world.peer.script { request in
        guard request.route == "POST _bulk_docs" else { return .forward }
        let rev = namesRevision ? #""rev":"1-aa","# : ""
        return .edit { $0.text = #"[{"id":"x",\#(rev)"error":"forbidden","reason":"no"}]"# }
      }
      let report = try await world.push()
      #expect(report.written == (namesRevision ? 1 : 0))
    }
  }

  @Test("answers that list what was written too are understood")
  func talkativeRows() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.local, count: 2)
      world.peer.script { request in
        guard request.route == "POST _bulk_docs" else { return .forward }
        return .edit { $0.text = #"[{"ok":true,"id":"d0","rev":"1-0"},{"id":"d1","rev":"1-1"}]"# }
      }
      #expect(try await world.push().written == 2)
    }
  }

  @Test("417: each document is sent by itself, and tells what it is about")
  func expectationFailed() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.local, count: 4)
      world.peer.script { request in
        switch request.route {
        case "POST _bulk_docs": .error(417, "expectation_failed")
        case "PUT d1": .error(403, "forbidden", "no")
        default: .forward
        }
      }
      let report = try await world.push()
      #expect(report.written == 3 && report.failures.map(\.id) == ["d1"])
    }
  }

  @Test(
    "pouchdb#2358, couchbase-lite-ios#817, couchbase-lite-net#449: 412 sends all bodies again",
    arguments: [true, false])
  func missingStub(_ isSmall: Bool) async throws {
    try await PeerWorld.run { (world) async throws in
      var random = SeededGenerator(seed: 5)
      try attach(noise(isSmall ? 100 : 50_000, &random), to: "a", in: world.local)
      _ = try await world.push()
      // The peer loses the attachment, but says that it has the revision.
      _ = try world.store.purge("a")
      var document = try world.local.document("a")
      let ancestor = try #require(document.revision)
      document.body = try DocumentBody(["x": 1])
      try world.local.put(document)
      world.peer.script { request in
        guard request.route == "POST _revs_diff" else { return .forward }
        return .edit { response in
          response.text = response.text.replacing(
            "]}}", with: "],\"possible_ancestors\":[\"\(ancestor)\"]}}")
        }
      }
      let report = try await world.push()
      #expect(report.written == 1 && report.failureCount == 0)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("attachments that the target has stay at home")
  func knownAttachments() async throws {
    try await PeerWorld.run { (world) async throws in
      var random = SeededGenerator(seed: 6)
      try attach(noise(50_000, &random), to: "a", in: world.local)
      _ = try await world.push()
      var document = try world.local.document("a")
      document.body = try DocumentBody(["x": 1])
      try world.local.put(document)
      world.peer.forget()
      #expect(try await world.push().written == 1)
      #expect(world.peer.requests.allSatisfy { $0.body.count < 10_000 })
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("small attachments travel inside their documents, in one request")
  func inlineAttachments() async throws {
    try await PeerWorld.run { (world) async throws in
      for index in 0..<20 { try attach([1, 2, 3, UInt8(index)], to: "d\(index)", in: world.local) }
      #expect(try await world.push().written == 20)
      #expect(!world.peer.requests.contains { $0.method == "PUT" && $0.route != "PUT _local" })
      #expect(try leaves(world.local) == leaves(world.store))
      // And back.
      world.peer.forget()
      for index in 0..<20 { try world.local.purge("d\(index)") }
      for local in try world.local.localDocuments() {
        try world.local.delete(local.id, revision: nil)
      }
      #expect(try await world.pull().written == 20)
      #expect(world.peer.requests.count <= 12)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("pouchdb#2970, #1825, #2056, #836: deleted conflicts become branches, not errors")
  func deletedConflicts() async throws {
    try await PeerWorld.run { (world) async throws in
      let root = RevisionID(generation: 1, hash: "aa")
      for (hash, isDeleted) in [("bb", true), ("cc", false), ("dd", true)] {
        let leaf = RevisionID(generation: 2, hash: hash)
        _ = try world.local.write(
          [Document(id: "x", isDeleted: isDeleted, history: [leaf, root])], mode: .revisions)
      }
      #expect(try await world.push().written == 3)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test(
    "pouchdb#922, #3711, couchbase-lite-java-core#1651: 409 on a checkpoint is read and written again"
  )
  func checkpointConflict() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 2)
      world.peer.script {
        $0.route == "PUT _local" && $0.number == 1 ? .error(409, "conflict") : .forward
      }
      #expect(try await world.pull().written == 2)
      #expect(try await world.pull().checked == 0)
      #expect(world.pauses.seconds.withLock { $0.isEmpty })
    }
  }

  @Test("the answer to a checkpoint's write that is lost does no harm")
  func lostAnswer() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 2)
      world.peer.script {
        $0.route == "PUT _local" && $0.number == 1 ? .cut(after: 3) : .forward
      }
      #expect(try await world.pull().written == 2)
      #expect(try await world.pull().checked == 0)
    }
  }

  @Test("the answer to a write that is lost does no harm")
  func lostWrite() async throws {
    try await PeerWorld.run { (world) async throws in
      var random = SeededGenerator(seed: 7)
      try fill(world.local, count: 20)
      try attach(noise(50_000, &random), to: "file", in: world.local)
      world.peer.script { request in
        ["POST _bulk_docs", "PUT file"].contains(request.route) && request.number == 1
          ? .cut(after: 0) : .forward
      }
      #expect(try await world.push().failureCount == 0)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("a target without '_ensure_full_commit' is as good", arguments: [404, 405, 501])
  func noFullCommit(_ status: Int) async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.local, count: 2)
      world.peer.script { $0.route == "POST _ensure_full_commit" ? .error(status) : .forward }
      #expect(try await world.push().written == 2)
      #expect(try await world.push().checked == 0)
    }
  }

  @Test(
    "a side that takes no checkpoint: the other's counts alone", arguments: [true, false],
    [401, 403])
  func refusedCheckpoint(_ isPull: Bool, _ status: Int) async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(isPull ? world.store : world.local, count: 3)
      world.peer.script { $0.route == "PUT _local" ? .error(status, "forbidden") : .forward }
      #expect(try await (isPull ? world.pull() : world.push()).written == 3)
      try write("new", "x", to: isPull ? world.store : world.local)
      let second = try await isPull ? world.pull() : world.push()
      #expect(second.checked == 1 && second.written == 1)
    }
  }

  @Test("a user who may not write at all is told at once, not document by document")
  func forbiddenTarget() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.local, count: 50)
      world.peer.script { $0.route == "POST _bulk_docs" ? .error(403, "forbidden") : .forward }
      await #expect(throws: RemoteError.self) { try await world.push() }
      #expect(world.peer.count("POST _bulk_docs") <= 2)
    }
  }
}
