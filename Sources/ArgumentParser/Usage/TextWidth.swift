/// Counts the terminal cells that text takes, grapheme by grapheme.
///
/// The only width computation of the program: help, tables, progress and QR frames all use it. A
/// grapheme with the emoji variation selector takes two cells; else the widest of its scalars counts
/// (0 for marks, format and control characters, 2 for East Asian wide and full-width characters and
/// emoji, 1 for the rest, so characters of ambiguous width take 1).
public enum TextWidth {
  /// Cells taken by `text` on one line; control characters count 0.
  public static func cells(of text: some StringProtocol) -> Int {
    if let plain = printableASCIICount(text.utf8) { return plain }
    var total = 0
    for character in text { total += cells(of: character) }
    return total
  }

  /// Cells taken by one grapheme: 0, 1 or 2.
  public static func cells(of character: Character) -> Int {
    var widest = 0
    for scalar in character.unicodeScalars {
      switch scalar.value {
      case 0xFE0F: return 2
      // Thai and Lao AM belong to the grapheme before them but stand in a cell of their own.
      case 0xE33, 0xEB3: widest += 1
      default: widest = max(widest, cells(of: scalar))
      }
    }
    return widest
  }

  /// The longest prefix of whole graphemes that fits in `width` cells.
  public static func prefix(of text: some StringProtocol, cells width: Int) -> String {
    if let plain = printableASCIICount(text.utf8), plain <= width { return String(text) }
    var used = 0
    var result = ""
    for character in text {
      used += cells(of: character)
      if used > width { break }
      result.append(character)
    }
    return result
  }

  /// `text` cut to `width` cells, ending in `mark` when something was cut; never splits a grapheme.
  ///
  /// The result may be a cell narrower than `width` when a wide character did not fit.
  public static func truncated(_ text: String, to width: Int, mark: String = "…") -> String {
    guard cells(of: text) > width else { return text }
    let room = width - cells(of: mark)
    guard room >= 0 else { return prefix(of: text, cells: width) }
    return prefix(of: text, cells: room) + mark
  }

  /// `text` followed by the spaces that fill it up to `width` cells.
  public static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - cells(of: text)))
  }

  /// Cells of a single scalar: 0, 1 or 2.
  static func cells(of scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value >= 0x20, value < 0x7F { return 1 }
    if contains(TextWidthTable.zero, value) { return 0 }
    return contains(TextWidthTable.wide, value) ? 2 : 1
  }

  /// The byte count when every byte is printable ASCII, the common case.
  private static func printableASCIICount(_ bytes: some Collection<UInt8>) -> Int? {
    var count = 0
    for byte in bytes {
      guard byte >= 0x20, byte < 0x7F else { return nil }
      count += 1
    }
    return count
  }

  /// Whether `value` lies in one of the ranges of the flat, sorted table.
  private static func contains(_ table: [UInt32], _ value: UInt32) -> Bool {
    var low = 0
    var high = table.count / 2
    while low < high {
      let middle = (low + high) / 2
      if value < table[2 * middle] {
        high = middle
      } else if value > table[2 * middle + 1] {
        low = middle + 1
      } else {
        return true
      }
    }
    return false
  }
}
