/// Help, manual and completion know the same options.
enum AgreementRule: CommandRule {
  static func problems(of node: CommandTree.Node, in tree: CommandTree) -> [String] {
    let command = node.description
    guard command.isVisible else { return [] }
    let help = HelpRequest(commands: node.commands, detail: .full).rendered(HelpStyle(width: 100))
    let settings = ManualSettings(date: "", system: "")
    let page = CommandPage(node: node, root: tree.root.description, settings: settings)
    let manual = page.document.file(settings).text
    let offered = Set(
      node.commands[0].completions(words: Array(command.path.dropFirst()), prefix: "-")
        .candidates.map(\.value))
    return command.ownArguments.filter { $0.kind != .positional && $0.isVisible }
      .flatMap { argument -> [String] in
        let name = argument.place
        var places: [String] = []
        if !help.contains(argument.label) { places.append("help") }
        if !argument.manualTerms.allSatisfy(manual.contains) { places.append("manual") }
        if !argument.allNames.contains(where: offered.contains) { places.append("completion") }
        return places.map { "\(name) is missing in the \($0)" }
      }
  }
}

extension ArgumentDescription {
  /// How the manual's source spells each name of the label.
  fileprivate var manualTerms: [String] {
    label.split(separator: " ").filter { $0.hasPrefix("-") }.map { word in
      let name = word.hasSuffix(",") ? word.dropLast() : word
      return "Fl " + MdocText.argument(String(name.dropFirst()))
    }
  }
}
