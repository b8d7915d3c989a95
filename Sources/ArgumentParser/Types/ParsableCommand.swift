/// A command: its arguments, its place in the tree, and what it does.
public protocol ParsableCommand: ParsableArguments {
  /// The command's name, help and subcommands.
  static var configuration: CommandConfiguration { get }

  /// Does the command's work; parsed and validated before.
  mutating func run() throws
}

extension ParsableCommand {
  /// Nothing but the name derived from the type.
  public static var configuration: CommandConfiguration { CommandConfiguration() }

  /// A command without work of its own shows its help.
  public mutating func run() throws { throw CleanExit.helpRequest(Self.self) }

  /// The configured name, else the type's name in kebab case: `TodoAdd` → `todo-add`.
  public static var _commandName: String {
    configuration.commandName ?? kebabCase(String(describing: Self.self))
  }
}

/// A command whose work is asynchronous.
public protocol AsyncParsableCommand: ParsableCommand {
  /// Does the command's work; parsed and validated before.
  mutating func run() async throws
}

extension AsyncParsableCommand {
  /// A command without work of its own shows its help.
  public mutating func run() async throws { throw CleanExit.helpRequest(Self.self) }
}
