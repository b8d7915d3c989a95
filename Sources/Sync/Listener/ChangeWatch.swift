import Core

/// Wakes the feeds of one store when it changes, by this or any other process.
///
/// One look at the last sequence serves all feeds, however many wait; while none waits nobody looks.
actor ChangeWatch {
  private let store: LocalStore
  private var waiters: [Int: Waiter] = [:]
  private var nextWaiter = 0
  private var isLooking = false

  private struct Waiter {
    var sequence: Int
    var deadline: ContinuousClock.Instant
    var continuation: CheckedContinuation<Bool, any Error>
  }

  /// Readers are promised to see a write within 100 ms.
  private static let interval = Duration.milliseconds(40)

  init(_ store: LocalStore) { self.store = store }

  /// Waits for a change after a sequence; false when the time is over.
  ///
  /// - Throws: `CancellationError`, or `StoreError` when the store is gone.
  func wait(after sequence: Int, atMost time: Duration) async throws -> Bool {
    let number = nextWaiter
    nextWaiter += 1
    let deadline = ContinuousClock.now + time
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await withCheckedThrowingContinuation { continuation in
        waiters[number] = Waiter(
          sequence: sequence, deadline: deadline, continuation: continuation)
        startLooking()
      }
    } onCancel: {
      Task { await self.cancel(number) }
    }
  }

  private func cancel(_ number: Int) {
    waiters.removeValue(forKey: number)?.continuation.resume(throwing: CancellationError())
  }

  private func startLooking() {
    guard !isLooking else { return }
    isLooking = true
    Task { await look() }
  }

  private func look() async {
    while !waiters.isEmpty {
      let last = Result { try store.lastSequence() }
      let now = ContinuousClock.now
      for (number, waiter) in waiters {
        switch last {
        case .success(let last) where last > waiter.sequence: finish(number, .success(true))
        case .success where now >= waiter.deadline: finish(number, .success(false))
        case .success: break
        case .failure(let error): finish(number, .failure(error))
        }
      }
      try? await Task.sleep(for: Self.interval)
    }
    isLooking = false
  }

  private func finish(_ number: Int, _ result: Result<Bool, any Error>) {
    waiters.removeValue(forKey: number)?.continuation.resume(with: result)
  }
}
