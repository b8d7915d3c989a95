import Core
import Drop
import Synchronization

/// Tells on stderr, or as lines of JSON, how sending goes.
final class DropSendTeller: Sendable {
  private struct State {
    var start: ContinuousClock.Instant?
    var lastProgress: ContinuousClock.Instant?
  }

  private let context: Context
  private let state = Mutex(State())
  private static let progressInterval = Duration.milliseconds(500)

  init(_ context: Context) { self.context = context }

  /// Tells an event; a reader that is gone ends the run.
  @Sendable func tell(_ event: DropSendEvent) {
    do {
      if context.mode == .jsonLines { return try tellScript(event) }
      try tellPerson(event)
    } catch {
      withUnsafeCurrentTask { $0?.cancel() }
    }
  }

  /// Names what is left out or cannot be sent, before anything is sent.
  func tell(_ gathering: FileGathering) throws {
    for skipped in gathering.skipped {
      if context.mode == .jsonLines {
        try write([
          "event": "skipped", "file": .string(skipped.label), "reason": .string(skipped.reason),
        ])
      } else {
        try context.note("left out '\(skipped.label)': \(skipped.reason)")
      }
    }
    // A single mistake is told as the run's.
    let isOnly = gathering.files.isEmpty && gathering.failures.count == 1
    for failed in gathering.failures where !isOnly {
      try tellFailure(
        DropSendResult.File(
          label: failed.label, path: nil, size: nil, outcome: .failed(failed.failure)))
    }
  }

  // MARK: Scripts

  private func write(_ line: JSON) throws {
    let output = context.streams.output
    try output.writeLine(line.serialized(.compact.escapingSeparators))
    try output.flush()
  }

  private func tellScript(_ event: DropSendEvent) throws {
    switch event {
    case .connected(let address):
      try write(["event": "connected", "address": .string(address)])
    case .asking: try write(["event": "asking"])
    case .started(let files, let bytes):
      try write([
        "event": "sending", "files": .integer(Int64(files)), "bytes": .integer(bytes),
      ])
    case .progress(let progress):
      guard isDue() else { return }
      try write([
        "event": "progress", "files": .integer(Int64(progress.files.done)),
        "bytes": .integer(progress.bytes.done),
      ])
    case .finished(let result):
      let file = DropSendResult.File(
        label: result.file.label, path: result.file.path, size: result.file.size,
        outcome: result.outcome)
      guard result.outcome.isSuccess else { return try tellFailure(file) }
      try write(line("sent", file))
    case .retrying(let reason, let seconds):
      try write([
        "event": "retrying", "reason": .string(reason),
        "seconds": .double((seconds * 100).rounded() / 100),
      ])
    }
  }

  private func line(_ event: String, _ file: DropSendResult.File) -> JSON {
    var members: JSONObject = ["event": .string(event)]
    for (key, value) in file.json.objectValue ?? [:] { members[key] = value }
    return .object(members)
  }

  private func isDue() -> Bool {
    let now = ContinuousClock.now
    return state.withLock { state in
      guard state.lastProgress.map({ now - $0 >= Self.progressInterval }) ?? true else {
        return false
      }
      state.lastProgress = now
      return true
    }
  }

  // MARK: People

  private func tellPerson(_ event: DropSendEvent) throws {
    switch event {
    case .connected(let address): try context.step("the receiver answers at \(address)")
    case .asking: try context.note("waiting for the person at the receiver to agree")
    case .started: state.withLock { $0.start = .now }
    case .progress(let progress): context.progress.update { text(of: progress) }
    case .finished(let result):
      guard !result.outcome.isSuccess else {
        return try context.step("sent '\(result.file.label)'")
      }
      try tellFailure(
        DropSendResult.File(
          label: result.file.label, path: nil, size: nil, outcome: result.outcome))
    case .retrying(let reason, let seconds):
      // The first attempts follow so fast that nobody needs to know.
      guard seconds >= 0.5 else { return }
      let rounded = (seconds * 10).rounded() / 10
      try context.note("connection lost (\(reason)); trying again in \(rounded) s")
    }
  }

  private func tellFailure(_ file: DropSendResult.File) throws {
    guard case .failed(let failure) = file.outcome else { return }
    switch context.mode {
    case .jsonLines: try write(line("failed", file))
    case .json: return
    case .human:
      let text = "'\(file.label)' was not sent: \(failure.message)"
      try context.streams.error.writeLine("tote: " + context.safeForErrors(text))
    }
  }

  private func text(of progress: DropSendProgress) -> String {
    let start = state.withLock { $0.start ?? .now }
    let seconds = (ContinuousClock.now - start).inSeconds
    let (done, total) = progress.bytes
    let speed = seconds > 0.2 ? Double(done) / seconds : 0
    var parts: [String] = []
    if progress.files.total > 1 {
      parts.append("\(grouped(progress.files.done)) of \(counted(progress.files.total, "file"))")
    }
    parts.append("\(humanSize(Int(done))) of \(humanSize(Int(total)))")
    if speed > 0 {
      parts.append("\(humanSize(Int(speed)))/s")
      let left = Int((Double(total - done) / speed).rounded(.up))
      parts.append(left < 90 ? "\(left) s left" : "\((left + 30) / 60) min left")
    }
    let (fileDone, fileTotal) = progress.fileBytes
    if fileTotal > 0, fileDone < fileTotal {
      parts.append("\(progress.name) \(100 * fileDone / fileTotal) %")
    }
    return "sending: " + parts.joined(separator: ", ")
  }
}
