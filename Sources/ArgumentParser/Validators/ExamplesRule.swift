/// Every example is a line the program accepts, and shows the command it belongs to.
enum ExamplesRule: TreeRule {
  static func problems(in tree: CommandTree) -> [String] {
    tree.nodes.flatMap { node in
      node.description.examples.flatMap { example in
        problems(with: example.commandLine, node: node, tree: tree).map {
          "\(node.description.fullName): the example '\(example.commandLine)' \($0)"
        }
      }
    }
  }

  private static func problems(
    with line: String, node: CommandTree.Node, tree: CommandTree
  ) -> [String] {
    let root = tree.root.commands[0]
    let program = tree.root.description.path[0]
    let calls = commands(in: line).filter { $0.first == program }
    if calls.isEmpty { return ["does not call \(program)"] }
    var problems: [String] = []
    var showsCommand = false
    for call in calls {
      let result = root.parseCommandLine(Array(call.dropFirst()))
      showsCommand = showsCommand || result.path.starts(with: node.description.path)
      if case .failure(let failure) = result.outcome {
        problems.append("fails: \(failure.message)")
      }
    }
    if problems.isEmpty, !showsCommand { problems.append("does not show this command") }
    return problems
  }

  /// The commands of a shell line: split at pipes and the like, without redirections and assignments.
  static func commands(in line: String) -> [[String]] {
    var commands: [[String]] = [[]]
    var skipsNext = false
    for word in ShellWords.split(line) where !word.isEmpty {
      if skipsNext {
        skipsNext = false
      } else if ["|", "||", "&&", ";", "&"].contains(word) {
        commands.append([])
      } else if [">", ">>", "<", "2>"].contains(word) {
        skipsNext = true
      } else if commands[commands.count - 1].isEmpty, isAssignment(word) {
        continue
      } else {
        commands[commands.count - 1].append(word)
      }
    }
    return commands.filter { !$0.isEmpty }
  }

  private static func isAssignment(_ word: String) -> Bool {
    guard let equals = word.firstIndex(of: "=") else { return false }
    return word[..<equals].allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }
}
