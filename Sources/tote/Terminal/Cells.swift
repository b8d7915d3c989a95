import ArgumentParser

/// Text laid out by terminal cells, never by bytes or characters.
enum Cells {
  /// The number of cells the text takes.
  static func width(of text: String) -> Int { TextWidth.cells(of: text) }

  /// The text cut to at most `limit` cells, with an ellipsis when something was cut.
  static func truncate(_ text: String, to limit: Int, ellipsis: String) -> String {
    TextWidth.truncated(text, to: limit, mark: ellipsis)
  }

  /// The spaces that fill the text up to `width` cells.
  static func padding(for text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - Cells.width(of: text)))
  }
}
