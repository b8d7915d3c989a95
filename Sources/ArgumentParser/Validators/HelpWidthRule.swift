/// Help fits a terminal of 80 cells, literal lines and examples included.
enum HelpWidthRule: CommandRule {
  static func problems(of node: CommandTree.Node, in tree: CommandTree) -> [String] {
    let request = HelpRequest(commands: node.commands, detail: .full)
    let text = request.rendered(HelpStyle(width: 80))
    return text.split(separator: "\n").filter { TextWidth.cells(of: $0) > 80 }.map {
      "a line of the help is wider than 80 cells: \($0)"
    }
  }
}
