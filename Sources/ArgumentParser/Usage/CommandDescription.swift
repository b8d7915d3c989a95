/// A command as data: what help, man pages, completions, self-checks and the dump are made from.
public struct CommandDescription: Hashable, Sendable, Encodable {
  /// A child as its parent lists it.
  public struct Child: Hashable, Sendable, Encodable {
    /// The name typed.
    public let name: String
    /// Further names.
    public let aliases: [String]
    /// One line of help.
    public let abstract: String
    /// Whether it is mentioned to people.
    public let isVisible: Bool
  }

  /// Children under one title; `nil` for those without.
  public struct ChildGroup: Hashable, Sendable, Encodable {
    /// The title.
    public let title: String?
    /// The children in order.
    public let children: [Child]
  }

  /// The names from the program down: `["tote", "todo", "add"]`.
  public let path: [String]

  /// Further names of the command itself.
  public let aliases: [String]

  /// One line of help.
  public let abstract: String

  /// Paragraphs; may be empty.
  public let discussion: String

  /// The usage lines, without the word "usage"; at least one.
  public let synopses: [String]

  /// Whether it is mentioned to people.
  public let isVisible: Bool

  /// The version, on the root only.
  public let version: String?

  /// The arguments of the command itself, in the order declared.
  public let arguments: [ArgumentDescription]

  /// The options taken from the groups shared by all commands, help and version last.
  public let inheritedArguments: [ArgumentDescription]

  /// The children.
  public let childGroups: [ChildGroup]

  /// The child that runs when none is named.
  public let defaultChild: String?

  /// Examples.
  public let examples: [Example]

  /// Exit statuses.
  public let exitCodes: [ExitStatus]

  /// Keys of the JSON result.
  public let outputKeys: [OutputKey]

  /// Related commands and pages.
  public let seeAlso: [String]

  /// Help topics, on the root only.
  public let topics: [HelpTopic]

  /// Whether it should declare output keys.
  let hasResult: Bool

  private enum CodingKeys: String, CodingKey {
    case path, aliases, abstract, discussion, synopses, isVisible, version, arguments
    case inheritedArguments, childGroups, defaultChild, examples, exitCodes, outputKeys, seeAlso
    case topics
  }

  /// The full name: `tote todo add`.
  public var fullName: String { path.joined(separator: " ") }

  /// Every child.
  public var children: [Child] { childGroups.flatMap(\.children) }
}

extension CommandDescription {
  /// Describes the last of `commands`, a path from the root down.
  ///
  /// - Precondition: `commands` is not empty.
  public init(commands: [any ParsableCommand.Type]) {
    precondition(!commands.isEmpty, "a description needs a command")
    self.init(CommandPath(commands))
  }

  init(_ path: CommandPath) {
    let scope = path.scope
    let configuration = scope.configuration
    self.path = scope.path
    aliases = configuration.aliases
    abstract = configuration.abstract
    discussion = configuration.discussion
    synopses = Synopsis.lines(for: scope, inherited: path.inherited)
    isVisible = configuration.shouldDisplay
    let isRoot = path.scopes.count == 1
    version = isRoot && !configuration.version.isEmpty ? configuration.version : nil
    arguments = scope.definitions.map(ArgumentDescription.init)
    inheritedArguments =
      path.inherited.flatMap(\.definitions).map(ArgumentDescription.init) + path.builtIns
    childGroups = configuration.childGroups
    defaultChild = configuration.defaultSubcommand?._commandName
    let documented = scope.type as? any DocumentedCommand.Type
    hasResult = documented?.hasResult ?? true
    examples = documented?.examples ?? []
    exitCodes = documented?.exitCodes ?? []
    outputKeys = documented?.outputKeys ?? []
    seeAlso = documented?.seeAlso ?? []
    topics = isRoot ? (scope.type as? any HelpTopicProvider.Type)?.helpTopics ?? [] : []
  }
}

extension CommandConfiguration {
  fileprivate var childGroups: [CommandDescription.ChildGroup] {
    let groups =
      [(nil, ungroupedSubcommands)] + groupedSubcommands.map { ($0.name, $0.subcommands) }
    return groups.filter { !$0.1.isEmpty }.map { title, types in
      CommandDescription.ChildGroup(
        title: title,
        children: types.map { type in
          let configuration = type.configuration
          return CommandDescription.Child(
            name: type._commandName, aliases: configuration.aliases,
            abstract: configuration.abstract, isVisible: configuration.shouldDisplay)
        })
    }
  }
}
