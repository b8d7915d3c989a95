import Core
import Synchronization

/// The sending of all files of an offer, several at once.
struct SendRun: Sendable {
  let files: [OutgoingFile]
  let ids: [String]
  /// Why the receiver did not take the document of a file, by its id.
  let refused: [String: FileFailure]
  let connection: ReceiverConnection
  let retry: SendRetry
  let progress: SendProgress
  let connections: Int

  /// What the connections share.
  private final class Queue: Sendable {
    private struct State {
      var next = 0
      var outcomes: [DropSendReport.Outcome?]
      var stop: (any Error)?
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(outcomes: Array(repeating: nil, count: count))) }

    /// The turn of the next file, or of several.
    ///
    /// - Parameter end: tells where the files end that go with one.
    /// - Returns: nil when there is none, or the run is over.
    func take(upTo end: (Int) -> Int) -> Range<Int>? {
      state.withLock { state in
        guard state.stop == nil, state.next < state.outcomes.count else { return nil }
        let turn = state.next..<end(state.next)
        state.next = turn.upperBound
        return turn
      }
    }

    func finish(_ index: Int, _ outcome: DropSendReport.Outcome) {
      state.withLock { $0.outcomes[index] = outcome }
    }

    func stop(_ error: any Error) {
      state.withLock { if $0.stop == nil { $0.stop = error } }
    }

    var end: (outcomes: [DropSendReport.Outcome?], stop: (any Error)?) {
      state.withLock { ($0.outcomes, $0.stop) }
    }
  }

  /// Sends everything.
  ///
  /// - Throws: what ended the run before anything was saved, or `CancellationError`.
  func run() async throws -> DropSendReport {
    let queue = Queue(files.count)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<max(1, min(connections, files.count)) {
        group.addTask { await work(queue) }
      }
    }
    try Task.checkCancellation()
    let (outcomes, stop) = queue.end
    let isNothingDone = !outcomes.contains { $0?.isSuccess ?? false }
    if let stop, isNothingDone { throw stop }
    var report = DropSendReport(results: [], address: connection.currentAddress, stop: stop)
    let lost = FileFailure(
      .notSent,
      report.hasEnded
        ? "the receiver takes no more files" : "the receiver was lost before it was sent")
    report.results = zip(files, outcomes).map { file, outcome in
      DropSendReport.Result(file: file, outcome: outcome ?? .failed(lost))
    }
    for (index, outcome) in outcomes.enumerated() where outcome == nil {
      progress.finish(report.results[index], index)
    }
    report.sentBytes = progress.sentBytes
    // Else the receiver waits for more until its time is over; a run that broke off may come again.
    if stop == nil {
      do {
        try await connection.finish()
      } catch DropSendError.notKept {
        report.stop = DropSendError.notKept
      } catch {
        // It may have ended by itself: everything is confirmed.
      }
    }
    if let error = wholesale(report) { throw error }
    return report
  }

  /// When every file was refused for the same reason, the reason is the run's.
  private func wholesale(_ report: DropSendReport) -> DropSendError? {
    var failures: Set<FileFailure> = []
    for result in report.results {
      guard case .failed(let failure) = result.outcome else { return nil }
      failures.insert(failure)
    }
    guard failures.count == 1, let failure = failures.first else { return nil }
    switch failure.code {
    case .refused: return .declined
    case .noSpace: return .noSpace(reason: failure.message)
    default: return nil
    }
  }

  // MARK: Connections

  private func work(_ queue: Queue) async {
    let sending = FileSending(connection: connection, retry: retry, progress: progress)
    while !Task.isCancelled, let turn = queue.take(upTo: end) {
      do {
        var together: [DropSendReport.Outcome?] = [nil]
        if turn.count > 1 {
          together = try await sending.sendTogether(
            turn.map { FileSending.Member(file: files[$0], id: ids[$0], index: $0) })
        }
        // What is known is kept, whatever becomes of the others.
        for (index, outcome) in zip(turn, together) {
          if let outcome { finish(index, outcome, queue) }
        }
        for (index, outcome) in zip(turn, together) where outcome == nil {
          finish(index, try await send(index, by: sending, asksFirst: turn.count > 1), queue)
        }
      } catch {
        return queue.stop(error)
      }
    }
  }

  private func finish(_ index: Int, _ outcome: DropSendReport.Outcome, _ queue: Queue) {
    queue.finish(index, outcome)
    progress.finish(DropSendReport.Result(file: files[index], outcome: outcome), index)
  }

  private func send(
    _ index: Int, by sending: FileSending, asksFirst: Bool
  ) async throws -> DropSendReport.Outcome {
    if let failure = refused[ids[index]] { return .failed(failure) }
    return try await sending.send(
      files[index], id: ids[index], index: index, asksFirst: asksFirst)
  }

  /// Where the files end that share a request with the one at `start`.
  private func end(of start: Int) -> Int {
    // So many turns are left that no connection waits for another's last files.
    let share = min((files.count - start) / (2 * connections), FileSending.togetherCount)
    var end = start
    var bytes: Int64 = 0
    while end < min(start + share, files.count), FileSending.isSmall(files[end]),
      refused[ids[end]] == nil, bytes + files[end].size <= FileSending.togetherBytes
    {
      bytes += files[end].size
      end += 1
    }
    return max(end, start + 1)
  }
}
