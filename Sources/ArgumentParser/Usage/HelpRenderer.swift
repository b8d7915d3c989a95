/// How help is drawn.
public struct HelpStyle: Hashable, Sendable {
  /// The cells of a line, 40 to 100.
  public let width: Int

  /// Whether headings are bold; for terminals.
  public let isBold: Bool

  /// Whether only ASCII may be used; for terminals without UTF-8.
  public let isASCII: Bool

  /// A style; `width` is brought into the range 40 to 100.
  public init(width: Int = 80, isBold: Bool = false, isASCII: Bool = false) {
    self.width = min(max(width, 40), 100)
    self.isBold = isBold
    self.isASCII = isASCII
  }
}

extension HelpRequest {
  /// The help asked for, ending in a line break.
  public func rendered(_ style: HelpStyle = HelpStyle()) -> String {
    var renderer = HelpRenderer(style: style)
    if let topic { return renderer.topic(topic) }
    return renderer.command(CommandDescription(commands: commands), detail: detail)
  }
}

/// Draws the help of commands and topics.
struct HelpRenderer {
  let style: HelpStyle
  private var lines: [String] = []

  /// Whether hidden commands and options are shown too.
  private var showsHidden = false

  init(style: HelpStyle) { self.style = style }

  mutating func topic(_ topic: HelpTopic) -> String {
    lines = TextWrap.lines("\(topic.name): \(topic.abstract)", width: style.width) + [""]
    lines += TextWrap.lines(TextBlock.blocks(of: topic.text), width: style.width)
    return finished()
  }

  mutating func command(_ command: CommandDescription, detail: HelpDetail) -> String {
    lines = []
    showsHidden = detail == .everything
    if !command.abstract.isEmpty {
      lines += TextWrap.lines("\(command.fullName): \(command.abstract)", width: style.width)
    }
    usage(command)
    if detail != .brief { text(command.discussion) }
    arguments(command, detail)
    children(command)
    inherited(command, detail)
    examples(command, detail)
    if detail != .brief {
      exitCodes(command)
      seeAlso(command)
    }
    footer(command, detail)
    return finished()
  }

  // MARK: - Sections

  private func isShown(_ argument: ArgumentDescription) -> Bool {
    showsHidden || argument.isVisible
  }

  private func isShown(_ child: CommandDescription.Child) -> Bool { showsHidden || child.isVisible }

  private mutating func usage(_ command: CommandDescription) {
    heading("Usage")
    for synopsis in command.synopses {
      let wrapped = TextWrap.lines(synopsis, width: style.width - 2)
      for (index, line) in wrapped.enumerated() {
        lines.append((index == 0 ? "  " : "      ") + line)
      }
    }
  }

  private mutating func text(_ discussion: String) {
    let blocks = TextBlock.blocks(of: discussion)
    guard !blocks.isEmpty else { return }
    lines.append("")
    lines += TextWrap.lines(blocks, width: style.width)
  }

  private mutating func arguments(_ command: CommandDescription, _ detail: HelpDetail) {
    let visible = command.arguments.filter(isShown)
    let own = visible.filter { $0.group == nil }
    rows("Arguments", own.filter { $0.kind == .positional }, detail)
    var options = own.filter { $0.kind != .positional }
    if command.inheritedArguments.count <= 2, !command.hasInheritedGroups {
      options += command.inheritedArguments
    }
    rows("Options", options, detail, takesOperands: own.contains { $0.kind == .positional })
    var titles: [String] = []
    for title in visible.compactMap(\.group) where !titles.contains(title) { titles.append(title) }
    for title in titles { rows(title, visible.filter { $0.group == title }, detail) }
  }

  private mutating func children(_ command: CommandDescription) {
    for group in command.childGroups {
      let visible = group.children.filter(isShown)
      guard !visible.isEmpty else { continue }
      heading(group.title ?? "Commands")
      table(
        visible.map { child in
          let isDefault = child.name == command.defaultChild ? " [default]" : ""
          return (
            ([child.name] + child.aliases).joined(separator: ", "), child.abstract + isDefault
          )
        })
    }
    let topics = command.topics
    guard !topics.isEmpty else { return }
    heading("Help topics")
    table(topics.map { ($0.name, $0.abstract) })
  }

  private mutating func inherited(_ command: CommandDescription, _ detail: HelpDetail) {
    guard command.hasInheritedGroups else { return }
    let visible = command.inheritedArguments.filter(isShown)
    let title = visible.compactMap(\.group).first ?? "Global options"
    if detail != .brief { return rows(title, visible, detail) }
    heading(title)
    let labels = visible.map { $0.label.substituting(" ", with: "\u{A0}") }.joined(separator: "; ")
    lines += TextWrap.lines(labels, width: style.width - 2).map { "  " + $0 }
  }

  private mutating func examples(_ command: CommandDescription, _ detail: HelpDetail) {
    let shown = detail != .brief ? command.examples[...] : command.examples.prefix(3)
    guard !shown.isEmpty else { return }
    heading("Examples")
    for example in shown {
      lines.append("  " + example.commandLine)
      guard detail != .brief, !example.explanation.isEmpty else { continue }
      lines += TextWrap.lines(example.explanation, width: style.width - 6).map { "      " + $0 }
    }
  }

  private mutating func exitCodes(_ command: CommandDescription) {
    guard !command.exitCodes.isEmpty else { return }
    heading("Exit codes")
    table(command.exitCodes.map { (String($0.code), $0.meaning) })
  }

  private mutating func seeAlso(_ command: CommandDescription) {
    guard !command.seeAlso.isEmpty else { return }
    heading("See also")
    lines += TextWrap.lines(command.seeAlso.joined(separator: ", "), width: style.width - 2)
      .map { "  " + $0 }
  }

  private mutating func footer(_ command: CommandDescription, _ detail: HelpDetail) {
    let program = command.path[0]
    var hint = ""
    if !command.children.isEmpty {
      let rest = command.path.dropFirst().map { $0 + " " }.joined()
      hint = "'\(program) help \(rest)COMMAND' tells more about a command"
    } else if detail == .brief {
      hint = "'\(command.fullName) --help' tells more"
    }
    guard !hint.isEmpty else { return }
    lines.append("")
    lines += TextWrap.lines(hint, width: style.width)
  }

  // MARK: - Drawing

  private mutating func heading(_ title: String) {
    if !lines.isEmpty { lines.append("") }
    lines.append(style.isBold ? "\u{1B}[1m\(title):\u{1B}[0m" : "\(title):")
  }

  private mutating func rows(
    _ title: String, _ arguments: [ArgumentDescription], _ detail: HelpDetail,
    takesOperands: Bool = false
  ) {
    let endsOptions = takesOperands && detail != .brief
    guard !arguments.isEmpty || endsOptions else { return }
    heading(title)
    let more: (ArgumentDescription) -> [TextBlock] = { argument in
      guard detail != .brief else { return [] }
      let described = argument.choices.filter { !$0.description.isEmpty }
      return described.map { .item("\($0.value): \($0.description)") }
        + TextBlock.blocks(of: argument.discussion)
    }
    let last = endsOptions ? [("--", "take all that follows as operands, not options")] : []
    table(arguments.map { ($0.label, $0.summary) } + last, more: arguments.map(more))
  }

  /// Two columns: labels of at most 28 cells, and texts that wrap beside them.
  private mutating func table(_ rows: [(label: String, text: String)], more: [[TextBlock]] = []) {
    let longest = rows.map { TextWidth.cells(of: $0.label) }.max() ?? 0
    let column = min(longest, 28, style.width - 24)
    let margin = String(repeating: " ", count: column + 4)
    let room = style.width - column - 4
    for (index, row) in rows.enumerated() {
      var texts = TextWrap.lines(row.text, width: room)
      if TextWidth.cells(of: row.label) > column || texts.isEmpty {
        lines.append("  " + row.label)
      } else {
        lines.append("  " + TextWidth.padded(row.label, to: column) + "  " + texts.removeFirst())
      }
      if index < more.count { texts += TextWrap.lines(more[index], width: room) }
      lines += texts.map { $0.isEmpty ? "" : margin + $0 }
    }
  }

  private func finished() -> String {
    let text = (lines.joined(separator: "\n") + "\n").substituting("\u{A0}", with: " ")
    return style.isASCII ? text.substituting("…", with: "...") : text
  }
}

extension CommandDescription {
  /// Whether there are shared options besides help and version.
  var hasInheritedGroups: Bool { inheritedArguments.contains { $0.isFromGroup } }
}

extension ArgumentDescription {
  /// Whether it is declared by a command, unlike help and version.
  var isFromGroup: Bool { !(kind == .flag && (names.contains("--help") || names == ["--version"])) }
}
