/// One line of expected output with its placeholders; see ``Transcript``.
struct TranscriptPattern {
  private enum Part {
    case literal([Character])
    case word(name: String)
    case anything
  }

  private let parts: [Part]

  init(_ text: String) {
    var parts: [Part] = []
    var rest = text[...]
    while let start = rest.firstRange(ofPlaceholder: ()) {
      if start.lowerBound > rest.startIndex {
        parts.append(.literal(Array(rest[..<start.lowerBound])))
      }
      let name = rest[start].dropFirst(2).dropLast()
      parts.append(name == "*" ? .anything : .word(name: String(name)))
      rest = rest[start.upperBound...]
    }
    if !rest.isEmpty { parts.append(.literal(Array(rest))) }
    self.parts = parts
  }

  /// Whether a line fits.
  ///
  /// - Parameters:
  ///   - line: the line that was written.
  ///   - bindings: what the names stand for so far; a match adds the names that are new.
  /// - Returns: whether it fits; if not, `bindings` is as it was.
  func matches(_ line: String, bindings: inout [String: String]) -> Bool {
    guard let found = Self.match(parts[...], Array(line)[...], bindings) else { return false }
    bindings = found
    return true
  }

  private static func match(
    _ parts: ArraySlice<Part>, _ text: ArraySlice<Character>, _ bindings: [String: String]
  ) -> [String: String]? {
    guard let part = parts.first else { return text.isEmpty ? bindings : nil }
    let rest = parts.dropFirst()
    switch part {
    case .literal(let characters):
      guard text.starts(with: characters) else { return nil }
      return match(rest, text.dropFirst(characters.count), bindings)
    case .word(let name):
      if let value = bindings[name], name != "_" {
        guard text.starts(with: value) else { return nil }
        return match(rest, text.dropFirst(value.count), bindings)
      }
      let longest = text.prefix { $0.isTranscriptWord }.count
      for length in stride(from: longest, through: 1, by: -1) {
        var extended = bindings
        if name != "_" { extended[name] = String(text.prefix(length)) }
        if let found = match(rest, text.dropFirst(length), extended) { return found }
      }
      return nil
    case .anything:
      for length in stride(from: text.count, through: 0, by: -1) {
        if let found = match(rest, text.dropFirst(length), bindings) { return found }
      }
      return nil
    }
  }

  /// A text with every known placeholder replaced by what it stands for.
  static func fill(_ text: String, with bindings: [String: String]) -> String {
    var result = ""
    var rest = text[...]
    while let range = rest.firstRange(ofPlaceholder: ()) {
      result += rest[..<range.lowerBound]
      let name = String(rest[range].dropFirst(2).dropLast())
      result += bindings[name] ?? String(rest[range])
      rest = rest[range.upperBound...]
    }
    return result + rest
  }

  /// A line with the captured values turned back into placeholders, for recording.
  static func generalize(_ line: String, with bindings: [String: String]) -> String {
    var result = line
    // Longer values first, so that none is cut up by a shorter one inside it.
    for (name, value) in bindings.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    )
    where value.count >= 3 {
      result = result.replacing(value, with: "%{\(name)}")
    }
    return result
  }
}

extension Substring {
  /// The first `%{…}`.
  fileprivate func firstRange(ofPlaceholder: Void) -> Range<Index>? {
    guard let start = firstRange(of: "%{")?.lowerBound,
      let end = self[start...].firstIndex(of: "}")
    else { return nil }
    return start..<index(after: end)
  }
}

extension Character {
  fileprivate var isTranscriptWord: Bool {
    isASCII && (isLetter || isNumber || self == "." || self == "_" || self == "-")
  }
}
