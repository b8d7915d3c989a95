extension ParsableCommand {
  /// Reads a command line whose root is this command.
  ///
  /// - Parameters:
  ///   - arguments: The words after the program's name.
  ///   - environment: The variables options may fall back to; nothing else is read from it.
  /// - Returns: What the line asks for. Mistakes are an outcome too, so that the shared options of
  ///   the same line (`--json`) can decide how they are shown.
  public static func parseCommandLine(
    _ arguments: [String], environment: [String: String] = [:]
  ) -> ParseResult {
    var parser = CommandLineParser(self, words: arguments, environment: environment)
    return parser.result()
  }

  /// The command of this type that a line, read with this command as the root, gives.
  ///
  /// - Throws: `ParseFailure`; `CleanExit.helpRequest` when the line asks for help, or names a
  ///   subcommand; what `validate()` threw.
  public static func parse(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> Self {
    guard let command = try parseAsRoot(arguments, environment: environment) as? Self else {
      throw CleanExit.helpRequest(self)
    }
    return command
  }

  /// The command that a line, read with this command as the root, gives.
  ///
  /// - Throws: As `parse`; `CleanExit.message` with the version when the line asks for that.
  public static func parseAsRoot(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> any ParsableCommand {
    let result = parseCommandLine(arguments, environment: environment)
    switch result.outcome {
    case .run(let command): return command
    case .help(let request): throw CleanExit.helpRequest(request.commands.last)
    case .version: throw CleanExit.message(configuration.version)
    case .failure(let failure): throw failure
    case .exit(let error): throw error
    }
  }
}
