import Photos

/// Writes pictures as sixel graphics (DEC STD 070, chapter 9): bands of six rows, and in each band
/// the pixels of one colour after another.
enum PictureSixel {
  /// The control sequence that shows a picture at the cursor.
  ///
  /// - Parameters:
  ///   - picture: the picture.
  ///   - colours: how many the terminal can hold.
  /// - Returns: the sequence's bytes.
  static func encoded(_ picture: PhotoPreview, colours: Int) -> [UInt8] {
    let palette = FittedPalette(picture, limit: colours)
    let indices = Dithering.indices(picture, palette)
    // Pixels of 1:1, pixels that are not set stay as they are, and the size in advance.
    var bytes = Array("\u{1B}P0;1;0q\"1;1;\(picture.width);\(picture.height)".utf8)
    for (index, colour) in palette.colours.enumerated() {
      let parts = [colour.red, colour.green, colour.blue].map { ($0 * 100 + 127) / 255 }
      bytes += "#\(index);2;\(parts[0]);\(parts[1]);\(parts[2])".utf8
    }
    for top in stride(from: 0, to: picture.height, by: 6) {
      let band = Band(picture, indices, top: top, colours: palette.colours.count)
      band.write(to: &bytes)
      bytes.append(UInt8(ascii: "-"))
    }
    // The last band ends the picture: a new line would leave an empty one.
    bytes.removeLast()
    bytes += "\u{1B}\\".utf8
    return bytes
  }

  /// Six rows of a picture.
  private struct Band {
    private let width: Int
    /// For each colour that occurs, the pixels of each column as bits, the lowest on top.
    private var columns: [[UInt8]]
    private var order: [Int] = []

    init(_ picture: PhotoPreview, _ indices: [UInt8], top: Int, colours: Int) {
      width = picture.width
      columns = [[UInt8]](repeating: [], count: colours)
      for row in 0..<min(6, picture.height - top) {
        for column in 0..<width {
          let colour = Int(indices[(top + row) * width + column])
          if columns[colour].isEmpty {
            columns[colour] = [UInt8](repeating: 0, count: width)
            order.append(colour)
          }
          columns[colour][column] |= 1 << UInt8(row)
        }
      }
    }

    func write(to bytes: inout [UInt8]) {
      for (place, colour) in order.enumerated() {
        // Back to the left edge.
        if place > 0 { bytes.append(UInt8(ascii: "$")) }
        bytes += "#\(colour)".utf8
        let pixels = columns[colour]
        let end = (pixels.lastIndex { $0 != 0 } ?? -1) + 1
        var start = 0
        while start < end {
          var next = start + 1
          while next < end, pixels[next] == pixels[start] { next += 1 }
          Band.write(pixels[start] + 0x3F, times: next - start, to: &bytes)
          start = next
        }
      }
    }

    private static func write(_ sixel: UInt8, times count: Int, to bytes: inout [UInt8]) {
      guard count > 3 else {
        bytes += repeatElement(sixel, count: count)
        return
      }
      bytes += "!\(count)".utf8
      bytes.append(sixel)
    }
  }
}
