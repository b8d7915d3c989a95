import Core
import Drop
import Glibc
import Photos
import Synchronization

/// Tells a person or a script what is received, as it happens.
final class ReceiveTeller: Sendable {
  private struct State {
    var saved: [DropSaved] = []
    var failed: [DropFailure] = []
    var totals = DropTotals()
    var painter: PicturePainter??
    var lastPicture: ContinuousClock.Instant?
    var isAsking = false
  }

  private let context: Context
  private let state = Mutex(State())

  /// Between two pictures: a thousand photos need no thousand pictures.
  private static let pictureInterval = Duration.milliseconds(300)
  /// Names in a question; the rest is counted.
  private static let namesInQuestion = 20

  init(_ context: Context) { self.context = context }

  /// The totals, once they were told.
  var totals: DropTotals { state.withLock { $0.totals } }

  // MARK: Events

  func tell(_ event: DropEvent) throws {
    if case .done(let totals) = event { state.withLock { $0.totals = totals } }
    switch context.mode {
    case .jsonLines: try context.emit(json: ReceiveOutput.line(event))
    case .json: try collect(event)
    case .human: try show(event)
    }
  }

  private func collect(_ event: DropEvent) throws {
    switch event {
    case .saved(let saved): state.withLock { $0.saved.append(saved) }
    case .failed(let failure): state.withLock { $0.failed.append(failure) }
    case .receiving: break
    case .cutOff: try warnOfGuesses(event)
    case .done(let totals):
      let (saved, failed) = state.withLock { ($0.saved, $0.failed) }
      try context.emit(json: ReceiveOutput.document(saved, failed, totals))
    }
  }

  private func show(_ event: DropEvent) throws {
    switch event {
    case .receiving: break
    case .saved(let saved): try show(saved)
    case .failed(let failure):
      try context.warn(
        failure.code, "'\(failure.file.displayPath)' was not received: \(failure.message)")
    case .cutOff: try warnOfGuesses(event)
    case .done(let totals):
      let files = totals.saved == 1 ? "1 file" : "\(totals.saved) files"
      try context.note("received \(files), \(humanSize(Int(totals.bytes)))")
    }
  }

  private func warnOfGuesses(_ event: DropEvent) throws {
    guard case .cutOff(let address) = event else { return }
    try context.warn(
      "cut_off", "'\(address)' has guessed at the ticket too often and is not listened to any more")
  }

  private func show(_ saved: DropSaved) throws {
    let screen = context.screen
    guard screen.isTerminal else {
      let cells = [Cell(saved.name), Cell("\(saved.size)"), Cell(saved.sha256)]
      return try screen.line(Table.plainLine(of: cells))
    }
    var text = "\(screen.safe(saved.name))  \(humanSize(Int(saved.size)))"
    text += "  from \(screen.safe(saved.file.sender))"
    if saved.wasThere {
      text += screen.style.apply(.dim, to: "  was there already")
    } else if saved.size >= 1 << 20, saved.duration > .zero {
      let rate = Double(saved.size) / saved.duration.inSeconds
      text += "  \(humanSize(Int(rate)))/s"
    }
    try screen.line(screen.style.apply(.green, to: "saved") + " " + text)
    try showPicture(saved)
  }

  // MARK: Pictures

  /// Draws a small picture of a photo; what cannot be drawn is no reason for anything.
  private func showPicture(_ saved: DropSaved) throws {
    let name = saved.name.lowercased()
    guard name.hasSuffix(".jpg") || name.hasSuffix(".jpeg"), let painter = try painter() else {
      return
    }
    let descriptor = open(saved.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    try painter.draw(.file(descriptor: descriptor), in: .small)
    state.withLock { $0.lastPicture = .now }
  }

  /// Asked for late: it asks the terminal, which is not to hold up the code.
  private func painter() throws -> PicturePainter? {
    let (known, isBusy) = state.withLock { state in
      let isSoon = state.lastPicture.map { .now - $0 < Self.pictureInterval } ?? false
      return (state.painter, state.isAsking || isSoon)
    }
    guard !isBusy else { return nil }
    if let known { return known }
    let made = try context.picturePainter()
    state.withLock { $0.painter = .some(made) }
    return made
  }

  // MARK: Progress

  func update(_ progress: DropProgress) {
    guard !progress.current.isEmpty, !state.withLock({ $0.isAsking }) else { return }
    context.progress.update {
      let name = progress.current.first?.file.displayPath ?? ""
      let size = "\(humanSize(Int(progress.received))) of \(humanSize(Int(progress.expected)))"
      let percent = progress.expected > 0 ? 100 * progress.received / progress.expected : 100
      return "\(percent) %  \(size)  \(progress.saved + 1) of \(progress.files)  \(name)"
    }
  }

  // MARK: The question

  /// Shows what a sender has and asks; blocks, on a thread of its own.
  func ask(_ request: DropRequest) throws -> DropDecision {
    state.withLock { $0.isAsking = true }
    defer { state.withLock { $0.isAsking = false } }
    context.progress.clear()
    let error = context.streams.error
    for file in request.files.prefix(Self.namesInQuestion) {
      let size = file.size.map { humanSize(Int($0)) } ?? "size unknown"
      try error.writeLine("  \(Sanitizer.terminalSafe(file.displayPath))  \(size)")
    }
    if request.files.count > Self.namesInQuestion {
      try error.writeLine("  and \(request.files.count - Self.namesInQuestion) more")
    }
    let count = request.files.count == 1 ? "this file" : "these \(request.files.count) files"
    let sender = Sanitizer.terminalSafe(request.sender)
    let total = humanSize(Int(request.size))
    let isAccepted = try context.prompt.confirm(
      "take \(count), \(total), from '\(sender)' at \(request.address)?")
    return isAccepted ? .accept : .refuse
  }
}
