/// The letters that mean the same in every command are not given another meaning.
enum ReservedLettersRule: CommandRule {
  static let letters = ["-h", "-q", "-v"]

  static func problems(of node: CommandTree.Node, in tree: CommandTree) -> [String] {
    guard node.description.path.count > 1 else { return [] }
    return node.description.arguments.flatMap(\.allNames).filter(letters.contains).map {
      "\($0) is reserved for help, quiet and verbose"
    }
  }
}
