import ArgumentParser
import Testing

/// What the fixture makes of a line.
func outcome(_ words: String..., environment: [String: String] = [:]) -> ParseResult {
  Fixture.parseCommandLine(words, environment: environment)
}

/// The command a line gives, which must be of the type expected.
func command<Command: ParsableCommand>(
  _ type: Command.Type, _ words: String..., environment: [String: String] = [:],
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> Command {
  let result = Fixture.parseCommandLine(words, environment: environment)
  guard case .run(let command) = result.outcome else {
    Issue.record("\(words) gave \(result.outcome)", sourceLocation: sourceLocation)
    throw ExitCode.failure
  }
  return try #require(command as? Command, sourceLocation: sourceLocation)
}

/// The failure a line gives.
func failure(
  _ words: [String], environment: [String: String] = [:],
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> ParseFailure {
  let result = Fixture.parseCommandLine(words, environment: environment)
  guard case .failure(let failure) = result.outcome else {
    Issue.record("\(words) gave \(result.outcome)", sourceLocation: sourceLocation)
    throw ExitCode.failure
  }
  return failure
}

/// The first sentence a line is refused with.
func message(_ words: String..., sourceLocation: SourceLocation = #_sourceLocation) -> String {
  (try? failure(words, sourceLocation: sourceLocation).message) ?? ""
}

/// The path of the command whose help a line asks for, or `nil`.
func helpPath(_ words: String...) -> String? {
  let result = Fixture.parseCommandLine(words)
  guard case .help = result.outcome else { return nil }
  return result.path.joined(separator: " ")
}
