/// Which differences a comparison of the predicate language overlooks: `[c]`, `[d]`, `[cd]`.
package struct TextFolding: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Upper and lower case: `[c]`.
  package static let caseInsensitive = TextFolding(rawValue: 1)
  /// Accents and other marks on letters: `[d]`.
  package static let diacriticInsensitive = TextFolding(rawValue: 2)

  /// Appends the text without the differences, as UTF-8.
  func append(_ text: UnsafeBufferPointer<UInt8>, to folded: inout [UInt8]) {
    guard !isEmpty else {
      folded.append(contentsOf: text)
      return
    }
    if text.allSatisfy({ $0 < 0x80 }) {
      for byte in text { folded.append(foldASCII(byte)) }
    } else {
      for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
        append(scalar, to: &folded)
      }
    }
  }

  /// The text without the differences, as UTF-8.
  func folded(_ text: String) -> [UInt8] {
    var text = text
    var folded: [UInt8] = []
    text.withUTF8 { append($0, to: &folded) }
    return folded
  }

  @inline(__always)
  private func foldASCII(_ byte: UInt8) -> UInt8 {
    contains(.caseInsensitive) && byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
  }

  private func append(_ scalar: Unicode.Scalar, to folded: inout [UInt8]) {
    var scalar = scalar
    if contains(.diacriticInsensitive) {
      // A mark on its own is one of a decomposed letter.
      if (0x300...0x36F).contains(scalar.value) { return }
      scalar = Self.plainLetters[scalar] ?? scalar
    }
    if contains(.caseInsensitive) {
      folded.append(contentsOf: scalar.properties.lowercaseMapping.utf8)
    } else {
      folded.append(contentsOf: String(scalar).utf8)
    }
  }

  private static let plainLetters: [Unicode.Scalar: Unicode.Scalar] = {
    var table: [Unicode.Scalar: Unicode.Scalar] = [:]
    for word in letters.unicodeScalars.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      guard let plain = word.first else { continue }
      for letter in word.dropFirst() { table[letter] = plain }
    }
    return table
  }()
}
