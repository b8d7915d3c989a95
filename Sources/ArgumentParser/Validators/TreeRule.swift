/// A rule the declarations of a program keep to; one type, one rule.
protocol TreeRule: SendableMetatype {
  /// A sentence for each place that breaks the rule: where, what, and what to do.
  static func problems(in tree: CommandTree) -> [String]
}

/// A rule about each command by itself.
protocol CommandRule: TreeRule {
  static func problems(of node: CommandTree.Node, in tree: CommandTree) -> [String]
}

extension CommandRule {
  static func problems(in tree: CommandTree) -> [String] {
    tree.nodes.flatMap { node in
      problems(of: node, in: tree).map { "\(node.description.fullName): \($0)" }
    }
  }
}

extension CommandTree {
  /// What is wrong with the declarations, as sentences that name the command; empty when nothing is.
  ///
  /// Meant for a test over the whole tree: no start of the program runs it.
  public func problems() -> [String] {
    let rules: [any TreeRule.Type] = [
      UniqueNamesRule.self, NameFormRule.self, HelpTextRule.self, ValueNotationRule.self,
      StatedCompletionRule.self, LeafDocumentationRule.self, OperandRule.self,
      NegatedFlagRule.self, DefaultTrueFlagRule.self, ReservedLettersRule.self,
      CommandNameRule.self, ExamplesRule.self, HelpWidthRule.self, AgreementRule.self,
      ReferencesRule.self,
    ]
    return rules.flatMap { $0.problems(in: self) }
  }
}

extension CommandDescription {
  /// Every argument that may stand on the command's line.
  var allArguments: [ArgumentDescription] { arguments + inheritedArguments }

  /// The arguments the command is the first to accept: shared ones belong to the root.
  var ownArguments: [ArgumentDescription] {
    path.count == 1 ? allArguments : arguments
  }
}

extension ArgumentDescription {
  /// Every spelling, of the opposite too.
  var allNames: [String] { names + invertedNames }

  /// How a problem names it.
  var place: String {
    allNames.last(where: { $0.hasPrefix("--") }) ?? allNames.first ?? valueName ?? "?"
  }
}
