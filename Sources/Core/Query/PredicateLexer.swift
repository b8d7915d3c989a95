/// One piece of a predicate's text.
struct PredicateToken {
  enum Kind: Equatable {
    /// A name or a keyword.
    case word(String)
    /// A name between backquotes: never a keyword.
    case quotedName(String)
    case string(String)
    case number(JSON)
    /// `==`, `<`, `&&`, `(`, `{`, `,`, `.`, …
    case symbol(String)
    /// `[c]`, `[d]`, `[cd]` after an operator.
    case options(TextFolding)
    case end
  }

  var kind: Kind
  /// Where it begins, in characters from 0.
  var position: Int
  /// Its text.
  var text: String
}

/// Takes a predicate's text apart.
struct PredicateLexer {
  private let characters: [Character]
  private var position = 0
  private let text: String

  static func tokens(of text: String) throws(QueryError) -> [PredicateToken] {
    var lexer = PredicateLexer(text)
    var tokens: [PredicateToken] = []
    while true {
      let token = try lexer.next(after: tokens.last?.kind)
      tokens.append(token)
      if token.kind == .end { return tokens }
    }
  }

  private init(_ text: String) {
    self.text = text
    characters = Array(text)
  }

  private static let symbols = [
    "&&", "||", "==", "!=", "<>", "<=", "=<", ">=", "=>", "<", ">", "=", "!", "(", ")", "{", "}",
    ",",
    ".", "[", "]",
  ]

  private mutating func next(
    after last: PredicateToken.Kind?
  ) throws(QueryError) -> PredicateToken {
    while position < characters.count, characters[position].isWhitespace { position += 1 }
    let start = position
    let kind = try kind(after: last)
    return PredicateToken(
      kind: kind, position: start, text: String(characters[start..<min(position, characters.count)])
    )
  }

  private mutating func kind(
    after last: PredicateToken.Kind?
  ) throws(QueryError) -> PredicateToken.Kind {
    guard position < characters.count else { return .end }
    let first = characters[position]
    switch first {
    case "\"", "'", "“", "”": return .string(try quoted(by: first))
    case "`": return .quotedName(try quoted(by: first))
    case "[":
      if case .word = last, let options = options() { return .options(options) }
      if case .symbol = last, let options = options() { return .options(options) }
    case "0"..."9": return try number()
    case "-" where position + 1 < characters.count && characters[position + 1].isNumber:
      return try number()
    default: break
    }
    if Self.isNameStart(first) {
      let start = position
      while position < characters.count, Self.isNamePart(characters[position]) { position += 1 }
      return .word(String(characters[start..<position]))
    }
    for symbol in Self.symbols where starts(with: symbol) {
      position += symbol.count
      return .symbol(symbol)
    }
    throw error("'\(first)' has no meaning here", at: position)
  }

  private func starts(with symbol: String) -> Bool {
    symbol.count <= characters.count - position
      && zip(symbol, characters[position...]).allSatisfy { $0 == $1 }
  }

  private static func isNameStart(_ character: Character) -> Bool {
    character.isLetter || character == "_" || character == "@" || character == "$"
      || character == "#"
  }

  private static func isNamePart(_ character: Character) -> Bool {
    isNameStart(character) || character.isNumber || character == "-"
  }

  /// `[c]` and its like; nil when something else is between the brackets.
  private mutating func options() -> TextFolding? {
    guard let end = characters[position...].firstIndex(of: "]") else { return nil }
    var folding: TextFolding = []
    let letters = characters[(position + 1)..<end]
    guard !letters.isEmpty else { return nil }
    for letter in letters {
      switch letter {
      case "c", "C": folding.insert(.caseInsensitive)
      case "d", "D": folding.insert(.diacriticInsensitive)
      default: return nil
      }
    }
    position = end + 1
    return folding
  }

  private mutating func number() throws(QueryError) -> PredicateToken.Kind {
    let start = position
    if characters[position] == "-" { position += 1 }
    while position < characters.count {
      let character = characters[position]
      let isSign =
        (character == "-" || character == "+") && "eE".contains(characters[position - 1])
      guard character.isASCII,
        character.isNumber || character == "." || isSign || "eE".contains(character)
      else { break }
      position += 1
    }
    let text = String(characters[start..<position])
    guard let value = try? JSON(parsing: text) else {
      throw error("'\(text)' is no number", at: start)
    }
    return .number(value)
  }

  private mutating func quoted(by quote: Character) throws(QueryError) -> String {
    let start = position
    // A text editor may have made typographic quotes of plain ones.
    let close: Set<Character> = "“”".contains(quote) ? ["“", "”"] : [quote]
    var result = ""
    position += 1
    while position < characters.count {
      let character = characters[position]
      position += 1
      if close.contains(character) { return result }
      if character == "\\" {
        result.unicodeScalars.append(contentsOf: try escape())
      } else {
        result.append(character)
      }
    }
    throw error("the text that begins here has no closing \(quote)", at: start)
  }

  private mutating func escape() throws(QueryError) -> [Unicode.Scalar] {
    guard position < characters.count else { return ["\\"] }
    let start = position - 1
    let character = characters[position]
    position += 1
    switch character {
    case "n": return ["\n"]
    case "t": return ["\t"]
    case "r": return ["\r"]
    case "u":
      var unit = try hexadecimal(at: start)
      if (0xD800..<0xDC00).contains(unit), starts(with: "\\u") {
        position += 2
        unit = 0x10000 + (unit & 0x3FF) << 10 + (try hexadecimal(at: start) & 0x3FF)
      }
      guard let scalar = Unicode.Scalar(unit) else {
        throw error("this escape names no character", at: start)
      }
      return [scalar]
    default: return Array(character.unicodeScalars)
    }
  }

  /// `XXXX` or `{X…}` after `\u`.
  private mutating func hexadecimal(at start: Int) throws(QueryError) -> UInt32 {
    var digits = ""
    if position < characters.count, characters[position] == "{" {
      guard let end = characters[position...].firstIndex(of: "}") else {
        throw error("this escape has no closing }", at: start)
      }
      digits = String(characters[(position + 1)..<end])
      position = end + 1
    } else {
      digits = String(characters[position..<min(position + 4, characters.count)])
      position += digits.count
      guard digits.count == 4 else {
        throw error("\\u wants four hexadecimal digits", at: start)
      }
    }
    guard let value = UInt32(digits, radix: 16) else {
      throw error("'\(digits)' is not hexadecimal", at: start)
    }
    return value
  }

  private func error(_ reason: String, at position: Int) -> QueryError {
    .predicate(reason, at: position, in: text)
  }
}

extension QueryError {
  /// A mistake in a predicate: what is wrong, where, and one that works.
  static func predicate(
    _ reason: String, at position: Int, in text: String,
    example: String = "priority >= 2 AND name CONTAINS[c] \"milk\""
  ) -> QueryError {
    let before = text.prefix(position)
    let line = before.count(where: \.isNewline) + 1
    let column = before.reversed().prefix { !$0.isNewline }.count + 1
    let shown = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)[line - 1]
    let place = line == 1 ? "column \(column)" : "line \(line), column \(column)"
    return QueryError(
      code: "invalid_predicate", reason: "\(place): \(reason)",
      hint: "\(shown)\n\(String(repeating: " ", count: column - 1))^\nfor example: \(example)",
      column: column)
  }
}
