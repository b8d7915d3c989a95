enum TextWidth { static func cells(of text: String) -> Int { text.count } }

/// Text laid out by terminal cells, never by bytes or characters.
enum Cells {
  /// The number of cells the text takes.
  static func width(of text: String) -> Int { TextWidth.cells(of: text) }

  /// The text cut to at most `limit` cells, with an ellipsis when something was cut.
  ///
  /// A grapheme is never split; when a wide one does not fit, its cell stays free.
  static func truncate(_ text: String, to limit: Int, ellipsis: String) -> String {
    guard width(of: text) > limit else { return text }
    let room = limit - width(of: ellipsis)
    guard room >= 0 else { return "" }
    var result = ""
    var used = 0
    for character in text {
      let cells = width(of: String(character))
      if used + cells > room { break }
      result.append(character)
      used += cells
    }
    return result + ellipsis
  }

  /// The spaces that fill the text up to `width` cells.
  static func padding(for text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - Cells.width(of: text)))
  }
}
