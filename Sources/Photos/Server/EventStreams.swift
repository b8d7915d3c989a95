import Synchronization

/// The event streams that are open, to be ended when the server stops.
final class EventStreams: Sendable {
  /// What a reader is sent next.
  enum Piece: Sendable {
    case event(PhotoEvent)
    /// Nothing happened for a while: shows that the connection lives.
    case heartbeat
  }

  private struct State {
    var continuations: [Int: AsyncStream<Piece>.Continuation] = [:]
    var next = 0
    var isEnded = false
  }

  private let state = Mutex(State())

  /// What waits for a slow reader; with more its stream ends, and it comes again.
  private static let capacity = 1_000
  private static let heartbeat = Duration.seconds(15)

  /// Runs a stream until its reader goes away, it falls too far behind, or the server stops.
  func run(
    _ events: AsyncStream<PhotoEvent>, _ body: (AsyncStream<Piece>) async throws -> Void
  ) async throws {
    let (pieces, continuation) = AsyncStream<Piece>.makeStream(
      bufferingPolicy: .bufferingOldest(Self.capacity))
    let number = add(continuation)
    defer { remove(number) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for await event in events {
          if case .dropped = continuation.yield(.event(event)) { break }
        }
        continuation.finish()
      }
      group.addTask {
        while !Task.isCancelled {
          try await Task.sleep(for: Self.heartbeat)
          continuation.yield(.heartbeat)
        }
      }
      defer { group.cancelAll() }
      try await body(pieces)
    }
  }

  func endAll() {
    let open = state.withLock { state in
      state.isEnded = true
      return Array(state.continuations.values)
    }
    for continuation in open { continuation.finish() }
  }

  private func add(_ continuation: AsyncStream<Piece>.Continuation) -> Int {
    let (number, isEnded) = state.withLock { state in
      defer { state.next += 1 }
      state.continuations[state.next] = continuation
      return (state.next, state.isEnded)
    }
    if isEnded { continuation.finish() }
    return number
  }

  private func remove(_ number: Int) {
    state.withLock { _ = $0.continuations.removeValue(forKey: number) }
  }
}
