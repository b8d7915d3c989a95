import Core
import Synchronization

/// Tells subscribers what happens in a library, whoever does it: one watcher reads the store's changes
/// feed for all of them, and none while there are no subscribers.
final class PhotoFeed: Sendable {
  private let store: any DocumentStore
  private let removed: @Sendable (PhotoID) -> Void
  private let state = Mutex(State())

  private struct State {
    var subscribers: [Int: AsyncStream<PhotoEvent>.Continuation] = [:]
    var nextNumber = 0
    var watcher: Task<Void, Never>?
    /// Counts the watchers, so that one that was stopped cannot end its successor.
    var generation = 0
    /// Whether the watcher knows where it begins.
    var isReady = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var isClosed = false
  }

  /// Events that a subscriber may be behind; then its stream ends, and it can start anew.
  static let bufferedEvents = 1000
  private static let waitMilliseconds = 25_000
  private static let pageLength = 200
  /// After an error.
  private static let pause = Duration.seconds(1)

  /// - Parameters:
  ///   - store: whose changes.
  ///   - removed: told each photo that is gone, before the subscribers are.
  init(_ store: any DocumentStore, removed: @escaping @Sendable (PhotoID) -> Void) {
    self.store = store
    self.removed = removed
  }

  /// What happens from now on.
  func events() -> AsyncStream<PhotoEvent> {
    AsyncStream(bufferingPolicy: .bufferingOldest(Self.bufferedEvents)) { continuation in
      let number = state.withLock { state -> Int? in
        guard !state.isClosed else { return nil }
        state.nextNumber += 1
        state.subscribers[state.nextNumber] = continuation
        if state.watcher == nil { startWatcher(&state) }
        return state.nextNumber
      }
      guard let number else { return continuation.finish() }
      continuation.onTermination = { [weak self] _ in self?.unsubscribe(number) }
    }
  }

  /// Returns when the watcher knows where it begins: everything that happens later is told.
  func ready() async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.isReady || state.isClosed || state.watcher == nil { return true }
        state.waiting.append(continuation)
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  /// Ends every stream.
  func close() {
    let (subscribers, waiting) = state.withLock { state in
      state.isClosed = true
      state.watcher?.cancel()
      state.watcher = nil
      defer { (state.subscribers, state.waiting) = ([:], []) }
      return (state.subscribers, state.waiting)
    }
    for subscriber in subscribers.values { subscriber.finish() }
    for waiter in waiting { waiter.resume() }
  }

  private func unsubscribe(_ number: Int) {
    state.withLock { state in
      state.subscribers[number] = nil
      guard state.subscribers.isEmpty else { return }
      state.watcher?.cancel()
      state.watcher = nil
      state.isReady = false
    }
  }

  // MARK: Watching

  private func startWatcher(_ state: inout State) {
    state.generation += 1
    state.isReady = false
    let generation = state.generation
    // A local store tells its sequence at once, so that nothing is missed from here on.
    let start = (store as? LocalStore).flatMap { try? $0.currentSequence() }
    if start != nil { state.isReady = true }
    state.watcher = Task { [weak self] in await self?.watch(from: start, generation) }
  }

  private func watch(from start: UpdateSequence?, _ generation: Int) async {
    var since = start
    while !Task.isCancelled {
      do {
        guard let known = since else {
          since = try await store.currentSequence()
          becomeReady(generation)
          continue
        }
        guard
          try await store.waitForChange(after: known, milliseconds: Self.waitMilliseconds)
        else { continue }
        since = try await tell(since: known, generation)
      } catch {
        // A server that is away comes back; what happened meanwhile is then read.
        try? await Task.sleep(for: Self.pause)
      }
    }
  }

  private func becomeReady(_ generation: Int) {
    let waiting = state.withLock { state in
      guard state.generation == generation else { return [CheckedContinuation<Void, Never>]() }
      state.isReady = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.resume() }
  }

  /// Reads a page of changes and hands on what it says of photos; returns where it ends.
  private func tell(since: UpdateSequence, _ generation: Int) async throws -> UpdateSequence {
    var request = ChangesRequest()
    request.since = since
    request.limit = Self.pageLength
    request.documents = ReadOptions()
    let page = try await store.changes(request)
    for row in page.rows {
      guard let id = PhotoDocument.photoID(of: row.id) else { continue }
      if row.isDeleted {
        removed(id)
        send(.removed(id), generation)
      } else if let photo = row.document.flatMap(PhotoDocument.photo) {
        send(.added(photo), generation)
      }
    }
    return page.lastSequence
  }

  private func send(_ event: PhotoEvent, _ generation: Int) {
    let subscribers = state.withLock { $0.generation == generation ? $0.subscribers : [:] }
    for (number, subscriber) in subscribers {
      guard case .dropped = subscriber.yield(event) else { continue }
      subscriber.finish()
      unsubscribe(number)
    }
  }
}

extension PhotoLibrary {
  /// Tells what happens in the library from now on, whoever does it: photos added and removed here, by
  /// other servers and by replication.
  ///
  /// - Returns: the events. A stream that is not read falls behind and ends; its reader then reads
  ///   the newest photos and asks again.
  public func events() -> AsyncStream<PhotoEvent> { feed.events() }

  /// Returns when streams that were asked for tell everything that happens later: at once for a store
  /// of this machine, after a request for one on a server.
  public func eventsReady() async { await feed.ready() }
}
