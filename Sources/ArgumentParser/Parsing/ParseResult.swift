/// What a command line asks for.
public struct ParseResult {
  /// The kinds of wishes.
  public enum Outcome {
    /// To run a command, parsed and validated.
    case run(any ParsableCommand)
    /// To read the help of a command or topic; shown on standard output, status 0.
    case help(HelpRequest)
    /// To know the version; shown on standard output, status 0.
    case version
    /// Nothing that can be run; shown on standard error, status 64.
    case failure(ParseFailure)
    /// A check threw `ExitCode` or `CleanExit`.
    case exit(any Error)
  }

  /// What is asked for.
  public let outcome: Outcome

  /// The names of the command the line meant, the program's first, by their full names, no aliases.
  public let path: [String]

  /// The types of the commands on `path`.
  public let commands: [any ParsableCommand.Type]

  let inheritedGroups: [InheritedGroup]

  /// The options shared by all commands, as far as they could be parsed, whatever the outcome.
  ///
  /// - Returns: `nil` when no command on the path declares a group of that type.
  public func inherited<Group: InheritedOptions>(_ type: Group.Type) -> Group? {
    for group in inheritedGroups {
      if let found = group.property.group as? Group { return found }
    }
    return nil
  }
}

/// How much help is wanted.
public enum HelpDetail: Sendable {
  /// One screen: usage, and a line for each argument (`-h`).
  case brief
  /// Everything (`--help`, `help COMMAND`).
  case full
  /// Everything with what is hidden otherwise (`--help-hidden`).
  case everything
}

/// A wish to read help.
public struct HelpRequest: Sendable {
  /// The command and its parents, the root first.
  public let commands: [any ParsableCommand.Type]

  /// How much to show.
  public let detail: HelpDetail

  /// The topic to show instead of the command, if one was named.
  public let topic: HelpTopic?

  /// A wish for the help of the last of `commands`, or of a topic.
  public init(
    commands: [any ParsableCommand.Type], detail: HelpDetail, topic: HelpTopic? = nil
  ) {
    self.commands = commands
    self.detail = detail
    self.topic = topic
  }
}
