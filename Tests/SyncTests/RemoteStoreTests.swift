import Core
import HTTP
import Sync
import TestSupport
import Testing

@Suite struct RemoteStoreTests {
  @Test("a document that is put is read back, and its replaced revision refused")
  func put() async throws {
    try await withListener { listener in
      _ = try listener.stores.create("db")
      let remote = listener.remote("db")
      let document = Document(id: "a/b ü+?&", body: try DocumentBody(["x": 1]))
      let first = try await remote.put(document)
      let read = try await remote.document("a/b ü+?&", ReadOptions())
      #expect(read.revision == first)
      #expect(read.body.members["x"] == 1)
      await #expect(throws: StoreError.conflict(id: "a/b ü+?&", current: nil)) {
        _ = try await remote.put(document)
      }
      #expect(try await remote.info().documentCount == 1)
    }
  }

  @Test("push and pull over HTTP move revisions, conflicts, tombstones and attachments")
  func replicate() async throws {
    try await withListener { listener in
      let source = try listener.stores.create("source")
      let target = try listener.stores.create("target")
      let back = try listener.stores.create("back")
      let first = try write("plain", "1", to: source)
      try write("plain", "2", over: first, to: source)
      try write("file", "1", to: source, attachment: String(repeating: "x", count: 300_000))
      let gone = try write("gone", "1", to: source)
      try source.delete("gone", revision: gone)
      let pushed = try await Replicator(from: source, to: listener.remote("target")).run()
      #expect(pushed.failureCount == 0)
      #expect(try leaves(target) == leaves(source))
      let pulled = try await Replicator(from: listener.remote("target"), to: back).run()
      #expect(pulled.failureCount == 0)
      #expect(try leaves(back) == leaves(source))
    }
  }
}
