import ArgumentParser
import Core

/// Shows errors on stderr, as a sentence or as JSON, and turns them into exit statuses.
struct ErrorReporter {
  let context: Context

  /// Flushes what was printed, shows the error if there is one, and gives the status of the run.
  func finish(after error: (any Error)?) -> Int32 {
    context.progress.clear()
    var error = error
    if !(error is OutputError) {
      do { try context.streams.output.flush() } catch { return finish(after: error) }
    }
    // Whoever read our output has enough: that is success, whatever else was still to be said.
    if case .closed? = error as? OutputError { return ExitClass.success.rawValue }
    if error is CancellationError { error = nil }
    let status = error.map(report) ?? ExitClass.success.rawValue
    // Nothing can be done about a stderr that takes no more.
    try? context.streams.error.flush()
    return status
  }

  private func report(_ error: any Error) -> Int32 {
    switch error {
    case let error as any UserFacing:
      show(error)
      return error.exitClass.rawValue
    case let several as SeveralErrors:
      for error in several.errors { show(error) }
      if let summary = several.summary { show(summary) }
      return several.exitClass.rawValue
    case let failure as ParseFailure:
      show(failure)
      return failure.exitCode.rawValue
    case let code as ExitCode:
      return code.rawValue
    case let exit as CleanExit:
      try? context.streams.output.writeLine(exit.description)
      return finish(after: nil)
    default:
      show(CommandError(.failed, "failed", "unexpected error: \(String(describing: error))"))
      return ExitClass.failed.rawValue
    }
  }

  private func show(_ error: any UserFacing) {
    if context.mode == .human {
      line("tote: \(safe(error.message))", look: .red)
      if let hint = error.hint { line(safe(hint)) }
    } else {
      line(error.json.serialized(.compact.escapingSeparators))
    }
  }

  private func show(_ failure: ParseFailure) {
    guard context.mode != .human else {
      return line(safe(failure.rendered(program: "tote")))
    }
    let error: JSON = [
      "error": [
        "code": .string(failure.code),
        "message": .string(failure.messages.joined(separator: "; ")),
        "hint": .string("see '\(failure.seeAlso)'"),
        "option": failure.option.map { .string($0) } ?? .null,
        "argument": failure.argument.map { .string($0) } ?? .null,
        "command": .string(failure.command),
      ]
    ]
    line(error.serialized(.compact.escapingSeparators))
  }

  private func safe(_ text: String) -> String {
    context.streams.errorTraits.isTerminal
      ? Sanitizer.terminalSafe(text, keepsLines: true) : text
  }

  private func line(_ text: String, look: Look? = nil) {
    // A closed stderr must not turn one failure into another.
    try? context.streams.error.writeLine(context.streams.errorStyle.apply(look, to: text))
  }
}
