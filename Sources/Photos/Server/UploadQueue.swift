import Synchronization

/// Lets so many uploads in, and so many of them be worked on at a time.
///
/// Who comes when the queue is full is told so before the body is read, and comes again: an upload
/// that was let in is always finished.
final class UploadQueue: Sendable {
  /// How much may go on at once.
  struct Limits: Sendable {
    /// Pictures that are decoded at a time.
    var workers: Int
    /// Uploads that have come and wait for a worker; with more, nobody is let in.
    var waiting: Int
    /// Uploads that were let in: those that are still being sent, too.
    var admitted: Int
    /// The same, of one sender.
    var admittedPerSender: Int
  }

  private struct State {
    var working = 0
    var waiting: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    var nextID = 0
    var admitted = 0
    var senders: [[UInt8]: Int] = [:]
  }

  private let limits: Limits
  private let state = Mutex(State())

  init(_ limits: Limits) { self.limits = limits }

  /// How many uploads are being worked on, wait for that, and were let in.
  var load: (working: Int, waiting: Int, admitted: Int) {
    state.withLock { ($0.working, $0.waiting.count, $0.admitted) }
  }

  /// The right to send an upload; it ends with the last reference.
  final class Admission: Sendable {
    private let queue: UploadQueue
    private let sender: [UInt8]

    fileprivate init(_ queue: UploadQueue, _ sender: [UInt8]) {
      self.queue = queue
      self.sender = sender
    }

    deinit { queue.release(sender) }

    /// Does the work when its turn comes.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits, and what the work
    ///   throws.
    func work<Result>(_ body: () async throws -> Result) async throws -> Result {
      try await queue.acquire()
      defer { queue.yield() }
      return try await body()
    }
  }

  /// Lets a sender in.
  ///
  /// - Throws: 429 with the time after which to try again.
  func admit(_ sender: [UInt8]) throws(PhotoProblem) -> Admission {
    let isAdmitted = state.withLock { state in
      guard state.waiting.count < limits.waiting, state.admitted < limits.admitted,
        state.senders[sender, default: 0] < limits.admittedPerSender
      else { return false }
      state.admitted += 1
      state.senders[sender, default: 0] += 1
      return true
    }
    guard isAdmitted else {
      throw .busy("too many uploads are going on; try again in a moment", retryAfter: 2)
    }
    return Admission(self, sender)
  }

  private func release(_ sender: [UInt8]) {
    state.withLock { state in
      state.admitted -= 1
      let left = state.senders[sender, default: 1] - 1
      state.senders[sender] = left > 0 ? left : nil
    }
  }

  private func acquire() async throws {
    let id = state.withLock { state in
      defer { state.nextID += 1 }
      return state.nextID
    }
    let hasTurn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          if Task.isCancelled { return false }
          guard state.working >= limits.workers else {
            state.working += 1
            return true
          }
          state.waiting.append((id, continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        state.waiting.firstIndex { $0.id == id }
          .map { state.waiting.remove(at: $0).continuation }
      }
      continuation?.resume(returning: false)
    }
    guard hasTurn else { throw CancellationError() }
  }

  private func yield() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard !state.waiting.isEmpty else {
        state.working -= 1
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}
