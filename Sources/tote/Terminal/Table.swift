/// One column of a listing.
struct Column: Sendable {
  /// How a column may be laid out.
  enum Kind: Sendable {
    /// Never cut: an id, a revision, a name that is typed back.
    case identifier
    /// Aligned to the right and never cut.
    case number
    /// May shrink to ten cells, the last such column first.
    case text
  }

  /// The heading, shown on a terminal.
  let title: String
  /// How it is laid out.
  let kind: Kind
  /// When the terminal is too narrow, columns go in the order of this number, smallest first;
  /// `nil` stays.
  let dropOrder: Int?

  init(_ title: String, _ kind: Kind = .text, dropOrder: Int? = nil) {
    self.title = title
    self.kind = kind
    self.dropOrder = dropOrder
  }
}

/// One field of a row: what people see, and what pipes get when that differs.
struct Cell: Sendable {
  /// The text for a terminal.
  var text: String
  /// The text for a pipe: whole, exact, not abbreviated.
  var plain: String
  /// How it looks.
  var look: Look?

  init(_ text: String, plain: String? = nil, look: Look? = nil) {
    self.text = text
    self.plain = plain ?? text
    self.look = look
  }

  static let empty = Cell("")
}

/// Lays out rows: aligned by cells on a terminal, separated by tabs and complete elsewhere.
struct Table: Sendable {
  private static let gap = 2
  private static let floor = 10

  let columns: [Column]
  let traits: Streams.Traits

  /// The lines of a block of rows on a terminal, all widths taken from that block.
  func lines(of rows: [[Cell]], withHeader: Bool) -> [String] {
    let shown = rows.map { $0.map { Cell(Sanitizer.terminalSafe($0.text), look: $0.look) } }
    let titles = columns.map(\.title)
    var widths = titles.map { withHeader ? Cells.width(of: $0) : 0 }
    for row in shown {
      for (index, cell) in row.enumerated() {
        widths[index] = max(widths[index], Cells.width(of: cell.text))
      }
    }
    let visible = fit(&widths)
    let style = Style(isEnabled: traits.color)
    var lines: [String] = []
    if withHeader, titles.contains(where: { !$0.isEmpty }) {
      lines.append(line(titles.map { Cell($0, look: .dim) }, visible, widths, style))
    }
    for row in shown { lines.append(line(row, visible, widths, style)) }
    return lines
  }

  /// One row for a pipe.
  static func plainLine(of row: [Cell]) -> String {
    row.map { field($0.plain) }.joined(separator: "\t")
  }

  /// Which columns are shown; widths of text columns shrink in place.
  private func fit(_ widths: inout [Int]) -> [Int] {
    var visible = Array(columns.indices).filter { widths[$0] > 0 }
    func total() -> Int {
      visible.reduce(0) { $0 + widths[$1] } + Table.gap * max(0, visible.count - 1)
    }
    func shrink() {
      for index in visible.reversed() where columns[index].kind == .text {
        let excess = total() - traits.width
        if excess <= 0 { return }
        if widths[index] > Table.floor {
          widths[index] = max(Table.floor, widths[index] - excess)
        }
      }
    }
    let natural = widths
    shrink()
    let order = visible.filter { columns[$0].dropOrder != nil }
      .sorted { (columns[$0].dropOrder ?? 0) < (columns[$1].dropOrder ?? 0) }
    for index in order where total() > traits.width {
      visible.removeAll { $0 == index }
      widths = natural
      shrink()
    }
    return visible
  }

  private func line(_ row: [Cell], _ visible: [Int], _ widths: [Int], _ style: Style) -> String {
    let ellipsis = traits.isUTF8 ? "…" : "..."
    var line = ""
    for (position, index) in visible.enumerated() {
      let cell = row[index]
      let isCut = columns[index].kind == .text
      let text =
        isCut ? Cells.truncate(cell.text, to: widths[index], ellipsis: ellipsis) : cell.text
      let padding = Cells.padding(for: text, to: widths[index])
      let isLast = position == visible.count - 1
      switch columns[index].kind {
      case .number: line += padding + style.apply(cell.look, to: text)
      default: line += style.apply(cell.look, to: text) + (isLast ? "" : padding)
      }
      if !isLast { line += String(repeating: " ", count: Table.gap) }
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  /// A field without the characters that would break the row.
  private static func field(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\t": result += "\\t"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
