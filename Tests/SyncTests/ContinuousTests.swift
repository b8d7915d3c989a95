import Core
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Sync

/// Replications that keep running.
@Suite struct ContinuousTests {
  /// What a continuous run told, to be waited for.
  private final class Events: Sendable {
    let stream: AsyncStream<ReplicationEvent>
    private let signal: AsyncStream<ReplicationEvent>.Continuation

    init() { (stream, signal) = AsyncStream.makeStream(of: ReplicationEvent.self) }

    func tell(_ event: ReplicationEvent) { signal.yield(event) }

    /// Waits until the run has nothing to do with so many documents written.
    func idle(written: Int) async {
      for await event in stream {
        if case .idle(let report) = event, report.written >= written { return }
      }
    }
  }

  @Test(
    "pouchdb#2979, #8076, #8462, #9063: after a lost connection it goes on, and repeats nothing",
    arguments: ["GET _changes", "POST _bulk_get", "GET d1"])
  func reconnect(_ route: String) async throws {
    try await PeerWorld.run { (world) async throws in
      var options = ReplicationOptions()
      options.isContinuous = true
      let events = Events()
      try fill(world.store, count: 3)
      world.peer.script { request in
        request.route == route && request.number % 3 != 0 ? .hangUp : .forward
      }
      let replicator = Replicator(
        from: try world.remote(), to: world.local, options: options, pause: { world.pauses.add($0) }
      )
      let run = Task { try await replicator.run { events.tell($0) } }
      await events.idle(written: 3)
      for wave in 1...3 {
        try fill(world.store, count: 2, prefix: "w\(wave)-")
        await events.idle(written: 3 + wave * 2)
      }
      run.cancel()
      let report = try await run.value
      #expect(report.written == 9 && report.read == 9)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("it tells when it waits, goes on, tries again and has recovered")
  func states() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 1)
      var options = ReplicationOptions()
      options.isContinuous = true
      let words = Mutex<[String]>([])
      let events = Events()
      world.peer.script {
        $0.route == "GET _changes" && $0.number == 1 ? .hangUp : .forward
      }
      let replicator = Replicator(
        from: try world.remote(), to: world.local, options: options, pause: { _ in })
      let run = Task {
        try await replicator.run { event in
          let word =
            switch event {
            case .started: "started"
            case .progress: "progress"
            case .failed: "failed"
            case .retrying: "retrying"
            case .idle: "idle"
            case .active: "active"
            }
          words.withLock { $0.append(word) }
          events.tell(event)
        }
      }
      await events.idle(written: 1)
      try write("new", "x", to: world.store)
      await events.idle(written: 2)
      run.cancel()
      _ = try await run.value
      #expect(
        words.withLock { $0 } == [
          "started", "retrying", "active", "progress", "idle", "active", "progress", "idle",
        ])
    }
  }

  @Test("what no waiting helps against ends it", arguments: [401, 404])
  func final(_ status: Int) async throws {
    try await PeerWorld.run { (world) async throws in
      var options = ReplicationOptions()
      options.isContinuous = true
      world.peer.script { $0.route == "GET _changes" ? .error(status) : .forward }
      let wanted = options
      await #expect(throws: RemoteError.self) { try await world.pull(wanted) }
    }
  }

  @Test("a pull and a push at the same time bring two stores together and then rest")
  func bothWays() async throws {
    try await PeerWorld.run { (world) async throws in
      var options = ReplicationOptions()
      options.isContinuous = true
      let (pulled, pushed) = (Events(), Events())
      try fill(world.store, count: 5, prefix: "s")
      try fill(world.local, count: 5, prefix: "l")
      let remote = try world.remote()
      let (wanted, local) = (options, world.local)
      let pull = Task {
        try await Replicator(from: remote, to: local, options: wanted).run { pulled.tell($0) }
      }
      let push = Task {
        try await Replicator(from: local, to: remote, options: wanted).run { pushed.tell($0) }
      }
      await pulled.idle(written: 5)
      await pushed.idle(written: 5)
      pull.cancel()
      push.cancel()
      _ = try await (pull.value, push.value)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }
}
