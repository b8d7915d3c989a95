/// What a terminal answered to the questions of `TerminalQuery`.
struct TerminalAnswers: Sendable, Equatable {
  /// It said what kind it is, so that what it did not answer it does not know.
  var hasAnswered = false
  /// It took a picture of one pixel by kitty's protocol.
  var hasKittyGraphics = false
  /// It has sixel graphics (attribute 4 of its device attributes).
  var hasSixel = false
  /// How many colours a sixel picture may have.
  var sixelColours = 256
  /// It kept a colour of 24 bits as it was given.
  var hasDirectColour = false
  /// The size of its cells in pixels.
  var cell: CellSize?

  /// Reads the answers out of what came from the terminal, in any order and mixed with keys.
  init(_ bytes: [UInt8] = []) {
    var rest = bytes[...]
    while let start = rest.firstIndex(of: 0x1B) {
      rest = rest[(start + 1)...]
      switch rest.popFirst() {
      case UInt8(ascii: "["): takeControl(&rest)
      case UInt8(ascii: "_"): takeKitty(Self.string(&rest))
      case UInt8(ascii: "P"): takeSetting(Self.string(&rest))
      default: continue
      }
    }
  }

  /// Whether the answer that is always the last one is complete.
  static func isComplete(_ bytes: [UInt8]) -> Bool { TerminalAnswers(bytes).hasAnswered }

  // MARK: The forms of answers (ECMA-48, xterm's control sequences, kitty's graphics protocol)

  private mutating func takeControl(_ rest: inout ArraySlice<UInt8>) {
    guard let end = rest.firstIndex(where: { (0x40...0x7E).contains($0) }) else { return }
    let text = String(decoding: rest[..<end], as: UTF8.self)
    let final = rest[end]
    rest = rest[(end + 1)...]
    let isPrivate = text.hasPrefix("?")
    let numbers = (isPrivate ? text.dropFirst() : text[...])
      .split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    switch (final, isPrivate) {
    case (UInt8(ascii: "c"), true):
      hasAnswered = true
      // The first number is the terminal's level, not an attribute.
      hasSixel = numbers.dropFirst().contains(4)
    case (UInt8(ascii: "S"), true) where numbers.count >= 3 && numbers[0] == 1 && numbers[1] == 0:
      if (2...65_536).contains(numbers[2]) { sixelColours = min(256, numbers[2]) }
    case (UInt8(ascii: "t"), false) where numbers.count == 3 && numbers[0] == 6:
      if (1...400).contains(numbers[1]), (1...400).contains(numbers[2]) {
        cell = CellSize(width: numbers[2], height: numbers[1])
      }
    default: break
    }
  }

  private mutating func takeKitty(_ text: String) {
    if text.hasPrefix("Gi=31"), text.hasSuffix(";OK") { hasKittyGraphics = true }
  }

  private mutating func takeSetting(_ text: String) {
    guard text.hasPrefix("1$r"), text.hasSuffix("m"), let colour = text.firstRange(of: "48")
    else { return }
    let numbers = text[colour.lowerBound...].dropLast().split { $0 == ":" || $0 == ";" }
    hasDirectColour = numbers.starts(with: ["48", "2"]) && numbers.suffix(3) == ["1", "2", "3"]
  }

  /// The text up to the string terminator, which is taken too; empty when there is none.
  private static func string(_ rest: inout ArraySlice<UInt8>) -> String {
    guard let end = rest.firstIndex(of: 0x1B) else { return "" }
    let text = String(decoding: rest[..<end], as: UTF8.self)
    rest = rest[end...].dropFirst()
    guard rest.first == UInt8(ascii: "\\") else { return "" }
    rest = rest.dropFirst()
    return text
  }
}
