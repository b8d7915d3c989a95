import HTTP
import Synchronization

/// Runs work that blocks on threads of its own, so many at once, and lets so many wait.
final class WorkQueue: Sendable {
  private let state = Mutex(State())
  private let atOnce: Int
  private let waiting: Int

  private struct State {
    var running = 0
    var waiters: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    var nextNumber = 0
    /// Waiters that were cancelled before they waited.
    var cancelled: Set<Int> = []
  }

  init(atOnce: Int, waiting: Int) {
    self.atOnce = max(1, atOnce)
    self.waiting = max(0, waiting)
  }

  /// Runs some work.
  ///
  /// - Throws: ``PhotoLibraryError/busy`` when too much waits already, `CancellationError` when the
  ///   task is cancelled before its turn, and what the work throws.
  func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result
  {
    try await enter()
    defer { leave() }
    return try await withCheckedThrowingContinuation { continuation in
      startThread { continuation.resume(with: Swift.Result { try work() }) }
    }
  }

  private func enter() async throws {
    let number = try state.withLock { state -> Int? in
      if state.running < atOnce {
        state.running += 1
        return nil
      }
      guard state.waiters.count < waiting else { throw PhotoLibraryError.busy }
      state.nextNumber += 1
      return state.nextNumber
    }
    guard let number else { return }
    let isAdmitted = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let now = state.withLock { state -> Bool? in
          if state.cancelled.remove(number) != nil { return false }
          if state.running < atOnce {
            state.running += 1
            return true
          }
          state.waiters.append((number, continuation))
          return nil
        }
        if let now { continuation.resume(returning: now) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        if let index = state.waiters.firstIndex(where: { $0.number == number }) {
          return state.waiters.remove(at: index).continuation as CheckedContinuation<Bool, Never>?
        }
        state.cancelled.insert(number)
        return nil
      }
      waiter?.resume(returning: false)
    }
    state.withLock { _ = $0.cancelled.remove(number) }
    guard isAdmitted else { throw CancellationError() }
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard !state.waiters.isEmpty else {
        state.running -= 1
        return nil
      }
      return state.waiters.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}

/// Lets one task at a time do what concerns one key.
actor KeyedLock {
  private var waiters: [String: [CheckedContinuation<Void, Never>]] = [:]

  /// Runs a body alone among those with the same key.
  nonisolated func withLock<Result: Sendable>(
    _ key: String, _ body: () async throws -> Result
  ) async throws -> Result {
    await acquire(key)
    do {
      let result = try await body()
      await release(key)
      return result
    } catch {
      await release(key)
      throw error
    }
  }

  private func acquire(_ key: String) async {
    guard waiters[key] != nil else {
      waiters[key] = []
      return
    }
    await withCheckedContinuation { waiters[key]?.append($0) }
  }

  private func release(_ key: String) {
    guard var rest = waiters[key], !rest.isEmpty else {
      waiters[key] = nil
      return
    }
    let next = rest.removeFirst()
    waiters[key] = rest
    next.resume()
  }
}
