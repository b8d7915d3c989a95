/// At most one operand repeats, since more could not be told apart.
enum OperandRule: CommandRule {
  static func problems(of node: CommandTree.Node, in tree: CommandTree) -> [String] {
    let repeated = node.description.arguments.filter { $0.kind == .positional && $0.isRepeating }
    guard repeated.count > 1 else { return [] }
    return ["only one of the operands \(repeated.map(\.place).joined(separator: ", ")) may repeat"]
  }
}
