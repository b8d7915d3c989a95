/// Every command of a program, described: for man pages, the dump and the self-checks.
///
/// Parsing never makes one: it looks only at the commands on the path of a line.
public struct CommandTree: Sendable {
  /// A command with its children.
  public struct Node: Sendable {
    /// The types from the root down to this command.
    public let commands: [any ParsableCommand.Type]

    /// The command as data.
    public let description: CommandDescription

    /// The commands below, in the order declared.
    public let children: [Node]

    /// Whether the command holds no others.
    public var isLeaf: Bool { children.isEmpty }
  }

  /// The program's own command.
  public let root: Node

  /// Describes `root` and everything below it.
  public init(_ root: any ParsableCommand.Type) {
    self.root = Self.node(CommandPath([root]), commands: [root])
  }

  /// Every command, parents before their children.
  public var nodes: [Node] {
    func flattened(_ node: Node) -> [Node] { [node] + node.children.flatMap(flattened) }
    return flattened(root)
  }

  private static func node(_ path: CommandPath, commands: [any ParsableCommand.Type]) -> Node {
    let children = path.scope.configuration.subcommands.map { type in
      var below = path
      below.append(type)
      return node(below, commands: commands + [type])
    }
    return Node(
      commands: commands, description: CommandDescription(path), children: children)
  }
}

/// The whole tree as one value to encode: the input of documentation tools.
///
/// Keys are only added within a version. An encoder that leaves out absent keys is what is meant.
public struct CommandDump: Sendable, Encodable {
  /// The version of this form; raised when a key changes its meaning or goes away.
  public let version = 1

  /// The program's name.
  public let program: String

  /// Every command, parents before their children.
  public let commands: [CommandDescription]

  private enum CodingKeys: String, CodingKey { case version, program, commands }

  /// The dump of a tree.
  public init(_ tree: CommandTree) {
    program = tree.root.description.path[0]
    commands = tree.nodes.map(\.description)
  }
}
