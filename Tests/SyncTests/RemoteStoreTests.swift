import Core
import Foundation
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

/// Servers behind TLS.
@Suite struct SecureRemoteTests {
  /// Runs a listener with a self-made certificate; clients trust it as told.
  private func run(
    _ body: (LocalStore, TLSIdentity, (HTTPClient.Trust) throws -> RemoteStore) async throws -> Void
  ) async throws {
    let identity = try TLSIdentity.selfSigned(
      commonName: "localhost", addresses: ["127.0.0.1"], names: ["localhost"])
    try await withListener({ $0.server.identity = identity }) { listener in
      let store = try listener.stores.create("db")
      try await body(store, identity) { trust in
        var options = HTTPClient.Options()
        options.trust = trust
        var url = listener.url.appending("db")
        url.scheme = .https
        return RemoteStore(url, client: try HTTPClient(options))
      }
    }
  }

  @Test("a pinned key is enough to replicate; attachments too")
  func pinned() async throws {
    try await run { (store, identity, open) async throws in
      try await withTwoStores { local, back in
        try write("a", "1", to: local, attachment: String(repeating: "x", count: 200_000))
        let remote = try open(.pin(identity.pin))
        #expect(try await Replicator(from: local, to: remote).run().written == 1)
        #expect(try await Replicator(from: remote, to: back).run().written == 1)
        #expect(try leaves(back) == leaves(local))
      }
    }
  }

  @Test("a file with the certificate makes it an authority")
  func authority() async throws {
    try await run { (store, identity, open) async throws in
      try await withTemporaryDirectory { path in
        let file = "\(path)/ca.pem"
        try Data(identity.certificatePEM.utf8).write(to: URL(fileURLWithPath: file))
        #expect(try await open(.authorities(path: file)).info().documentCount == 0)
      }
    }
  }

  @Test("another key, or no known authority, ends a run at once")
  func refused() async throws {
    try await run { (store, identity, open) async throws in
      let other = TLSPin([UInt8](repeating: 7, count: 32))
      for trust in [HTTPClient.Trust.pin(other), .system] {
        let remote = try open(trust)
        await #expect(throws: RemoteError.self) {
          try await Replicator(
            from: remote, to: store,
            pause: { _ in Issue.record("waited for a key that will not come") }
          ).run()
        }
      }
    }
  }
}
