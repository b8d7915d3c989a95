/// Values are written as in the manual: `WHEN`, without angle brackets, and never left nameless.
enum ValueNotationRule: CommandRule {
  static func problems(of node: CommandTree.Node, in tree: CommandTree) -> [String] {
    node.description.ownArguments.compactMap { argument in
      guard argument.kind != .flag else { return nil }
      guard let name = argument.valueName, !name.isEmpty else {
        return "\(argument.place) needs a value name"
      }
      if name.contains(where: { "<> ".contains($0) }) {
        return "the value name '\(name)' must not hold blanks or angle brackets"
      }
      let isNotation =
        name.contains(where: \.isUppercase) || name.contains("|") || name.contains("=")
      return isNotation ? nil : "the value name '\(name)' must be in upper case"
    }
  }
}
