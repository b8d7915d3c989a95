import HTTP

/// Makes texts of strangers fit for places that are less patient than JSON.
///
/// What a photo's document says may have come by replication, past every check of ours: so texts are
/// made harmless where they go out, too.
enum VisibleText {
  /// One line: control characters, line ends and marks that turn the direction of writing become
  /// U+FFFD, and what is longer than `limit` characters is cut off.
  static func line(_ text: String, limit: Int = .max) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(limit) {
      result.append(isHarmless(scalar) ? scalar : "\u{FFFD}")
    }
    return String(result)
  }

  /// Text of an XML 1.0 document, in elements and attributes alike.
  static func xml(_ text: String) -> String { HTML.escaped(line(text)) }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: false
    // No characters, and forbidden in XML.
    case 0xFFFE, 0xFFFF: false
    default: true
    }
  }
}
