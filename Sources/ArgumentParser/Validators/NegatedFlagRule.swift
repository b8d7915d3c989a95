/// A flag that turns something off is declared as the opposite of one that turns it on.
///
/// Where `--due WHEN` takes a value, `--no-due` has nothing to be the opposite of and may stand alone.
enum NegatedFlagRule: CommandRule {
  static func problems(of node: CommandTree.Node, in tree: CommandTree) -> [String] {
    let command = node.description
    let options = Set(command.allArguments.filter { $0.kind == .option }.flatMap(\.names))
    return command.ownArguments.filter { $0.kind == .flag }.flatMap(\.names).compactMap { name in
      guard name.hasPrefix("--no-") else { return nil }
      let positive = "--" + name.dropFirst(5)
      if options.contains(positive) { return nil }
      return "\(name) is negated by hand; declare \(positive) with inversion: .prefixedNo"
    }
  }
}
