/// Every command that does something says how it is used, how it ends and what it prints.
enum LeafDocumentationRule: CommandRule {
  static func problems(of node: CommandTree.Node, in tree: CommandTree) -> [String] {
    let command = node.description
    guard node.isLeaf, command.isVisible else { return [] }
    var problems: [String] = []
    if command.examples.isEmpty { problems.append("it needs an example") }
    if command.exitCodes.isEmpty { problems.append("it needs its exit statuses") }
    if command.hasResult, command.outputKeys.isEmpty {
      problems.append("it needs the keys of its JSON result, or hasResult = false")
    }
    return problems
  }
}
