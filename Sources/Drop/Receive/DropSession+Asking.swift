import Sync
import Synchronization

/// The question to the person: about all files that a sender offers in one go.
extension DropSession {
  /// An offer that has not grown for this long is complete; replicators push it in pieces.
  private static let quiet = Duration.milliseconds(500)

  /// Asks about offers until the session ends.
  func askPerson(_ ask: @Sendable (DropRequest) async -> DropDecision) async {
    for await _ in wakeUps {
      while let batch = await nextBatch() {
        let decision = await ask(batch.request)
        decide(decision, batch.files, of: batch.sender)
        touch()
      }
    }
  }

  /// The files to ask about, once there are no more coming; nil when there are none.
  private func nextBatch() async -> (
    request: DropRequest, files: [IncomingFile], sender: Sender
  )? {
    while true {
      let (isReady, isEmpty) = state.withLock { state in
        (
          state.isSettled || .now - state.lastOffer >= Self.quiet,
          state.asking.isEmpty || state.phase != .open
        )
      }
      if isEmpty { return nil }
      if isReady { break }
      guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { return nil }
    }
    return state.withLock { state in
      defer {
        state.asking = []
        state.isSettled = false
      }
      let files = state.asking.filter(\.isAsking)
      guard let first = files.first, let sender = state.bound else { return nil }
      let request = DropRequest(
        sender: first.file.sender, address: sender.address, files: files.map(\.file))
      return (request, files, sender)
    }
  }

  /// Does what the person decided; another sender, who has come meanwhile, is not concerned.
  private func decide(_ decision: DropDecision, _ files: [IncomingFile], of sender: Sender) {
    switch decision {
    case .accept:
      for file in files { _ = file.open() }
    case .refuse:
      state.withLock { state in
        state.declined.insert(sender.key)
        state.refusals += 1
        if state.bound?.key == sender.key { state.isDone = true }
      }
      for file in files {
        refuse(file, code: "declined", reason: "the person at the receiver said no")
      }
    }
  }
}
