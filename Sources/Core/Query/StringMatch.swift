/// A comparison of text that the predicate language has and Mango has not.
package struct StringMatch: Sendable, Hashable {
  /// How the text is compared.
  package enum Kind: Sendable, Hashable {
    case equals
    /// Of an array: whether an element equals the text.
    case contains
    case beginsWith
    case endsWith
    /// `?` stands for any one character, `*` for any number of them.
    case like
  }

  package let kind: Kind
  package let text: String
  package let folding: TextFolding
  /// The text without the differences that are overlooked.
  private let needle: [UInt8]

  package init(_ kind: Kind, _ text: String, _ folding: TextFolding) {
    self.kind = kind
    self.text = text
    self.folding = folding
    needle = folding.folded(text)
  }

  func matches(_ value: JSON) -> Bool {
    switch value {
    case .string(var subject): subject.withUTF8 { matches($0, as: kind) }
    case .array(let elements) where kind == .contains:
      elements.contains { element in
        guard case .string(var subject) = element else { return false }
        return subject.withUTF8 { matches($0, as: .equals) }
      }
    default: false
    }
  }

  /// Whether a string matches, as `kind` or, for an array's element, as another kind.
  func matches(_ subject: UnsafeBufferPointer<UInt8>, as kind: Kind) -> Bool {
    if folding.isEmpty { return test(subject, kind) }
    var folded: [UInt8] = []
    folded.reserveCapacity(subject.count)
    folding.append(subject, to: &folded)
    return folded.withUnsafeBufferPointer { test($0, kind) }
  }

  private func test(_ subject: UnsafeBufferPointer<UInt8>, _ kind: Kind) -> Bool {
    switch kind {
    case .equals: subject.count == needle.count && subject.elementsEqual(needle)
    case .contains: Self.find(needle, in: subject)
    case .beginsWith: subject.starts(with: needle)
    case .endsWith:
      subject.count >= needle.count
        && subject.suffix(needle.count).elementsEqual(needle)
    case .like: needle.withUnsafeBufferPointer { Self.isLike($0, subject) }
    }
  }

  private static func find(_ needle: [UInt8], in subject: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = needle.first else { return true }
    guard subject.count >= needle.count else { return false }
    for start in 0...(subject.count - needle.count) where subject[start] == first {
      var index = 1
      while index < needle.count, subject[start + index] == needle[index] { index += 1 }
      if index == needle.count { return true }
    }
    return false
  }

  /// Wildcards with one point to return to: linear for practical patterns, never exponential.
  private static func isLike(
    _ pattern: UnsafeBufferPointer<UInt8>, _ subject: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    var p = 0
    var s = 0
    var star: (pattern: Int, subject: Int)?
    while s < subject.count {
      if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
        star = (p, s)
        p += 1
      } else if p < pattern.count, pattern[p] == UInt8(ascii: "?") {
        p += 1
        s = next(after: s, in: subject)
      } else if p < pattern.count, pattern[p] == subject[s] {
        p += 1
        s += 1
      } else if let last = star {
        p = last.pattern + 1
        s = next(after: last.subject, in: subject)
        star = (last.pattern, s)
      } else {
        return false
      }
    }
    while p < pattern.count, pattern[p] == UInt8(ascii: "*") { p += 1 }
    return p == pattern.count
  }

  /// The start of the next character of UTF-8.
  private static func next(after index: Int, in subject: UnsafeBufferPointer<UInt8>) -> Int {
    var index = index + 1
    while index < subject.count, subject[index] & 0xC0 == 0x80 { index += 1 }
    return index
  }

  /// The nearest regular expression, for other programs: it folds the case of ASCII letters only, and
  /// marks not at all.
  var pattern: String {
    let start = folding.contains(.caseInsensitive) ? "(?i)" : ""
    switch kind {
    case .equals: return start + "\\A" + Self.quoted(text) + "\\z"
    case .contains: return start + Self.quoted(text)
    case .beginsWith: return start + "\\A" + Self.quoted(text)
    case .endsWith: return start + Self.quoted(text) + "\\z"
    case .like:
      var body = ""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "*": body += ".*"
        case "?": body += "."
        default: body += Self.quoted(String(scalar))
        }
      }
      return "(*UTF)(?s)" + start + "\\A" + body + "\\z"
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = ""
    for scalar in text.unicodeScalars {
      if "\\^$.|?*+()[]{}#".unicodeScalars.contains(scalar) { quoted.append("\\") }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted
  }

  package static func == (a: StringMatch, b: StringMatch) -> Bool {
    a.kind == b.kind && a.folding == b.folding && utf8Equal(a.text, b.text)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(folding)
    hashUTF8(of: text, into: &hasher)
  }
}
