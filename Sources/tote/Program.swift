import ArgumentParser
import Core
import Glibc

/// One run of `tote`: reads the line, runs the command, shows what went wrong, gives the status.
enum Program {
  /// Runs a command line.
  ///
  /// - Parameters:
  ///   - words: the words after the program's name.
  ///   - environment: the variables of the run.
  ///   - makeContext: makes the context for the options of the line; tests give buffers.
  /// - Returns: the exit status, after everything was written and flushed.
  static func run(
    _ words: [String], environment: Environment = .process,
    makeContext: (GlobalOptions) -> Context = { .process(options: $0) }
  ) async -> Int32 {
    if let first = words.first, first.hasPrefix("__") || first == "--dump-commands" {
      let context = makeContext(GlobalOptions())
      let reporter = ErrorReporter(context: context)
      do {
        if try HiddenCommands.answer(words, context) { return reporter.finish(after: nil) }
      } catch {
        return reporter.finish(after: error)
      }
    }
    let variables = environment["TOTE_HOME"].map { ["TOTE_HOME": $0] } ?? [:]
    let result = ToteRoot.parseCommandLine(words, environment: variables)
    let options = result.inherited(GlobalOptions.self) ?? GlobalOptions()
    let context = makeContext(options)
    let reporter = ErrorReporter(context: context)
    do {
      switch result.outcome {
      case .run(let command): try await execute(command, context)
      case .help(let request): try show(request, context)
      case .version: try context.emit(VersionReport(verbosity: context.verbosity))
      case .failure(let failure): return reporter.finish(after: failure)
      case .exit(let error): return reporter.finish(after: error)
      }
      return reporter.finish(after: nil)
    } catch {
      return reporter.finish(after: error)
    }
  }

  private static func execute(_ command: any ParsableCommand, _ context: Context) async throws {
    guard let command = command as? any ToteCommand else {
      preconditionFailure("\(type(of: command)) is not a ToteCommand")
    }
    try await start(command, context)
  }

  private static func start(_ command: some ToteCommand, _ context: Context) async throws {
    try await command.run(in: context)
  }

  private static func show(_ request: HelpRequest, _ context: Context) throws {
    let traits = context.streams.outputTraits
    let style = HelpStyle(width: traits.width, isBold: traits.color, isASCII: !traits.isUTF8)
    let text = request.rendered(style)
    let ending = text.hasSuffix("\n") ? "" : "\n"
    try Pager.show(
      Array((text + ending).utf8), streams: context.streams, environment: context.environment)
  }
}
