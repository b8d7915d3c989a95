extension CommandLineParser {
  mutating func readOperand(_ word: String) {
    let configuration = scope.configuration
    guard !isLost else { return }
    guard operands.isEmpty, !configuration.subcommands.isEmpty else {
      operands.append(Operand(word: word, index: next - 1))
      return
    }
    if !optionsEnded || isHelpCommand {
      if let child = configuration.subcommand(named: word) { return descend(to: child) }
      if word == "help", !isHelpCommand {
        isHelpCommand = true
        return
      }
    }
    if isHelpCommand { return readTopic(word) }
    if let child = implicitChild {
      let scope = CommandScope(child, path: [], adopting: inherited)
      if optionsEnded || !scope.positionals.isEmpty || !scope.configuration.subcommands.isEmpty {
        descend(to: child)
        return readOperand(word)
      }
    } else if !scope.positionals.isEmpty || optionsEnded {
      operands.append(Operand(word: word, index: next - 1))
      return
    }
    isLost = true
    let names = configuration.visibleNames + ["help"]
    errors.append(
      .unknownCommand(word, suggestions: Suggestions.nearest(to: word, in: names), isTopic: false))
  }

  private mutating func readTopic(_ word: String) {
    let topics = (scopes[0].type as? any HelpTopicProvider.Type)?.helpTopics ?? []
    if scopes.count == 1, let found = topics.first(where: { $0.name == word }) {
      topic = found
      isLost = true
      return
    }
    isLost = true
    let names = scope.configuration.visibleNames + (scopes.count == 1 ? topics.map(\.name) : [])
    errors.append(
      .unknownCommand(
        word, suggestions: Suggestions.nearest(to: word, in: names),
        isTopic: scopes.count == 1 && !topics.isEmpty))
  }

  /// The subcommand a line means without naming one.
  var implicitChild: (any ParsableCommand.Type)? {
    isHelpCommand || isLost || !operands.isEmpty ? nil : scope.configuration.defaultSubcommand
  }
}
