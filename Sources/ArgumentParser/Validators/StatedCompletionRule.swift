/// Every value says what the Tab key offers, if only `.default` for "nothing"; numbers need not.
enum StatedCompletionRule: CommandRule {
  static func problems(of node: CommandTree.Node, in tree: CommandTree) -> [String] {
    guard node.description.isVisible else { return [] }
    return node.description.ownArguments
      .filter { $0.isVisible && $0.kind != .flag && !$0.statesCompletion }
      .map { "\($0.place) needs a completion kind; write completion: .default for free text" }
  }
}
