import Synchronization

extension Exchange {
  /// Cuts the exchange if it has passed a limit of time.
  ///
  /// - Returns: whether its client is to be watched, since the library may not see it go: it does
  ///   not look at suspended connections, and 0.9.75 may miss an end that came with the last bytes.
  func checkTime(_ now: Int64) -> Bool {
    enum Verdict { case watch, leave, cut, tooSlow }
    let limits = core.options.limits
    let verdict: Verdict = shared.withLock { shared in
      if shared.isDone || shared.isCut { return .leave }
      if !shared.isHeadComplete {
        return now - shared.since > limits.head.milliseconds ? .cut : .watch
      }
      if let since = shared.receivingSince {
        let time = shared.receivingTime + now - since
        let isSlow = shared.receivedBytes < (time / 1000) * limits.bodyRate
        return time > 30_000 && isSlow ? .cut : .watch
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

  /// The client has closed its side.
  ///
  /// A request that is still being received may be complete in the library's hands: it is cut when
  /// this is said a second time.
  ///
  /// - Parameter hasUnread: there are bytes of it that the library has not taken yet.
  func clientLeft(hasUnread: Bool) {
    let isGone = shared.withLock { shared in
      if shared.isSuspended { return true }
      guard !hasUnread, !shared.isHeadComplete || shared.receivingSince != nil else { return false }
      defer { shared.hasLeft = true }
      return shared.hasLeft
    }
    if isGone { cut() }
  }

  /// Closes the connection and cancels the handler.
  func cut() {
    let task = shared.withLock { shared -> Task<Void, Never>? in
      guard !shared.isDone else { return nil }
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
