/// Every command, argument and explanation has one line of help, in lower case, without a period.
enum HelpTextRule: CommandRule {
  static func problems(of node: CommandTree.Node, in tree: CommandTree) -> [String] {
    let command = node.description
    guard command.isVisible else { return [] }
    var problems = check(command.abstract, "the abstract")
    for argument in command.ownArguments where argument.isVisible {
      problems += check(argument.abstract, "the help of \(argument.place)")
    }
    for example in command.examples where !example.explanation.isEmpty {
      problems += check(example.explanation, "the explanation of an example")
    }
    for status in command.exitCodes {
      problems += check(status.meaning, "the meaning of exit status \(status.code)")
    }
    for key in command.outputKeys {
      problems += check(key.meaning, "the meaning of the key \(key.name)")
    }
    for topic in command.topics {
      problems += check(topic.abstract, "the abstract of the topic \(topic.name)")
    }
    return problems
  }

  private static func check(_ text: String, _ place: String) -> [String] {
    if text.isEmpty { return ["\(place) is missing"] }
    if text.contains("\n") { return ["\(place) has more than one line"] }
    if text.hasSuffix(".") && !text.hasSuffix("…") { return ["\(place) ends in a period"] }
    let word = text.prefix { $0 != " " }
    let isPlainWord = !word.dropFirst().contains(where: \.isUppercase) && word.count > 1
    if isPlainWord, word.first?.isUppercase == true {
      return ["\(place) starts with a capital letter; names may be quoted"]
    }
    return []
  }
}
