/// Splits what is typed at a shell into words and takes their quotes away.
enum ShellWords {
  /// The words of a line as far as it is typed; the last one, maybe empty, is still being typed.
  ///
  /// Knows backslashes, single and double quotes, which may be left open; nothing is expanded.
  static func split(_ line: String) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    var isStarted = false
    var quote: Unicode.Scalar?
    var scalars = line.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      switch (scalar, quote) {
      case (" ", nil), ("\t", nil), ("\n", nil):
        if isStarted { words.append(String(word)) }
        word = String.UnicodeScalarView()
        isStarted = false
        continue
      case ("\\", nil):
        if let next = scalars.next() { word.append(next) }
      case ("\\", "\""):
        guard let next = scalars.next() else { break }
        if !"\"\\$`".unicodeScalars.contains(next) { word.append(scalar) }
        word.append(next)
      case ("'", nil), ("\"", nil): quote = scalar
      case (_, .some(let open)) where open == scalar: quote = nil
      default: word.append(scalar)
      }
      isStarted = true
    }
    words.append(String(word))
    return words
  }

  /// A single word without its quotes, of which the last may be open.
  static func unquoted(_ word: String) -> String {
    var pieces = split(word)
    // A blank inside one word can only be quoted, unless the shell handed over something odd.
    let last = pieces.removeLast()
    return pieces.isEmpty ? last : word
  }
}
