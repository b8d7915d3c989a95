/// Writes a page in mdoc, the language of the BSD manuals, which mandoc and groff both read.
struct MdocWriter {
  private var lines: [String] = []

  /// Whether the last thing written was a heading, after which no paragraph break may stand.
  private var isAfterHeading = false

  mutating func page(_ document: ManualDocument, date: String, system: String) -> String {
    lines = [
      ".Dd \(date)", ".Dt \(document.name.uppercased()) \(document.section)", ".Os \(system)",
      ".Sh NAME", ".Nm \(document.name)", ".Nd \(MdocText.inline(document.abstract))",
    ]
    for section in document.sections {
      lines.append(".Sh \(section.title)")
      isAfterHeading = true
      for content in section.content { write(content, in: document) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private mutating func write(_ content: ManualDocument.Content, in document: ManualDocument) {
    switch content {
    case .text(let text): write(TextBlock.blocks(of: text))
    case .subsection(let title):
      lines.append(".Ss \(MdocText.inline(title))")
      isAfterHeading = true
      return
    case .entries(let entries): write(entries)
    case .references(let names): writeReferences(names, except: document)
    case .synopses(let synopses): for synopsis in synopses { writeSynopsis(synopsis) }
    }
    isAfterHeading = false
  }

  // MARK: - Text

  private mutating func write(_ blocks: [TextBlock]) {
    var isInList = false
    for block in blocks {
      if case .item = block {
        if !isInList { lines.append(".Bl -dash -compact") }
        isInList = true
      } else if isInList {
        lines.append(".El")
        isInList = false
        isAfterHeading = false
      }
      switch block {
      case .paragraph(let text):
        if !isAfterHeading { lines.append(".Pp") }
        lines += MdocText.sentences(text)
      case .item(let text):
        lines.append(".It")
        lines += MdocText.sentences(text)
      case .literal(let text): writeLiteral(text)
      }
      isAfterHeading = false
    }
    if isInList { lines.append(".El") }
  }

  private mutating func writeLiteral(_ text: [String]) {
    lines.append(".Bd -literal -offset indent")
    lines += text.map(MdocText.literal)
    lines.append(".Ed")
  }

  // MARK: - Lists

  private mutating func write(_ entries: [ManualDocument.Entry]) {
    lines.append(".Bl -tag -width Ds")
    for entry in entries {
      lines.append(".It " + term(entry))
      var text = TextBlock.blocks(of: entry.text)
      if case .paragraph(let first) = text.first {
        lines += MdocText.sentences(first)
        text.removeFirst()
      }
      isAfterHeading = false
      write(text)
    }
    lines.append(".El")
  }

  private func term(_ entry: ManualDocument.Entry) -> String {
    switch entry.kind {
    case .variable: "Ev " + MdocText.argument(entry.term)
    case .path: "Pa " + MdocText.argument(entry.term)
    case .page: reference(entry.term)
    case .literal: "Li " + MdocText.argument(entry.term)
    case .commandLine: "Li " + MdocText.argument(entry.term)
    case .argument: argumentTerm(entry.term)
    }
  }

  /// `-d, --due WHEN` as flags and an argument name.
  private func argumentTerm(_ label: String) -> String {
    let words = label.split(separator: " ").map(String.init)
    var parts: [String] = []
    for word in words {
      let name = word.hasSuffix(",") ? String(word.dropLast()) : word
      if name.hasPrefix("-") {
        parts += ["Fl", MdocText.argument(String(name.dropFirst()))]
      } else {
        parts += ["Ar", MdocText.argument(name)]
      }
      if word.hasSuffix(",") { parts.append(",") }
    }
    return parts.joined(separator: " ")
  }

  // MARK: - References

  /// `tote todo list` and `tote-json(5)` as a reference.
  private func reference(_ name: String) -> String {
    let (page, section) = Self.target(name)
    return "Xr \(page) \(section)"
  }

  static func target(_ name: String) -> (page: String, section: String) {
    let words = name.split(separator: " ").joined(separator: "-")
    guard words.hasSuffix(")"), let open = words.lastIndex(of: "(") else { return (words, "1") }
    return (String(words[..<open]), String(words[words.index(after: open)...].dropLast()))
  }

  private mutating func writeReferences(_ names: [String], except document: ManualDocument) {
    var targets = names.map(Self.target).filter { $0.page != document.name }
    targets.sort { ($0.section, $0.page) < ($1.section, $1.page) }
    var seen: Set<String> = []
    targets.removeAll { !seen.insert($0.page + "." + $0.section).inserted }
    for (index, target) in targets.enumerated() {
      let comma = index + 1 < targets.count ? " ," : ""
      lines.append(".Xr \(target.page) \(target.section)\(comma)")
    }
  }

  // MARK: - Synopsis

  /// A usage line: literal words bold, names of values italic, brackets as they are.
  private mutating func writeSynopsis(_ synopsis: String) {
    let words = synopsis.split(separator: " ", maxSplits: 1)
    lines.append(".Nm \(words[0])")
    guard words.count > 1 else { return }
    var text = ""
    var run = ""
    for character in words[1] {
      if character.isLetter || character.isNumber || "-_@/.".contains(character) {
        run.append(character)
      } else {
        text += Self.styled(run) + MdocText.inline(String(character))
        run = ""
      }
    }
    lines.append(text + Self.styled(run))
  }

  private static func styled(_ run: String) -> String {
    guard !run.isEmpty else { return "" }
    let isName = run == "options" || !run.contains(where: \.isLowercase) && !run.hasPrefix("-")
    return (isName ? "\\fI" : "\\fB") + MdocText.literal(run) + "\\fR"
  }
}
