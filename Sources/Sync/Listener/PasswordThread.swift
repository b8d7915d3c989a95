import HTTP
import Synchronization

/// Derives keys from passwords on a thread of its own, one after the other: some tenths of a second
/// each must not hold up those who serve other requests, nor all cores.
package final class PasswordThread: Sendable {
  /// The process has one.
  package static let shared = PasswordThread()

  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var isRunning = false
  }

  private let state = Mutex(State())

  /// Work that may wait; more is refused.
  private static let capacity = 64

  /// Too many passwords wait already.
  package struct Busy: Error {}

  /// Runs some work there.
  ///
  /// - Throws: `Busy` when too much waits already, or what the work throws.
  package func run<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      let isAccepted = add { continuation.resume(with: Swift.Result { try work() }) }
      if !isAccepted {
        continuation.resume(throwing: Busy())
      }
    }
  }

  private func add(_ job: @escaping @Sendable () -> Void) -> Bool {
    let (isAccepted, mustStart) = state.withLock { state in
      guard state.jobs.count < Self.capacity else { return (false, false) }
      state.jobs.append(job)
      defer { state.isRunning = true }
      return (true, !state.isRunning)
    }
    if mustStart { startThread { self.work() } }
    return isAccepted
  }

  /// Works until nothing is left; the thread then ends.
  private func work() {
    while let job = next() { job() }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard !state.jobs.isEmpty else {
        state.isRunning = false
        return nil
      }
      return state.jobs.removeFirst()
    }
  }
}
