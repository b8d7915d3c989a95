/// How a code stands in a terminal.
public enum QRShape: Sendable, CaseIterable {
  /// Two modules a cell, one above the other.
  case half
  /// Two cells a module, for fonts whose block glyphs leave gaps.
  case full
}

extension QRCode {
  /// A code that fits a window, and how it is drawn.
  public struct Fitting: Sendable {
    /// The code.
    public var code: QRCode
    /// Light modules around it.
    public var margin: Int
    /// How it stands in cells.
    public var shape: QRShape
    /// Cells across.
    public var columns: Int
    /// Lines.
    public var rows: Int
  }

  /// The best code of a text that fits a window: a full margin before a small one, more error correction
  /// before less.
  ///
  /// - Parameters:
  ///   - text: what a scanner shall read.
  ///   - columns: cells across.
  ///   - rows: lines.
  ///   - shape: how it stands in cells.
  /// - Returns: the code; nil when none fits, since half a code is no code.
  /// - Throws: `Fault`.
  public static func fitting(
    _ text: String, columns: Int, rows: Int, shape: QRShape = .half
  ) throws(Fault) -> Fitting? {
    let codes = [try QRCode(text, level: .medium), try QRCode(text, level: .low)]
    // The standard's margin is four; painted light, two are enough for every decoder tried.
    for margin in [4, 2] {
      for code in codes {
        let fitting = code.fitting(margin: margin, shape: shape)
        if fitting.columns <= columns, fitting.rows <= rows { return fitting }
      }
    }
    return nil
  }

  /// The cells of the smallest code of a text, for a message that says how much room is missing.
  public static func smallestSize(
    _ text: String, shape: QRShape = .half
  ) throws(Fault) -> (columns: Int, rows: Int) {
    let fitting = try QRCode(text, level: .low).fitting(margin: 2, shape: shape)
    return (fitting.columns, fitting.rows)
  }

  private func fitting(margin: Int, shape: QRShape) -> Fitting {
    let side = width + 2 * margin
    switch shape {
    case .half:
      return Fitting(
        code: self, margin: margin, shape: shape, columns: side, rows: (side + 1) / 2)
    case .full:
      return Fitting(code: self, margin: margin, shape: shape, columns: 2 * side, rows: side)
    }
  }
}

extension QRCode.Fitting {
  /// The lines to print, each with its own colours set and reset.
  ///
  /// Foreground and background are named on every cell, so that neither a dark nor a light terminal
  /// changes the code. Only the lower half block is used: fonts leave a gap above block glyphs, and
  /// there the background, which is the upper module's colour, shows through. The colours are 16 and
  /// 231 of the 256, black and white that no theme replaces.
  public var lines: [String] {
    switch shape {
    case .half: (0..<rows).map { halfLine($0) }
    case .full: (0..<rows).map { fullLine($0) }
    }
  }

  private func halfLine(_ line: Int) -> String {
    var text = ""
    var last: (upper: Bool, lower: Bool)?
    for column in -margin..<(code.width + margin) {
      let row = 2 * line - margin
      let upper = code.isDark(column: column, row: row)
      let lower = code.isDark(column: column, row: row + 1)
      if last.map({ $0 != (upper, lower) }) ?? true {
        text += "\u{1B}[38;5;\(Self.color(lower));48;5;\(Self.color(upper))m"
        last = (upper, lower)
      }
      text += upper == lower ? " " : "\u{2584}"
    }
    return text + "\u{1B}[0m"
  }

  private func fullLine(_ line: Int) -> String {
    var text = ""
    var last: Bool?
    for column in -margin..<(code.width + margin) {
      let isDark = code.isDark(column: column, row: line - margin)
      if last != isDark {
        text += "\u{1B}[48;5;\(Self.color(isDark))m"
        last = isDark
      }
      text += "  "
    }
    return text + "\u{1B}[0m"
  }

  private static func color(_ isDark: Bool) -> String { isDark ? "16" : "231" }
}
