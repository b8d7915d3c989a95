import Glibc

/// A picture in about 25 bytes, to show while the real one loads.
///
/// The format is that of evanw/thumbhash: means and a few cosine coefficients of brightness and of
/// two colour differences, five to six bits for the means and four for each coefficient.
struct ThumbHash {
  private let width: Int
  private let height: Int
  /// Brightness, yellow against blue, and red against green, each 0 to 1 or -1 to 1.
  private var planes: [[Float]] = [[], [], []]

  /// Looks at a small picture in sRGB: at most 100 pixels on a side, three bytes each.
  init(rgb: [UInt8], width: Int, height: Int) {
    precondition(rgb.count == 3 * width * height && width > 0 && height > 0)
    self.width = width
    self.height = height
    for pixel in stride(from: 0, to: rgb.count, by: 3) {
      let red = Float(rgb[pixel]) / 255
      let green = Float(rgb[pixel + 1]) / 255
      let blue = Float(rgb[pixel + 2]) / 255
      planes[0].append((red + green + blue) / 3)
      planes[1].append((red + green) / 2 - blue)
      planes[2].append(red - green)
    }
  }

  private struct Channel {
    var mean: Float = 0
    var scale: Float = 0
    /// 0 to 1, from `-scale` to `scale`.
    var details: [Float] = []
  }

  /// The hash.
  var bytes: [UInt8] {
    let longer = Float(max(width, height))
    let across = max(1, Int((7 * Float(width) / longer).rounded()))
    let down = max(1, Int((7 * Float(height) / longer).rounded()))
    let isWide = width > height
    let light = channel(planes[0], max(3, across), max(3, down))
    let yellow = channel(planes[1], 3, 3)
    let red = channel(planes[2], 3, 3)

    let head =
      Self.level(light.mean, 63) | Self.level(0.5 + yellow.mean / 2, 63) << 6
      | Self.level(0.5 + red.mean / 2, 63) << 12 | Self.level(light.scale, 31) << 18
    let second =
      (isWide ? down : across) | Self.level(yellow.scale, 63) << 3
      | Self.level(red.scale, 63) << 9 | (isWide ? 1 << 15 : 0)
    var bytes = [head, head >> 8, head >> 16, second, second >> 8].map { UInt8($0 & 255) }
    for (index, detail) in (light.details + yellow.details + red.details).enumerated() {
      let nibble = UInt8(Self.level(detail, 15))
      if index % 2 == 0 { bytes.append(nibble) } else { bytes[bytes.count - 1] |= nibble << 4 }
    }
    return bytes
  }

  /// Cosine coefficients of a plane: those of the lower left triangle.
  private func channel(_ plane: [Float], _ across: Int, _ down: Int) -> Channel {
    var result = Channel()
    for row in 0..<down {
      let vertical = (0..<height).map {
        cos(Float.pi / Float(height) * Float(row) * (Float($0) + 0.5))
      }
      var column = 0
      while column * down < across * (down - row) {
        let value = coefficient(plane, column, vertical)
        if row == 0 && column == 0 {
          result.mean = value
        } else {
          result.details.append(value)
          result.scale = max(result.scale, abs(value))
        }
        column += 1
      }
    }
    if result.scale > 0 {
      for index in result.details.indices {
        result.details[index] = 0.5 + 0.5 / result.scale * result.details[index]
      }
    }
    return result
  }

  private func coefficient(_ plane: [Float], _ column: Int, _ vertical: [Float]) -> Float {
    let horizontal = (0..<width).map {
      cos(Float.pi / Float(width) * Float(column) * (Float($0) + 0.5))
    }
    var sum: Float = 0
    for y in 0..<height {
      for x in 0..<width { sum += plane[y * width + x] * horizontal[x] * vertical[y] }
    }
    return sum / Float(width * height)
  }

  /// 0 to 1 as a whole number up to `most`.
  private static func level(_ value: Float, _ most: Int) -> Int {
    min(max(Int((value * Float(most) + 0.5).rounded(.down)), 0), most)
  }
}
