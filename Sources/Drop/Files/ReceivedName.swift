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
  /// Takes what follows the last slash or backslash; drops control, format and bidirectional characters,
  /// and what no other system's names may hold; replaces a leading dot unless dotfiles are wanted;
  /// keeps letters of every script; cuts to 255 bytes between characters, the extension kept.
  ///
  /// - Parameters:
  ///   - hint: the sender's name.
  ///   - allowsDotfiles: whether a leading dot is kept.
  /// - Returns: a name of 1 to 255 bytes that is neither `.` nor `..` and holds no slash and no zero.
  public static func safe(_ hint: String, allowsDotfiles: Bool = false) -> String {
    let last = hint.unicodeScalars.split(
      omittingEmptySubsequences: true, whereSeparator: { $0 == "/" || $0 == "\\" }
    ).last
    var scalars = Array(last ?? "".unicodeScalars[...]).filter { isKept($0) }
    // Windows drops trailing dots and blanks, so two names would become one there.
    while let end = scalars.last, end == "." || end.properties.isWhitespace { scalars.removeLast() }
    while let start = scalars.first, start.properties.isWhitespace { scalars.removeFirst() }
    if let start = scalars.first, start == "-" || (start == "." && !allowsDotfiles) {
      scalars[scalars.startIndex] = "_"
    }
    var name = String(String.UnicodeScalarView(scalars))
    if name.utf8.isEmpty || name.unicodeScalars.allSatisfy({ $0 == "_" || $0 == "." }) {
      return fallback
    }
    if isDevice(name) { name = "_" + name }
    return shortened(name, to: maximumBytes - roomForNumber)
  }

  /// The name of copy `number` of a file: `photo (2).jpg`.
  public static func numbered(_ name: String, _ number: Int) -> String {
    let (stem, suffix) = parts(name)
    return "\(stem) (\(number))\(suffix)"
  }

  private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    // Bidirectional overrides, zero-width characters and the like are formats; U+2028 and U+2029 are
    // separators of lines. A joiner inside a word of some scripts is lost with them: a name is for
    // finding a file, and what cannot be seen must not tell two apart.
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      return false
    default:
      return !"<>:\"|?*".unicodeScalars.contains(scalar)
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

  private static func shortened(_ name: String, to limit: Int) -> String {
    guard name.utf8.count > limit else { return name }
    var (stem, suffix) = parts(name)
    while stem.utf8.count + suffix.utf8.count > limit, !stem.isEmpty { stem.removeLast() }
    return String(stem + suffix)
  }
}
