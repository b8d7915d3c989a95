/// "See also" names commands that exist, or pages with their section.
enum ReferencesRule: CommandRule {
  static func problems(of node: CommandTree.Node, in tree: CommandTree) -> [String] {
    let names = Set(tree.nodes.map(\.description.fullName))
    return node.description.seeAlso.filter { !names.contains($0) && !$0.hasSuffix(")") }
      .map { "'\($0)' under 'see also' is no command and no page" }
  }
}
