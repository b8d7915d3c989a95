import Core
import HTTP
import Sync
import Synchronization

/// What one session knows: its documents, its files, who sends, and what the person agreed to.
///
/// It is the one-time store of the drop: documents and checkpoints are kept in memory for as long as
/// the receiver runs, and the bytes of files in the target folder.
final class DropSession: Sendable {
  /// Limits on what a sender may offer.
  enum Limits {
    /// Files of a session.
    static let files = 100_000
    /// Documents of a session.
    static let documents = 100_000
    /// Revisions of a document; a file's has one.
    static let revisions = 16
    /// Questions that the person says no to; after them nobody is asked about any more.
    static let refusals = 5
    /// Checkpoints and other local documents.
    static let locals = 64
  }

  enum Phase: Equatable { case open, ended(DropTotals.Reason) }

  /// Who makes a request.
  struct Sender: Sendable, Hashable {
    /// Tells it from others: a cookie's value, or what else is known.
    var key: String
    /// The numeric address.
    var address: String
  }

  let folder: TargetFolder
  let count: Int?
  let keepsOpen: Bool
  let asks: Bool
  let uuid = RandomIdentifier.uuid()
  private let emit: @Sendable (DropEvent) -> Void
  /// Called once, when the session is over.
  private let end: @Sendable () -> Void
  let state: Mutex<State>
  /// Wakes whoever asks the person.
  let wakeUps: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  init(
    folder: TargetFolder, count: Int?, keepsOpen: Bool, asks: Bool,
    emit: @escaping @Sendable (DropEvent) -> Void, end: @escaping @Sendable () -> Void
  ) {
    self.folder = folder
    self.count = count
    self.keepsOpen = keepsOpen
    self.asks = asks
    self.emit = emit
    self.end = end
    state = Mutex(State())
    (wakeUps, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  // MARK: Senders

  /// Lets a sender in that is the first or the same one.
  ///
  /// - Throws: 409 for another one, 410 when the session is over.
  func bind(_ sender: Sender) throws(Refusal) {
    let refusal = state.withLock { state -> Refusal? in
      guard state.phase == .open else { return .sessionOver }
      if state.declined.contains(sender.key) { return .declined }
      if state.refusals >= Limits.refusals, state.bound?.key != sender.key { return .declined }
      state.lastActivity = .now
      if let bound = state.bound, bound.key != sender.key {
        guard state.isReleased else { return .busy }
        state.forgetSender()
      }
      state.bound = sender
      state.isReleased = false
      return nil
    }
    if let refusal { throw refusal }
  }

  /// Whether a sender is the one that is let in.
  func isBound(_ sender: Sender) -> Bool { state.withLock { $0.bound?.key == sender.key } }

  /// Something came: the session is not idle.
  func touch() { state.withLock { $0.lastActivity = .now } }

  /// How long nothing has come.
  var idleTime: Duration { state.withLock { .now - $0.lastActivity } }

  var phase: Phase { state.withLock { $0.phase } }

  // MARK: Files

  func file(_ id: String) -> IncomingFile? { state.withLock { $0.files[UTF8Key(id)] } }

  /// The files in the order they were offered.
  var files: [IncomingFile] { state.withLock { $0.order } }

  /// Takes files into the list; those that do not fit are refused at once, with words.
  ///
  /// - Returns: one for each offered, the known one where an id is known.
  /// - Throws: 400 for a description that cannot be right, 409, 410, or 413 for too many.
  func offer(
    _ offered: [DropFile], by sender: Sender, endsItself: Bool = false
  ) throws(Refusal) -> [IncomingFile] {
    try bind(sender)
    if let problem = offered.lazy.compactMap(\.problem).first { throw .badRequest(problem) }
    let free = folder.freeBytes
    var refused: [(IncomingFile, String)] = []
    let result = state.withLock { state -> Result<[IncomingFile], Refusal> in
      guard state.order.count + offered.count <= Limits.files else {
        return .failure(
          Refusal(413, "too_large", "more than \(Limits.files) files in one session"))
      }
      state.isDone = false
      state.endsItself = endsItself
      return .success(
        offered.map { file in
          let key = UTF8Key(file.id)
          if let known = state.files[key] { return known }
          let incoming = IncomingFile(file, number: state.nextNumber, folder: folder)
          state.nextNumber += 1
          state.files[key] = incoming
          state.order.append(incoming)
          state.pending += 1
          let size = file.size ?? 0
          let room = state.room(for: size, of: free)
          state.promised += size
          if size > room {
            refused.append((incoming, Self.noSpace(size, room)))
          } else if !asks {
            _ = incoming.open()
          } else {
            state.asking.append(incoming)
            state.lastOffer = .now
            state.isSettled = false
          }
          return incoming
        })
    }
    for (file, reason) in refused { refuse(file, code: "no_space", reason: reason) }
    wake.yield()
    return try result.get()
  }

  static func noSpace(_ size: Int64, _ free: Int64) -> String {
    "the file has \(size) bytes and there is room for \(max(0, free))"
  }

  /// The sender has offered all it has for now: the person need not be kept waiting.
  func settle() {
    let isAsking = state.withLock { state in
      state.isSettled = true
      return !state.asking.isEmpty
    }
    if isAsking { wake.yield() }
  }

  /// Waits until the person has decided about files.
  func decision(on files: [IncomingFile]) async throws {
    while files.contains(where: \.isAsking), phase == .open {
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  // MARK: Results

  func began(_ file: IncomingFile) { emit(.receiving(file.file)) }

  func saved(_ saved: DropSaved) {
    let isComplete = state.withLock { state in
      state.totals.saved += 1
      state.settle(saved.file)
      state.totals.bytes += saved.size
      state.lastActivity = .now
      return isCountReached(state.totals)
    }
    emit(.saved(saved))
    if isComplete { return finish(.complete) }
    finishIfDone()
    endSoon()
  }

  private func isCountReached(_ totals: DropTotals) -> Bool {
    count.map { totals.saved >= $0 } ?? false
  }

  /// Lets the bytes of a file come, while the session is open and as many as were asked for are not
  /// there or on their way.
  ///
  /// - Throws: 410.
  func admit(_ file: IncomingFile) throws(Refusal) {
    let isAdmitted = state.withLock { state in
      guard state.phase == .open else { return false }
      guard let count, file.isPending else { return true }
      let key = UTF8Key(file.file.id)
      if state.underway.contains(key) { return true }
      guard state.totals.saved + state.underway.count < count else { return false }
      state.underway.insert(key)
      return true
    }
    guard isAdmitted else { throw .sessionOver }
  }

  func refuse(_ file: IncomingFile, code: String, reason: String) {
    guard file.refuse(code: code, reason: reason) else { return }
    let isFailure = state.withLock { state in
      state.settle(file.file)
      // As many as were wanted have come: what else was offered is nobody's failure.
      guard !isCountReached(state.totals) else { return false }
      state.totals.failed += 1
      return true
    }
    if isFailure { emit(.failed(DropFailure(file: file.file, code: code, message: reason))) }
    finishIfDone()
    endSoon()
  }

  func tell(_ event: DropEvent) { emit(event) }

  /// Returns when what was saved would survive a power cut.
  ///
  /// - Throws: `StoreError` when the disk did not take everything.
  func synchronize() throws(StoreError) {
    if state.withLock({ $0.totals.saved }) > 0 { try folder.synchronize() }
  }

  // MARK: The end

  /// How long a sender that has pushed its documents, and whose files are all there, may take to say
  /// that it is finished.
  private static let grace = Duration.seconds(2)

  /// A sender of documents told all its files before the first byte: with the last of them it is
  /// finished, whether it says so or not.
  private func endSoon() {
    func isIdle(_ state: inout State) -> Bool {
      state.endsItself && state.phase == .open && state.pending == 0
    }
    let (isIdle, offers) = state.withLock { (isIdle(&$0), $0.nextNumber) }
    guard isIdle else { return }
    Task {
      try await Task.sleep(for: Self.grace)
      let sender = state.withLock { $0.nextNumber == offers ? $0.bound : nil }
      if let sender { senderIsDone(sender) }
    }
  }

  /// The sender has no more: what is open and not on its way will not come.
  func senderIsDone(_ sender: Sender) {
    let left = state.withLock { state -> [IncomingFile]? in
      guard state.bound?.key == sender.key, state.phase == .open else { return nil }
      state.isDone = true
      return state.order.filter { !$0.isReceiving }
    }
    guard let left else { return }
    for file in left { abandon(file) }
    finishIfDone()
  }

  /// Ends a sender's turn when it is done and nothing is on its way.
  func finishIfDone() {
    let isOver = state.withLock { state -> Bool in
      guard state.isDone, state.phase == .open, state.pending == 0 else {
        return false
      }
      // Nothing came of it: the right sender may still come.
      guard state.totals.saved > 0, !keepsOpen else {
        state.isReleased = true
        return false
      }
      return true
    }
    if isOver { finish(.complete) }
  }

  /// Ends the session: the token is good for nothing from now on.
  func finish(_ reason: DropTotals.Reason) {
    let isFirst = state.withLock { state in
      guard state.phase == .open else { return false }
      state.phase = .ended(reason)
      state.totals.reason = reason
      return true
    }
    guard isFirst else { return }
    wake.finish()
    end()
  }

  /// Waits until the files that are complete have their names.
  func finishing() async {
    for _ in 0..<500 where files.contains(where: \.isGettingName) {
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  /// The totals, after what was not completed is counted as failed.
  func close() -> DropTotals {
    finish(.stopped)
    for file in files { abandon(file) }
    return state.withLock { $0.totals }
  }

  private func abandon(_ file: IncomingFile) {
    guard file.isPending else { return }
    let offset = file.offset
    let size = file.file.size.map { " of \($0)" } ?? ""
    let (code, reason) =
      if file.isAsking {
        ("declined", "nobody agreed to it")
      } else if file.hasMismatched {
        ("digest", IncomingFile.mismatch)
      } else if offset == 0 {
        ("incomplete", "nothing of it has come")
      } else {
        ("incomplete", "only \(offset)\(size) bytes have come")
      }
    refuse(file, code: code, reason: reason)
  }

  /// How far everything is.
  var progress: DropProgress {
    let (order, totals) = state.withLock { ($0.order, $0.totals) }
    var progress = DropProgress()
    progress.saved = totals.saved
    for file in order {
      switch file.status {
      case .refused, .asking: continue
      case .saved, .open: break
      }
      let offset = file.offset
      progress.files += 1
      progress.received += offset
      progress.expected += file.file.size ?? offset
      if file.isReceiving { progress.current.append((file.file, offset)) }
    }
    return progress
  }
}

extension IncomingFile {
  var isAsking: Bool {
    if case .asking = status { true } else { false }
  }

  var isOpen: Bool {
    if case .open = status { true } else { false }
  }

  /// Whether something may still come of it.
  var isPending: Bool { isAsking || isOpen }

  /// Bytes that room is kept for.
  var wanted: Int64 { isPending ? missing : 0 }
}

extension Refusal {
  static let busy = Refusal(409, "busy", "Somebody else is sending; this drop takes one sender.")
  static let declined = Refusal(403, "forbidden", "The person at the receiver said no.")
  static let sessionOver = Refusal(410, "gone", "This drop is over.")
}
