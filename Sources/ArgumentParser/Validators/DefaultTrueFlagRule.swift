/// A flag without an opposite that is on from the start could never be turned off.
enum DefaultTrueFlagRule: TreeRule {
  static func problems(in tree: CommandTree) -> [String] {
    tree.nodes.flatMap { node -> [String] in
      let path = CommandPath(node.commands)
      let definitions = path.scope.definitions + path.inherited.flatMap(\.definitions)
      return definitions.filter(\.isOnWithoutOpposite).map {
        "\(node.description.fullName): \($0.displayName) is on by default and has no opposite"
      }
    }
  }
}
