/// No command is named like a value that could stand in its place, nor like the help command.
enum CommandNameRule: CommandRule {
  static func problems(of node: CommandTree.Node, in tree: CommandTree) -> [String] {
    let command = node.description
    let names = command.children.flatMap { [$0.name] + $0.aliases }
    let defaultChild = node.children.first { $0.description.path.last == command.defaultChild }
    let operands = (defaultChild?.description.arguments ?? []) + command.arguments
    let values = operands.filter { $0.kind == .positional }.flatMap(\.choices).map(\.value)
    let topics = command.topics.map(\.name)
    return names.compactMap { name in
      if name == "help" { return "a command named help hides the built-in one" }
      if values.contains(name) { return "the command \(name) is named like a value of its default" }
      return topics.contains(name) ? "the command \(name) hides the help topic of that name" : nil
    }
  }
}
