/// What becomes of a name that a sender gives: a hint for the file's name, never a path.
public enum ReceivedName {
  /// The longest name in bytes, as file systems have it.
  public static let maximumBytes = 255

  /// Room kept free for ` (123)`, so that a copy's number never cuts the extension.
  private static let roomForNumber = 8

  /// The name used when nothing of the sender's is left.
  public static let fallback = "file"

  /// A safe file name from a sender's.
  ///
  /// Takes what follows the last slash or backslash; drops control, format and bidirectional
  /// characters; puts `_` for what no other system's names may hold, and for a leading dot unless
  /// dotfiles are wanted; keeps letters of every script, with the joiners between them; cuts to 255
  /// bytes between characters, the extension kept.
  ///
  /// - Parameters:
  ///   - hint: the sender's name.
  ///   - allowsDotfiles: whether a leading dot is kept.
  /// - Returns: a name of 1 to 255 bytes that is neither `.` nor `..` and holds no slash and no zero.
  public static func safe(_ hint: String, allowsDotfiles: Bool = false) -> String {
    let last = hint.unicodeScalars.split(
      omittingEmptySubsequences: true, whereSeparator: { $0 == "/" || $0 == "\\" }
    ).last
    var scalars = kept(Array(last ?? "".unicodeScalars[...]))
    dropEnd(&scalars)
    while let start = scalars.first, start.properties.isWhitespace { scalars.removeFirst() }
    // Before what is said about beginnings: the first scalar of a name is never cut off.
    scalars = shortened(scalars, to: maximumBytes - roomForNumber)
    dropEnd(&scalars)
    if let start = scalars.first, start == "-" || (start == "." && !allowsDotfiles) {
      scalars[scalars.startIndex] = "_"
    }
    var name = String(String.UnicodeScalarView(scalars))
    if name.utf8.isEmpty || name.unicodeScalars.allSatisfy({ $0 == "_" || $0 == "." }) {
      return fallback
    }
    if isDevice(name) { name = "_" + name }
    return name
  }

  /// Windows drops trailing dots and blanks, so two names would become one there.
  private static func dropEnd(_ scalars: inout [Unicode.Scalar]) {
    while let end = scalars.last, end == "." || end.properties.isWhitespace || isJoiner(end) {
      scalars.removeLast()
    }
  }

  /// The name of copy `number` of a file: `photo (2).jpg`.
  public static func numbered(_ name: String, _ number: Int) -> String {
    let (stem, suffix) = parts(name)
    return "\(stem) (\(number))\(suffix)"
  }

  /// What is left of a text.
  private static func kept(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var result: [Unicode.Scalar] = []
    // Several in a row become one sign.
    var isReplaced = false
    for (index, scalar) in scalars.enumerated() {
      if isJoiner(scalar) {
        // Persian and Indic words and joined emoji are spelt with them; elsewhere what cannot be seen
        // must not tell two names apart.
        let next = index + 1 < scalars.count ? scalars[index + 1] : " "
        guard let last = result.last, !last.isASCII, !next.isASCII, !isJoiner(last),
          isKept(next) && !isJoiner(next)
        else { continue }
        result.append(scalar)
      } else if "<>:\"|?*".unicodeScalars.contains(scalar) {
        if !isReplaced { result.append("_") }
        isReplaced = true
        continue
      } else if isKept(scalar) {
        result.append(scalar)
      }
      isReplaced = false
    }
    return result
  }

  /// The zero-width joiner and non-joiner.
  private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\u{200C}" || scalar == "\u{200D}"
  }

  private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    // Bidirectional overrides, zero-width characters and the like are formats; U+2028 and U+2029 are
    // separators of lines.
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      false
    default: true
    }
  }

  /// Names that are devices on Windows whatever their extension: such a file cannot be copied there.
  private static func isDevice(_ name: String) -> Bool {
    let stem = name.prefix { $0 != "." }.uppercased()
    if ["CON", "PRN", "AUX", "NUL"].contains(stem) { return true }
    guard stem.hasPrefix("COM") || stem.hasPrefix("LPT") else { return false }
    let number = stem.dropFirst(3)
    return number.count == 1 && number.allSatisfy { "0123456789¹²³".contains($0) }
  }

  /// The name up to its last dot, and from there on; what stands behind is an extension only if short.
  private static func parts(_ name: String) -> (stem: Substring, suffix: Substring) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
      name[dot...].utf8.count <= 32
    else { return (name[...], "") }
    return (name[..<dot], name[dot...])
  }

  /// Cuts the stem: whole characters while there are several, then scalars, of which one character can
  /// have more than a name may have bytes.
  private static func shortened(_ scalars: [Unicode.Scalar], to limit: Int) -> [Unicode.Scalar] {
    let name = String(String.UnicodeScalarView(scalars))
    guard name.utf8.count > limit else { return scalars }
    var (stem, suffix) = parts(name)
    var excess = name.utf8.count - limit
    while excess > 0, stem.index(after: stem.startIndex) < stem.endIndex {
      excess -= stem.removeLast().utf8.count
    }
    var kept = Array(stem.unicodeScalars)
    while excess > 0, kept.count > 1 { excess -= UTF8.width(kept.removeLast()) }
    return kept + Array(suffix.unicodeScalars)
  }
}
