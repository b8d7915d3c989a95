import Core
import Synchronization
import Testing

@testable import Sync

@Suite struct ReplicatorTests {
  @Test("documents, tombstones, conflicts and attachments arrive leaf for leaf")
  func everything() async throws {
    try await withTwoStores { left, right in
      try write("a", "one", to: left, attachment: "bytes")
      let gone = try write("gone", "x", to: left)
      try left.delete("gone", revision: gone)
      for hash in ["aa", "bb"] {
        _ = try left.write(
          [Document(id: "conflict", revision: RevisionID(generation: 1, hash: hash))],
          mode: .revisions)
      }
      let report = try await Replicator(from: left, to: right).run()
      #expect(report.written == 4 && report.failureCount == 0)
      #expect(try leaves(right) == leaves(left))
      #expect(try right.verify().isSound)
    }
  }

  @Test("a second run starts where the first ended, and moves nothing again")
  func resumption() async throws {
    try await withTwoStores { left, right in
      for index in 0..<30 { try write("d\(index)", "x", to: left) }
      _ = try await Replicator(from: left, to: right).run()
      let source = FaultyStore(left)
      let target = FaultyStore(right)
      let second = try await Replicator(from: source, to: target).run()
      #expect(second.startSequence == 30 && second.checked == 0)
      #expect(source.calls.withLock { $0 } == ["document.local", "changes"])
      #expect(target.calls.withLock { $0 } == ["document.local"])
      try write("new", "x", to: left)
      #expect(try await Replicator(from: left, to: right).run().checked == 1)
    }
  }

  @Test("pouchdb#716: a target that was wiped gets everything again")
  func wipedTarget() async throws {
    try await withTwoStores { left, right in
      try write("a", "one", to: left)
      _ = try await Replicator(from: left, to: right).run()
      try right.purge("a")
      for local in try right.localDocuments() { try right.delete(local.id, revision: nil) }
      #expect(try await Replicator(from: left, to: right).run().written == 1)
    }
  }

  @Test("pouchdb#3999: a crash between the two checkpoints does not start from the beginning")
  func halfCheckpoint() async throws {
    try await withTwoStores { left, right in
      try write("a", "one", to: left)
      _ = try await Replicator(from: left, to: right).run()
      try write("b", "two", to: left)
      let source = FaultyStore(left) {
        if $0 == "put.local" { throw StoreError.io(operation: "", path: "", code: 5) }
      }
      await #expect(throws: StoreError.self) { try await Replicator(from: source, to: right).run() }
      let again = try await Replicator(from: left, to: right).run()
      #expect(again.startSequence == 1 && again.checked == 1 && again.found == 0)
    }
  }

  @Test("pouchdb#1240: an aborted run records nothing it did not write")
  func abort() async throws {
    try await withTwoStores { left, right in
      for index in 0..<20 { try write("d\(index)", "x", to: left) }
      var options = ReplicationOptions()
      options.batchSize = 5
      let target = FaultyStore(right) { name in
        if name == "write" { throw StoreError.diskFull(path: "disk") }
      }
      await #expect(throws: StoreError.diskFull(path: "disk")) {
        try await Replicator(from: left, to: target, options: options).run()
      }
      let report = try await Replicator(from: left, to: right, options: options).run()
      #expect(report.startSequence == 0 && report.written == 20)
    }
  }

  @Test("pouchdb#4963: a refused document stops nothing, is reported, and is tried again")
  func refusedDocument() async throws {
    try await withTwoStores { left, right in
      for index in 0..<10 { try write("d\(index)", "x", to: left) }
      let target = FaultyStore(right)
      target.refuse(["d3"])
      let first = try await Replicator(from: left, to: target).run()
      #expect(first.written == 9 && first.failures.map(\.id) == ["d3"])
      #expect(first.lastSequence == 10)
      let second = try await Replicator(from: left, to: target).run()
      #expect(second.failures.map(\.id) == ["d3"])
      target.refuse([])
      let third = try await Replicator(from: left, to: target).run()
      #expect(third.written == 1 && third.failureCount == 0)
      #expect(try leaves(left) == leaves(right))
      #expect(try await Replicator(from: left, to: target).run().checked == 0)
    }
  }

  @Test(
    "a transient failure is tried again after a pause, at every step",
    arguments: [
      "document.local", "changes", "missingRevisions", "openRevisions", "write",
    ])
  func transient(_ step: String) async throws {
    try await withTwoStores { left, right in
      try write("a", "one", to: left)
      let source = FaultyStore(left)
      let target = FaultyStore(right)
      for store in [source, target] {
        store.fault.withLock {
          $0.throwing = { [unowned store] name in
            if name == step, store.count(name) <= 2 { throw StoreError.busy(path: "x") }
          }
        }
      }
      let report = try await Replicator(from: source, to: target, pause: { _ in }).run()
      #expect(report.written == 1)
      #expect(try leaves(left) == leaves(right))
    }
  }

  @Test("pouchdb#4092: a one-shot run gives up after some attempts, with the cause")
  func givingUp() async throws {
    try await withTwoStores { left, right in
      let source = FaultyStore(left) { if $0 == "changes" { throw StoreError.busy(path: "x") } }
      await #expect(throws: StoreError.busy(path: "x")) {
        try await Replicator(from: source, to: right, pause: { _ in }).run()
      }
      #expect(source.count("changes") == 6)
    }
  }

  @Test("couchdb: a source that may not be written to keeps no checkpoint, the target's counts")
  func readOnlySource() async throws {
    try await withTwoStores { left, right in
      try write("a", "one", to: left)
      let source = FaultyStore(left) {
        if $0 == "put.local" { throw StoreError.readOnly(path: "x") }
      }
      _ = try await Replicator(from: source, to: right).run()
      try write("b", "two", to: left)
      let second = try await Replicator(from: source, to: right).run()
      #expect(second.startSequence == 1 && second.written == 1)
      #expect(try left.localDocuments().isEmpty)
    }
  }

  @Test("only the wanted documents move, and another filter starts from the beginning")
  func filters() async throws {
    try await withTwoStores { left, right in
      for index in 0..<10 { try write("d\(index)", index % 2 == 0 ? "even" : "odd", to: left) }
      var options = ReplicationOptions()
      options.ids = ["d1", "d4", "nope"]
      #expect(try await Replicator(from: left, to: right, options: options).run().written == 2)
      options.ids = nil
      options.selector = try Selector(["text": "even"])
      let report = try await Replicator(from: left, to: right, options: options).run()
      #expect(report.startSequence == 0 && report.found == 4 && report.lastSequence == 10)
      #expect(try right.info().documentCount == 6)
      // couchdb#1070: what the filter passed over is not looked at again.
      #expect(
        try await Replicator(from: left, to: right, options: options).run().startSequence == 10)
    }
  }

  @Test("a plan counts what would move and writes nothing")
  func plan() async throws {
    try await withTwoStores { left, right in
      for index in 0..<10 { try write("d\(index)", "x", to: left) }
      let plan = try await Replicator(from: left, to: right).plan()
      #expect(plan.checked == 10 && plan.found == 10)
      #expect(try right.info().documentCount == 0)
      #expect(try right.localDocuments().isEmpty && left.localDocuments().isEmpty)
    }
  }

  @Test("an attachment the target lost track of is sent whole (412 missing_stub)")
  func missingStub() async throws {
    try await withTwoStores { left, right in
      let first = try write("a", "one", to: left, attachment: "bytes")
      _ = try await Replicator(from: left, to: right).run()
      // The target forgets the revision that brought the attachment, but keeps its name.
      try right.access { try $0.execute("DELETE FROM attachments") }
      try left.put(
        Document(
          id: "a", revision: first,
          attachments: [Core.Attachment(name: "f", contentType: "a/b")]))
      let report = try await Replicator(from: left, to: right).run()
      #expect(report.written == 1 && report.failureCount == 0)
      #expect(try right.attachment(named: "f", of: "a").count == 5)
    }
  }

  @Test("a damaged attachment fails its document only, and says so")
  func damagedAttachment() async throws {
    try await withTwoStores { left, right in
      try write("a", "one", to: left, attachment: "bytes")
      try write("b", "two", to: left)
      try left.access { try $0.execute("UPDATE attachments SET md5 = randomblob(16)") }
      let report = try await Replicator(from: left, to: right).run()
      #expect(report.failures.map(\.id) == ["a"])
      #expect(try right.document("b").body.members["text"] == "two")
    }
  }

  @Test("a continuous run moves what comes later, and ends when it is cancelled")
  func continuous() async throws {
    try await withTwoStores { left, right in
      try write("a", "one", to: left)
      var options = ReplicationOptions()
      options.isContinuous = true
      let (idle, signal) = AsyncStream.makeStream(of: Int.self)
      let replicator = Replicator(from: left, to: right, options: options)
      let run = Task {
        try await replicator.run { event in
          if case .idle(let report) = event { signal.yield(report.written) }
        }
      }
      var written = idle.makeAsyncIterator()
      #expect(await written.next() == 1)
      try write("b", "two", to: left)
      #expect(await written.next() == 2)
      run.cancel()
      #expect(try await run.value.lastSequence == 2)
      #expect(try await Replicator(from: left, to: right).run().startSequence == 2)
    }
  }
}
