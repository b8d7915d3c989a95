import Core
import Sync
import Synchronization

/// Tells on stderr, or as lines of JSON, how a replication goes.
final class SyncTeller: Sendable {
  private let context: Context
  private let direction: RunRecord.Direction
  private let last: Mutex<ReplicationReport?> = Mutex(nil)

  init(context: Context, direction: RunRecord.Direction) {
    self.context = context
    self.direction = direction
  }

  /// What was done so far; nil before the first batch.
  var lastReport: ReplicationReport? { last.withLock { $0 } }

  /// Tells an event; a reader that is gone ends the run.
  @Sendable func tell(_ event: ReplicationEvent) {
    do {
      switch event {
      case .progress(let report), .idle(let report): last.withLock { $0 = report }
      default: break
      }
      if context.mode == .jsonLines {
        let output = context.streams.output
        try output.writeLine(
          SyncEvent.replication(event, direction).json.serialized(.compact.escapingSeparators))
        return try output.flush()
      }
      try tellPerson(event)
    } catch {
      withUnsafeCurrentTask { $0?.cancel() }
    }
  }

  private func tellPerson(_ event: ReplicationEvent) throws {
    switch event {
    case .started(let since):
      try context.step("\(direction.rawValue) starts after sequence \(since)")
    case .progress(let report):
      context.progress.update {
        let verb = direction == .pull ? "pulling" : "pushing"
        return "\(verb): \(grouped(report.read)) read, \(grouped(report.written)) written"
      }
    case .failed(let failure):
      guard context.mode == .human else { return }
      try context.streams.error.writeLine(
        "tote: " + context.safeForErrors(failure.sentence(direction)))
    case .retrying(let reason, let seconds):
      // The first attempts follow one another so fast that nobody needs to know.
      guard seconds >= 1 else { return }
      try context.note("\(reason); trying again in \(Int(seconds.rounded())) s")
    case .active: return
    case .idle:
      try context.step("\(direction.rawValue) waits for changes")
    }
  }
}

extension ReplicationReport.Failure {
  /// The failure as a sentence.
  func sentence(_ direction: RunRecord.Direction) -> String {
    let revision = revision.map { " (\($0))" } ?? ""
    let verb = direction == .pull ? "pulled" : "pushed"
    return "document '\(id)'\(revision) could not be \(verb): \(reason)"
  }
}

extension Context {
  /// Text for stderr, harmless where that is a terminal.
  func safeForErrors(_ text: String) -> String {
    streams.errorTraits.isTerminal ? Sanitizer.terminalSafe(text) : text
  }
}
