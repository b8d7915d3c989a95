/// What a person types to look for words, as the full-text engine takes it.
///
/// Words must all occur, in any order; `"two words"` must stand next to each other; `mil*` stands for
/// every word that begins with it. Nothing else has a meaning, so that no text is an error.
///
/// Source: SQLite's documentation of FTS5, section "Full-text Query Syntax".
public struct TextQuery: Sendable, Hashable {
  /// The query in FTS5's language; nil when there is no word in it.
  public let expression: String?

  /// Reads what a person typed.
  public init(_ text: String) {
    var terms: [String] = []
    var rest = Substring(text)
    while let first = rest.first {
      if first == "\"" {
        rest.removeFirst()
        let phrase = rest.prefix { $0 != "\"" }
        rest = rest.dropFirst(phrase.count + 1)
        terms += Self.term(phrase, isPrefix: Self.takeStar(&rest))
      } else if first.isWhitespace {
        rest.removeFirst()
      } else {
        let word = rest.prefix { !$0.isWhitespace && $0 != "\"" }
        rest = rest.dropFirst(word.count)
        let isPrefix = word.last == "*"
        terms += Self.term(isPrefix ? word.dropLast() : word, isPrefix: isPrefix)
      }
    }
    expression = terms.isEmpty ? nil : terms.joined(separator: " ")
  }

  private static func takeStar(_ rest: inout Substring) -> Bool {
    guard rest.first == "*" else { return false }
    rest.removeFirst()
    return true
  }

  /// Quoted, a term is only words; one without a letter or digit would match nothing at all.
  private static func term(_ text: Substring, isPrefix: Bool) -> [String] {
    guard text.contains(where: { $0.isLetter || $0.isNumber }) else { return [] }
    // FTS5 ends its text at U+0000.
    let quoted = text.split { $0 == "\"" || $0 == "\0" }.joined(separator: " ")
    return ["\"\(quoted)\"" + (isPrefix ? "*" : "")]
  }
}
