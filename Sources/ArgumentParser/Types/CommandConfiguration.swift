/// The name, texts and children of a command.
public struct CommandConfiguration: Sendable {
  /// The name typed; derived from the type when `nil`.
  public var commandName: String?

  /// One line, lower case, without a final period.
  public var abstract: String

  /// The synopses, one a line, without the word "usage"; generated when `nil`.
  public var usage: String?

  /// Paragraphs of `--help` and the man page.
  ///
  /// A blank line ends a paragraph, `- ` starts a list item, and a line indented by four spaces or
  /// more is literal: never wrapped.
  public var discussion: String

  /// The version `--version` prints; the option exists on the root when this is not empty.
  public var version: String

  /// Whether help, completions and suggestions mention the command.
  public var shouldDisplay: Bool

  /// The children listed without a title.
  public var ungroupedSubcommands: [any ParsableCommand.Type]

  /// The children listed under titles, after the others.
  public var groupedSubcommands: [CommandGroup]

  /// The child that runs when none is named.
  public var defaultSubcommand: (any ParsableCommand.Type)?

  /// The spellings of the help option; those of the parent when `nil`, `-h` and `--help` at the root.
  public var helpNames: NameSpecification?

  /// Further names of the command.
  public var aliases: [String]

  /// A configuration; every part has a default.
  public init(
    commandName: String? = nil, abstract: String = "", usage: String? = nil,
    discussion: String = "", version: String = "", shouldDisplay: Bool = true,
    subcommands ungroupedSubcommands: [any ParsableCommand.Type] = [],
    groupedSubcommands: [CommandGroup] = [],
    defaultSubcommand: (any ParsableCommand.Type)? = nil, helpNames: NameSpecification? = nil,
    aliases: [String] = []
  ) {
    self.commandName = commandName
    self.abstract = abstract
    self.usage = usage
    self.discussion = discussion
    self.version = version
    self.shouldDisplay = shouldDisplay
    self.ungroupedSubcommands = ungroupedSubcommands
    self.groupedSubcommands = groupedSubcommands
    self.defaultSubcommand = defaultSubcommand
    self.helpNames = helpNames
    self.aliases = aliases
  }

  /// Every child, ungrouped ones first.
  public var subcommands: [any ParsableCommand.Type] {
    ungroupedSubcommands + groupedSubcommands.flatMap(\.subcommands)
  }
}

/// Children of a command that help lists under a title.
public struct CommandGroup: Sendable {
  /// The title, as help shows it.
  public let name: String

  /// The children, in the order shown.
  public let subcommands: [any ParsableCommand.Type]

  /// A group of children.
  public init(name: String, subcommands: [any ParsableCommand.Type]) {
    self.name = name
    self.subcommands = subcommands
  }
}
