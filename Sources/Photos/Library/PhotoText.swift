/// The rules for what people write: titles and names of users.
///
/// Everything that shows them must still escape them for where it writes; see the notes there.
public enum PhotoText {
  /// Characters (Unicode scalars, as JSON Schema counts) of a title as it is sent.
  public static let titleLimit = 500
  /// Bytes of a user's name.
  public static let userNameLimit = 64

  /// Makes a title of what was sent: no control characters and no marks that turn the direction of
  /// text, line breaks as spaces, no spaces around it.
  ///
  /// - Parameter text: what was sent; may be empty.
  /// - Returns: the title.
  /// - Throws: ``PhotoLibraryError/titleTooLong``.
  public static func title(_ text: String) throws(PhotoLibraryError) -> String {
    guard text.unicodeScalars.count <= titleLimit else { throw .titleTooLong }
    return shown(text)
  }

  /// A title as it may be shown, whatever its length.
  static func shown(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar.value == 9 || scalar.value == 10 || scalar.value == 0x2028 || scalar.value == 0x2029
      {
        result.append(" ")
      } else if !isRefused(scalar) {
        result.append(scalar)
      }
    }
    let text = String(result).drop(while: \.isWhitespace)
    guard let end = text.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(text[...end])
  }

  /// Control characters, and those that change the direction of what follows (Trojan Source,
  /// CVE-2021-42574) or stand for nothing.
  private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f...0x9f: true
    case 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true
    case 0x200b, 0x2060, 0xfeff, 0xfff9...0xfffb, 0xe0001, 0xe0020...0xe007f: true
    default: scalar.properties.isNoncharacterCodePoint
    }
  }

  /// Makes a user's name of what was sent: its letters become small ones.
  ///
  /// A name has 1 to 64 of the letters `a-z`, digits, `.`, `_` and `-`, and begins with a letter or a
  /// digit: names that look alike are alike.
  ///
  /// - Parameter text: what was sent.
  /// - Returns: the name.
  /// - Throws: ``PhotoLibraryError/invalidUserName``.
  public static func userName(_ text: String) throws(PhotoLibraryError) -> String {
    let bytes = text.utf8.map { (0x41...0x5a).contains($0) ? $0 + 32 : $0 }
    let name = String(decoding: bytes, as: UTF8.self)
    guard isUserName(name) else { throw .invalidUserName }
    return name
  }

  /// Whether a text is a user's name as it is.
  static func isUserName(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetterOrDigit(first), text.utf8.count <= userNameLimit
    else { return false }
    return text.utf8.allSatisfy { isLetterOrDigit($0) || [0x2d, 0x2e, 0x5f].contains($0) }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte)
  }
}
