/// No two options a command accepts, and no two of its children, have a spelling in common, not even
/// one that differs only by letter case.
enum UniqueNamesRule: CommandRule {
  static func problems(of node: CommandTree.Node, in tree: CommandTree) -> [String] {
    let command = node.description
    let options = command.allArguments.flatMap(\.allNames)
    let children = command.children.flatMap { [$0.name] + $0.aliases }
    return clashes(options).map { "the option \($0) is declared twice; rename one" }
      + clashes(children).map { "the command \($0) is declared twice; rename one" }
      + caseClashes(options).map { "\($0) differ only by letter case; rename one" }
  }

  private static func clashes(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { !seen.insert($0).inserted }
  }

  private static func caseClashes(_ names: [String]) -> [String] {
    let groups = Dictionary(grouping: Set(names)) { $0.lowercased() }
    return groups.values.filter { $0.count > 1 }.map { $0.sorted().joined(separator: " and ") }
      .sorted()
  }
}
