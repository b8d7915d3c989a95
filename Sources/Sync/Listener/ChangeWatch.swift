import Core

/// Wakes the feeds of one store when it changes, by this or any other process.
///
/// One look at the last sequence serves all feeds, however many wait; while none waits nobody looks.
actor ChangeWatch {
  private let store: LocalStore
  private var waiters: [Int: Waiter] = [:]
  private var nextWaiter = 0
  private var isLooking = false
  private var isOver = false

  /// How a wait ended.
  enum Outcome: Sendable {
    /// There is a change.
    case changed
    /// The time is over.
    case timedOut
    /// The store is gone, or the server stops: the feed ends.
    case over
  }

  private struct Waiter {
    var sequence: Int
    var deadline: ContinuousClock.Instant
    var continuation: CheckedContinuation<Outcome, any Error>
  }

  /// Readers are promised to see a write within 100 ms.
  private static let interval = Duration.milliseconds(40)

  init(_ store: LocalStore) { self.store = store }

  /// Waits for a change after a sequence.
  ///
  /// - Throws: `CancellationError`, or `StoreError` when the store cannot be read.
  func wait(after sequence: Int, atMost time: Duration) async throws -> Outcome {
    if isOver { return .over }
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

  /// Ends every wait, and those that come: the store was deleted, or the server stops.
  func end() {
    isOver = true
    for number in Array(waiters.keys) { finish(number, .success(.over)) }
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
      // Another process may have removed the store; its open file would look unchanged for ever.
      if !store.isCurrent { end() }
      let last = Result { try store.lastSequence() }
      let now = ContinuousClock.now
      for (number, waiter) in waiters {
        switch last {
        case .success(let last) where last > waiter.sequence: finish(number, .success(.changed))
        case .success where now >= waiter.deadline: finish(number, .success(.timedOut))
        case .success: break
        case .failure(let error): finish(number, .failure(error))
        }
      }
      try? await Task.sleep(for: Self.interval)
    }
    isLooking = false
  }

  private func finish(_ number: Int, _ result: Result<Outcome, any Error>) {
    waiters.removeValue(forKey: number)?.continuation.resume(with: result)
  }
}
