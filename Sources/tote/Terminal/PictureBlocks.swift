import Photos

/// Draws pictures with cells of text: two pixels in each, one above the other.
enum PictureBlocks {
  /// The lines that show a picture, each ending in the terminal's own colours.
  ///
  /// - Parameters:
  ///   - picture: a column of pixels for each cell; two rows for each line, or one where half
  ///     blocks cannot be shown.
  ///   - colours: what cells can show.
  ///   - isUTF8: whether half blocks are shown as such.
  /// - Returns: the lines, from the top.
  static func lines(
    _ picture: PhotoPreview, _ colours: PictureProtocol.BlockColours, isUTF8: Bool = true
  ) -> [String] {
    let codes = codes(picture, colours)
    let step = isUTF8 ? 2 : 1
    return stride(from: 0, to: picture.height, by: step).map { row in
      var line = ""
      var (back, front) = ("", "")
      for column in 0..<picture.width {
        let upper = codes[row * picture.width + column]
        let hasLower = isUTF8 && row + 1 < picture.height
        let lower = hasLower ? codes[(row + 1) * picture.width + column] : upper
        // Only the upper half of the last line may be there: then it is the letter, on nothing.
        let isLone = isUTF8 && !hasLower
        if isLone {
          if front != upper { line += "\u{1B}[38;\(upper)m" }
          front = upper
          line += "▀"
          continue
        }
        if back != upper { line += "\u{1B}[48;\(upper)m" }
        back = upper
        guard lower != upper else {
          line += " "
          continue
        }
        if front != lower { line += "\u{1B}[38;\(lower)m" }
        front = lower
        line += "▄"
      }
      return line + "\u{1B}[0m"
    }
  }

  /// The end of the control sequence that sets each pixel's colour.
  private static func codes(
    _ picture: PhotoPreview, _ colours: PictureProtocol.BlockColours
  ) -> [String] {
    switch colours {
    case .direct:
      return (0..<picture.width * picture.height).map { pixel in
        let rgb = picture.rgb[3 * pixel..<3 * pixel + 3]
        return "2;" + rgb.map { String($0) }.joined(separator: ";")
      }
    case .indexed:
      let names = (0..<256).map { "5;\($0)" }
      return Dithering.indices(picture, XtermPalette.shared).map { names[Int($0)] }
    }
  }
}

/// The palette of 256 colours that terminals agree on, without the first sixteen, which themes
/// change: a cube of six levels a channel, and 24 greys.
struct XtermPalette: Palette {
  static let shared = XtermPalette()

  /// The levels of the cube.
  static let levels: [Int] = [0, 95, 135, 175, 215, 255]

  func nearest(_ colour: RGB) -> UInt8 {
    let cube = [colour.red, colour.green, colour.blue].map(Self.level)
    let cubed = UInt8(16 + 36 * cube[0] + 6 * cube[1] + cube[2])
    let mean = (colour.red + colour.green + colour.blue) / 3
    let grey = UInt8(232 + min(23, max(0, (mean - 3) / 10)))
    return colour.distance(to: self[grey]) < colour.distance(to: self[cubed]) ? grey : cubed
  }

  subscript(index: UInt8) -> RGB {
    let number = Int(index)
    guard number < 232 else {
      let level = 8 + 10 * (number - 232)
      return RGB(level, level, level)
    }
    let cube = max(0, number - 16)
    return RGB(Self.levels[cube / 36], Self.levels[cube / 6 % 6], Self.levels[cube % 6])
  }

  private static func level(_ value: Int) -> Int {
    value < 48 ? 0 : value < 115 ? 1 : min(5, (value - 35) / 40)
  }
}
