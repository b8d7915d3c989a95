import Synchronization

extension Exchange {
  /// Cuts the exchange if it has passed a limit of time.
  ///
  /// - Returns: whether it is suspended, so that the library does not see its client go.
  func checkTime(_ now: Int64) -> Bool {
    enum Verdict { case watch, leave, cut, tooSlow }
    let limits = core.options.limits
    let verdict: Verdict = shared.withLock { shared in
      if shared.isDone || shared.isCut { return .leave }
      if !shared.isHeadComplete {
        return now - shared.since > limits.head.milliseconds ? .cut : .leave
      }
      if let since = shared.receivingSince {
        let time = shared.receivingTime + now - since
        let isSlow = shared.receivedBytes < (time / 1000) * limits.bodyRate
        return time > 30_000 && isSlow ? .cut : .leave
      }
      guard shared.isSuspended else { return .leave }
      let isLate = shared.answer == nil && now - shared.since > limits.response.milliseconds
      return isLate ? .tooSlow : .watch
    }
    switch verdict {
    case .watch: return true
    case .leave: return false
    case .cut: cut()
    case .tooSlow: giveUp()
    }
    return false
  }

  /// Closes the connection and cancels the handler.
  ///
  /// - Parameter onlyIfSuspended: leave it alone if it has moved on since it was looked at.
  func cut(onlyIfSuspended: Bool = false) {
    let task = shared.withLock { shared -> Task<Void, Never>? in
      guard !shared.isDone, !onlyIfSuspended || shared.isSuspended else { return nil }
      shared.isCut = true
      if shared.isSuspended { wake(&shared) } else { connection?.shutDown() }
      return shared.task
    }
    task?.cancel()
  }

  /// Answers in place of a handler that takes too long.
  private func giveUp() {
    let answer = PreparedAnswer(
      core.options.refusal(503, "the answer took too long"), for: self)
    let task = shared.withLock { shared -> Task<Void, Never>? in
      guard !shared.isDone, shared.answer == nil else { return nil }
      shared.answer = answer
      wake(&shared)
      return shared.task
    }
    task?.cancel()
  }
}
