/// What help and man pages say about a command beyond its arguments; beside the mirrored API.
public protocol DocumentedCommand: ParsableCommand {
  /// Command lines with what they do; every leaf has at least one.
  static var examples: [Example] { get }

  /// The exit statuses the command uses, with what each means here.
  static var exitCodes: [ExitStatus] { get }

  /// The keys of the `--json` result, in their order; empty for commands without a result.
  static var outputKeys: [OutputKey] { get }

  /// Whether the command prints a result; `false` frees it from declaring output keys.
  static var hasResult: Bool { get }

  /// Related commands (`tote store list`) and manual pages (`tote-json(5)`).
  static var seeAlso: [String] { get }
}

extension DocumentedCommand {
  /// None.
  public static var examples: [Example] { [] }

  /// None.
  public static var exitCodes: [ExitStatus] { [] }

  /// None.
  public static var outputKeys: [OutputKey] { [] }

  /// Most commands do.
  public static var hasResult: Bool { true }

  /// None.
  public static var seeAlso: [String] { [] }
}

/// A command line shown in help, which a test parses.
public struct Example: Hashable, Sendable, Encodable {
  /// The line as typed in a shell: `tote todo add "Buy milk"`.
  public let commandLine: String

  /// What it does, lower case without a final period.
  public let explanation: String

  /// An example.
  public init(_ commandLine: String, _ explanation: String = "") {
    self.commandLine = commandLine
    self.explanation = explanation
  }
}

/// An exit status and what it means for a command.
public struct ExitStatus: Hashable, Sendable, Encodable {
  /// The number.
  public let code: Int32

  /// The meaning, lower case without a final period.
  public let meaning: String

  /// A status with its meaning.
  public init(_ code: Int32, _ meaning: String) {
    self.code = code
    self.meaning = meaning
  }
}

/// A key of a command's JSON result.
public struct OutputKey: Hashable, Sendable, Encodable {
  /// The key; nested keys are written with dots.
  public let name: String

  /// The type: `string`, `integer`, `array of objects`, `string or null`.
  public let type: String

  /// What it means, with its unit; lower case without a final period.
  public let meaning: String

  /// A key.
  public init(_ name: String, _ type: String, _ meaning: String) {
    self.name = name
    self.type = type
    self.meaning = meaning
  }
}

/// A text that `help NAME` shows; the root lists its topics.
public struct HelpTopic: Hashable, Sendable, Encodable {
  /// The word typed after `help`.
  public let name: String

  /// One line, lower case without a final period.
  public let abstract: String

  /// The text, laid out like a command's discussion.
  public let text: String

  /// A topic.
  public init(_ name: String, abstract: String, text: String) {
    self.name = name
    self.abstract = abstract
    self.text = text
  }
}

/// A root command with help topics; beside the mirrored API.
public protocol HelpTopicProvider: ParsableCommand {
  /// The topics, in the order the root's help lists them.
  static var helpTopics: [HelpTopic] { get }
}
