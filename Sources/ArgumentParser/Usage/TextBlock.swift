/// A piece of a longer text, as authors write it: paragraphs, list items and literal lines.
///
/// A blank line ends a paragraph. A line that starts with `- ` is a list item, and the lines indented
/// below it belong to it. Lines indented by four spaces or more are literal: never wrapped.
enum TextBlock: Equatable {
  case paragraph(String)
  case item(String)
  case literal([String])

  /// The blocks of a text, in order.
  static func blocks(of text: String) -> [TextBlock] {
    var blocks: [TextBlock] = []
    var isOpen = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let content = line.drop { $0 == " " }
      let indent = line.count - content.count
      if content.isEmpty {
        isOpen = false
      } else if content.hasPrefix("- "), indent < 4 {
        blocks.append(.item(String(content.dropFirst(2))))
        isOpen = true
      } else if isOpen, let joined = blocks.last?.joined(with: String(content), indent: indent) {
        blocks[blocks.count - 1] = joined
      } else if indent >= 4 {
        blocks.append(literal(String(line.dropFirst(4)), after: &blocks))
        isOpen = false
      } else {
        blocks.append(.paragraph(String(content)))
        isOpen = true
      }
    }
    return blocks
  }

  /// The block with another line, unless the line starts one of its own.
  private func joined(with line: String, indent: Int) -> TextBlock? {
    switch self {
    case .paragraph(let text): indent >= 4 ? nil : .paragraph(text + " " + line)
    case .item(let text): indent == 0 ? nil : .item(text + " " + line)
    case .literal: nil
    }
  }

  /// A literal block with `line`, grown from the block before it when that is literal too.
  private static func literal(_ line: String, after blocks: inout [TextBlock]) -> TextBlock {
    guard case .literal(let lines) = blocks.last else { return .literal([line]) }
    blocks.removeLast()
    return .literal(lines + [line])
  }
}

/// Breaks text into lines by cells.
enum TextWrap {
  /// `text` in lines of at most `width` cells, broken at spaces; a longer word stands alone, uncut.
  static func lines(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var used = 0
    for word in text.split(separator: " ") {
      let cells = TextWidth.cells(of: word)
      if used > 0, used + 1 + cells > width {
        lines.append(line)
        line = ""
        used = 0
      }
      if used > 0 {
        line += " "
        used += 1
      }
      line += word
      used += cells
    }
    if !line.isEmpty { lines.append(line) }
    return lines
  }

  /// Whole blocks in lines of at most `width` cells (literal lines excepted), separated by blank
  /// lines; items follow each other without.
  static func lines(_ blocks: [TextBlock], width: Int) -> [String] {
    var result: [String] = []
    var previousWasItem = false
    for block in blocks {
      var isItem = false
      if case .item = block { isItem = true }
      if !result.isEmpty, !(isItem && previousWasItem) { result.append("") }
      previousWasItem = isItem
      switch block {
      case .paragraph(let text): result += lines(text, width: width)
      case .literal(let text): result += text.map { "    " + $0 }
      case .item(let text):
        for (index, line) in lines(text, width: width - 2).enumerated() {
          result.append((index == 0 ? "- " : "  ") + line)
        }
      }
    }
    return result
  }
}
