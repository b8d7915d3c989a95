/// Makes text harmless for a terminal: what would move the cursor, recolour the screen or reorder
/// letters is shown as an escape.
///
/// Pipes and JSON get the data as it is; only people at a terminal get this.
enum Sanitizer {
  /// The text with control, bidirectional and stray zero-width characters written as `\u{…}`.
  ///
  /// - Parameters:
  ///   - text: any text.
  ///   - keepsLines: whether line feeds and tabs stay (documents) or are escaped too (table cells).
  /// - Returns: text that moves nothing on the screen.
  static func terminalSafe(_ text: String, keepsLines: Bool = false) -> String {
    guard text.unicodeScalars.contains(where: { mayNeedEscape($0) }) else { return text }
    var result = ""
    for character in text {
      let isEmoji =
        character.unicodeScalars.contains { $0.properties.isEmojiPresentation }
        || character.unicodeScalars.contains { $0.value == 0xFE0F }
      for scalar in character.unicodeScalars {
        if isEscaped(scalar, inEmoji: isEmoji, keepsLines: keepsLines) {
          result += escape(scalar)
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }

  private static func mayNeedEscape(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0xFEFF
      || scalar.value == 0x061C || (0x200B...0x200F).contains(scalar.value)
      || (0x2028...0x202E).contains(scalar.value) || (0x2060...0x2069).contains(scalar.value)
  }

  private static func isEscaped(
    _ scalar: Unicode.Scalar, inEmoji: Bool, keepsLines: Bool
  ) -> Bool {
    guard mayNeedEscape(scalar) else { return false }
    if keepsLines, scalar == "\n" || scalar == "\t" { return false }
    return !(inEmoji && scalar.value == 0x200D)
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    case "\u{1B}": "\\e"
    default: "\\u{" + String(scalar.value, radix: 16) + "}"
    }
  }
}
