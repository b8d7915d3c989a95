import Core
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Sync

/// Stores that replicate over a network which cuts, delays, refuses and spoils.
@Suite struct NetworkConvergenceTests {
  private struct Stopped: Error {}

  @Test(
    "three stores become equal leaf for leaf over a bad network, with runs that are killed",
    arguments: 0..<3)
  func triangle(_ round: Int) async throws {
    var random = SeededGenerator(for: "NetworkConvergenceTests.triangle \(round)")
    try await withListener { listener in
      let stores = try ["a", "b", "c"].map { try listener.stores.create($0) }
      let peer = try ScriptedPeer(before: listener.url.effectivePort)
      defer { peer.stop() }
      let network = BadNetwork(seed: random.next())
      peer.script { network.decide($0) }
      for _ in 0..<10 {
        for _ in 0..<Int.random(in: 1...10, using: &random) {
          try edit(stores[Int.random(in: 0..<3, using: &random)], &random)
        }
        let near = Int.random(in: 0..<3, using: &random)
        let far = (near + Int.random(in: 1...2, using: &random)) % 3
        var options = ReplicationOptions()
        options.batchSize = Int.random(in: 1...8, using: &random)
        let lastEvent = Int.random(in: 1...8, using: &random)
        await run(
          stores[near], "\(["a", "b", "c"][far])", peer, listener, options,
          isPull: .random(using: &random), lastEvent: lastEvent > 5 ? nil : lastEvent)
      }
      network.mend()
      for (near, far) in [(0, "b"), (1, "c"), (2, "a"), (0, "b"), (1, "c")] {
        let remote = remote(far, peer, listener, spool: stores[near])
        for (from, to) in [
          (stores[near] as any DocumentStore, remote as any DocumentStore), (remote, stores[near]),
        ] {
          let report = try await Replicator(from: from, to: to, pause: { _ in }).run()
          #expect(report.failures.map(\.reason) == [])
        }
      }
      let first = try leaves(stores[0])
      #expect(try leaves(stores[1]) == first)
      #expect(try leaves(stores[2]) == first)
      for store in stores { #expect(try store.verify().problems == []) }
    }
  }

  private func remote(
    _ name: String, _ peer: ScriptedPeer, _ listener: RunningListener, spool: LocalStore
  ) -> RemoteStore {
    var url = listener.url.appending(name)
    url.port = peer.port
    return RemoteStore(url, client: listener.client, spool: spool)
  }

  /// One run, which may fail, or is stopped after some events.
  private func run(
    _ store: LocalStore, _ name: String, _ peer: ScriptedPeer, _ listener: RunningListener,
    _ options: ReplicationOptions, isPull: Bool, lastEvent: Int?
  ) async {
    let remote = RemoteStore(
      remote(name, peer, listener, spool: store).url, client: listener.client,
      timing: RemoteTiming(now: { 0 }, pause: { _ in }))
    let replicator =
      isPull
      ? Replicator(from: remote, to: store, options: options, pause: { _ in })
      : Replicator(from: store, to: remote, options: options, pause: { _ in })
    let events = Mutex(0)
    let task = Task {
      try await replicator.run { _ in
        let count = events.withLock { count in
          count += 1
          return count
        }
        if count == lastEvent { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    // Whatever it ended with: the next run goes on.
    _ = await task.result
  }

  /// One random edit, made anew when it meets a write: a listener may still be storing what a run
  /// that was stopped or cut had sent.
  private func edit(_ store: LocalStore, _ random: inout SeededGenerator) throws {
    for _ in 0..<20 {
      do { return try tryEdit(store, &random) } catch StoreError.conflict {}
    }
    try tryEdit(store, &random)
  }

  /// One edit of a new document, or of a random leaf of a known one.
  private func tryEdit(_ store: LocalStore, _ random: inout SeededGenerator) throws {
    let id = ["a/b", "ü", "c d", "e+f", "_design/g", "h"].randomElement(using: &random) ?? "h"
    let text = "t\(Int.random(in: 0..<1_000, using: &random))"
    let history = try? store.history(of: id)
    let live = history?.filter { $0.isLeaf && !$0.isDeleted } ?? []
    let leaf = live.randomElement(using: &random)?.revision
    if let leaf, Int.random(in: 0..<5, using: &random) == 0 {
      _ = try store.delete(id, revision: leaf)
      return
    }
    if leaf != nil, Int.random(in: 0..<8, using: &random) == 0 {
      _ = try store.resolve(id)
      return
    }
    var document = Document(id: id, revision: leaf, body: try DocumentBody(["t": .string(text)]))
    if let leaf {
      document.attachments = try store.document(id, ReadOptions(revision: leaf)).attachments
    }
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let name = ["x", "y/z", "ö"].randomElement(using: &random) ?? "x"
      let size = [20, 9_000, 30_000, 90_000].randomElement(using: &random) ?? 20
      document.attachments.removeAll { $0.name == name }
      document.attachments.append(
        Core.Attachment(
          name: name, contentType: "image/png", content: .inline(noise(size, &random))))
    }
    try store.put(document)
  }
}

/// Decides at random what happens to requests; what it spoils is what digests protect.
private final class BadNetwork: Sendable {
  private let state: Mutex<(random: SeededGenerator, isMended: Bool)>

  init(seed: UInt64) {
    state = Mutex((SeededGenerator(seed: seed), false))
  }

  func mend() { state.withLock { $0.isMended = true } }

  func decide(_ request: ScriptedPeer.Request) -> ScriptedPeer.Action {
    state.withLock { state in
      guard !state.isMended else { return .forward }
      let place = Int.random(in: 0..<1 << 16, using: &state.random)
      switch Int.random(in: 0..<12, using: &state.random) {
      case 0: return .hangUp
      case 1: return .cut(after: place % 2_000)
      case 2: return .cut(after: place)
      case 3: return .error([408, 500, 502, 503, 429].randomElement(using: &state.random) ?? 500)
      case 4: return .delay(2_000, .forward)
      case 5: return .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"resu".utf8))
      case 6, 7: return Self.spoiled(request, place)
      default: return .forward
      }
    }
  }

  private static func spoiled(
    _ request: ScriptedPeer.Request, _ place: Int
  ) -> ScriptedPeer.Action {
    let type = request.header("content-type") ?? ""
    if type.hasPrefix("multipart/"), request.body.count > 5_000 {
      // The last attachment's bytes end before the closing delimiter.
      var other = request
      other.body[other.body.count - 200] ^= 0x40
      return .replace(other) { _ in }
    }
    let isAttachment = ["/x", "/y%2Fz", "/%C3%B6"].contains { request.path.hasSuffix($0) }
    guard request.method == "GET", isAttachment else { return .forward }
    return .edit { response in
      guard response.status < 300, !response.body.isEmpty else { return }
      response.body[place % response.body.count] ^= 0x40
    }
  }
}
