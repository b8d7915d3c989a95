/// Reads a predicate's tokens into a selector's normal form.
struct PredicateParser {
  private let text: String
  private let tokens: [PredicateToken]
  private var index = 0
  private var depth = 0

  /// What stands at one side of a comparison.
  private enum Operand {
    case path([String])
    case value(JSON)
    case list([JSON])
  }

  init(text: String, tokens: [PredicateToken]) {
    self.text = text
    self.tokens = tokens
  }

  mutating func parse() throws(QueryError) -> SelectorNode {
    let node = try disjunction()
    guard token.kind == .end else {
      throw error("expected AND, OR or the end, not '\(token.text)'")
    }
    return node
  }

  // MARK: Tokens

  private var token: PredicateToken { tokens[index] }

  private mutating func advance() {
    if index < tokens.count - 1 { index += 1 }
  }

  private func isWord(_ words: String...) -> Bool {
    guard case .word(let word) = token.kind else { return false }
    return words.contains(word.uppercased())
  }

  private func isSymbol(_ symbols: String...) -> Bool {
    guard case .symbol(let symbol) = token.kind else { return false }
    return symbols.contains(symbol)
  }

  private mutating func take(symbol: String, _ expected: String) throws(QueryError) {
    guard isSymbol(symbol) else { throw error("expected \(expected), not \(tokenName)") }
    advance()
  }

  private var tokenName: String { token.kind == .end ? "the end" : "'\(token.text)'" }

  private func error(
    _ reason: String, at token: PredicateToken? = nil,
    example: String = "priority >= 2 AND name CONTAINS[c] \"milk\""
  ) -> QueryError {
    .predicate(reason, at: (token ?? self.token).position, in: text, example: example)
  }

  // MARK: Combinations

  private mutating func disjunction() throws(QueryError) -> SelectorNode {
    var parts = [try conjunction()]
    while isWord("OR") || isSymbol("||") {
      advance()
      parts.append(try conjunction())
    }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func conjunction() throws(QueryError) -> SelectorNode {
    var parts = [try negation()]
    while isWord("AND") || isSymbol("&&") {
      advance()
      parts.append(try negation())
    }
    return parts.count == 1 ? parts[0] : .conjunction(parts)
  }

  private mutating func negation() throws(QueryError) -> SelectorNode {
    depth += 1
    defer { depth -= 1 }
    guard depth < 200 else { throw error("this is nested too deeply") }
    if isWord("NOT") || isSymbol("!") {
      advance()
      return try negation().complement
    }
    if isSymbol("(") {
      advance()
      let inner = try disjunction()
      try take(symbol: ")", "a closing parenthesis")
      return inner
    }
    if isWord("TRUEPREDICATE") {
      advance()
      return .everything
    }
    if isWord("FALSEPREDICATE") {
      advance()
      return .nothing
    }
    return try comparison()
  }

  // MARK: Comparisons

  private mutating func comparison() throws(QueryError) -> SelectorNode {
    let start = token
    var quantifier: PredicateComparison.Quantifier = .none
    if isWord("ANY", "SOME") { quantifier = .any }
    if isWord("ALL") { quantifier = .all }
    if isWord("NONE") { quantifier = .no }
    if quantifier != .none { advance() }
    let left = try operand()
    let operatorToken = token
    var comparison = try operation()
    comparison.quantifier = quantifier
    let right = try operand()
    do {
      return try node(left, comparison, right, operatorToken)
    } catch let mistake {
      guard mistake.column == nil else { throw mistake }
      throw error(mistake.reason, at: start)
    }
  }

  private func node(
    _ left: Operand, _ comparison: PredicateComparison, _ right: Operand,
    _ place: PredicateToken
  ) throws(QueryError) -> SelectorNode {
    switch (left, right) {
    case (.path(let names), .value(let value)):
      return try comparison.node(names, value)
    case (.path(let names), .list(let values)):
      return try comparison.node(names, .array(values))
    case (.value(let value), .path(let names)):
      guard let turned = comparison.turned else {
        throw error(
          "the field stands on the left of \(place.text)", at: place,
          example: "name \(place.text) \"milk\"")
      }
      return try turned.node(names, value)
    case (.path, .path):
      throw error(
        "two fields cannot be compared with each other; text stands between quotes", at: place,
        example: "name == \"milk\"")
    default:
      throw error("one side must be a field", at: place)
    }
  }

  private mutating func operation() throws(QueryError) -> PredicateComparison {
    var isNegated = false
    if isWord("NOT") {
      isNegated = true
      advance()
      guard isWord("IN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "BETWEEN")
      else { throw error("expected IN or another operator after NOT, not \(tokenName)") }
    }
    let name: String
    switch token.kind {
    case .word(let word): name = word.uppercased()
    case .symbol(let symbol): name = symbol
    default: name = ""
    }
    guard let operation = PredicateComparison.Operation(name) else {
      throw error(
        "expected an operator such as == or CONTAINS, not \(tokenName)",
        example: "done == TRUE")
    }
    let place = token
    advance()
    var folding: TextFolding = []
    if case .options(let options) = token.kind {
      guard operation.takesOptions else {
        throw error("\(place.text) knows no [c] or [d]", example: "name ==[c] \"milk\"")
      }
      folding = options
      advance()
    }
    return PredicateComparison(operation: operation, folding: folding, isNegated: isNegated)
  }

  // MARK: Operands

  private mutating func operand() throws(QueryError) -> Operand {
    switch token.kind {
    case .string(let string):
      advance()
      return .value(.string(string))
    case .number(let number):
      advance()
      return .value(number)
    case .symbol("{"): return .list(try list())
    case .word(let word):
      if let constant = Self.constant(word) {
        advance()
        return .value(constant)
      }
      guard !Self.reserved.contains(word.uppercased()) else { break }
      return .path(try path())
    case .quotedName: return .path(try path())
    default: break
    }
    throw error("expected a field or a value, not \(tokenName)")
  }

  private static func constant(_ word: String) -> JSON? {
    switch word.uppercased() {
    case "TRUE", "YES": true
    case "FALSE", "NO": false
    case "NULL", "NIL": .null
    default: nil
    }
  }

  private static let reserved: Set<String> = [
    "AND", "OR", "NOT", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES",
    "ANY", "SOME", "ALL", "NONE", "TRUEPREDICATE", "FALSEPREDICATE",
  ]

  private mutating func list() throws(QueryError) -> [JSON] {
    advance()
    var values: [JSON] = []
    while !isSymbol("}") {
      switch try operand() {
      case .value(let value): values.append(value)
      case .list(let inner): values.append(.array(inner))
      case .path: throw error("a list holds values, and text stands between quotes")
      }
      guard isSymbol(",") else { break }
      advance()
    }
    try take(symbol: "}", "a comma or a closing }")
    return values
  }

  private mutating func path() throws(QueryError) -> [String] {
    var names = [try name()]
    while true {
      if isSymbol(".") {
        advance()
        names += try nameOrIndexes()
      } else if isSymbol("[") {
        advance()
        names.append(try elementIndex())
        try take(symbol: "]", "a closing ]")
      } else {
        return names
      }
    }
  }

  private mutating func name() throws(QueryError) -> String {
    switch token.kind {
    case .word(let word):
      advance()
      // Apple's escape for names that are words of the language.
      return word.hasPrefix("#") && word.count > 1 ? String(word.dropFirst()) : word
    case .quotedName(let name) where !name.isEmpty:
      advance()
      return name
    default: throw error("expected a name, not \(tokenName)")
    }
  }

  /// A name, or an index; the lexer takes `0.1` of `a.0.1` for one number.
  private mutating func nameOrIndexes() throws(QueryError) -> [String] {
    guard case .number = token.kind else { return [try name()] }
    let parts = token.text.split(separator: ".").map(String.init)
    guard parts.allSatisfy({ Int($0) != nil }) else {
      throw error("'\(token.text)' is no index")
    }
    advance()
    return parts
  }

  private mutating func elementIndex() throws(QueryError) -> String {
    guard case .number(.integer(let number)) = token.kind, number >= 0 else {
      throw error(
        "expected the number of an element, not \(tokenName)", example: "tags[0] == \"a\"")
    }
    advance()
    return String(number)
  }
}
