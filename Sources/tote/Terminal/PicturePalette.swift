import Photos

/// A colour; its parts are from 0 to 255, and outside of that while errors are spread.
struct RGB: Sendable, Equatable {
  var red: Int
  var green: Int
  var blue: Int

  init(_ red: Int, _ green: Int, _ blue: Int) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// How different two colours look: squares, weighted by how bright each part is.
  func distance(to other: RGB) -> Int {
    let (r, g, b) = (red - other.red, green - other.green, blue - other.blue)
    return 3 * r * r + 4 * g * g + 2 * b * b
  }
}

/// A few colours that stand for all.
protocol Palette {
  /// The number of the colour that is nearest to one.
  mutating func nearest(_ colour: RGB) -> UInt8
  /// A colour as the terminal shows it.
  subscript(index: UInt8) -> RGB { get }
}

/// Gives each pixel a colour of a palette so that an area has the right colour on average
/// (Floyd and Steinberg's error diffusion, with every second row from right to left).
enum Dithering {
  static func indices(_ picture: PhotoPreview, _ palette: some Palette) -> [UInt8] {
    var palette = palette
    let width = picture.width
    var indices = [UInt8](repeating: 0, count: width * picture.height)
    // Errors in sixteenths, of this row and the next, with a place at either side.
    var here = [RGB](repeating: RGB(0, 0, 0), count: width + 2)
    var below = here
    picture.rgb.withUnsafeBufferPointer { pixels in
      for row in 0..<picture.height {
        let isForward = row % 2 == 0
        let step = isForward ? 1 : -1
        for place in 0..<width {
          let column = isForward ? place : width - 1 - place
          let pixel = row * width + column
          let error = here[column + 1]
          let wanted = RGB(
            clamp(Int(pixels[3 * pixel]) + error.red / 16),
            clamp(Int(pixels[3 * pixel + 1]) + error.green / 16),
            clamp(Int(pixels[3 * pixel + 2]) + error.blue / 16))
          let index = palette.nearest(wanted)
          indices[pixel] = index
          let shown = palette[index]
          let rest = RGB(
            wanted.red - shown.red, wanted.green - shown.green, wanted.blue - shown.blue)
          here[column + 1 + step].add(rest, times: 7)
          below[column + 1 - step].add(rest, times: 3)
          below[column + 1].add(rest, times: 5)
          below[column + 1 + step].add(rest, times: 1)
        }
        here = below
        for place in below.indices { below[place] = RGB(0, 0, 0) }
      }
    }
    return indices
  }

  private static func clamp(_ value: Int) -> Int { min(255, max(0, value)) }
}

extension RGB {
  fileprivate mutating func add(_ other: RGB, times factor: Int) {
    red += factor * other.red
    green += factor * other.green
    blue += factor * other.blue
  }
}

/// The colours that fit one picture best, at most 256.
///
/// All its colours are put in one box; then the box whose colours differ most from their mean is
/// divided at that mean, along the part of the colour that differs most, until there are enough.
struct FittedPalette: Palette {
  /// The colours, rounded to what sixel can name: percents of each part.
  let colours: [RGB]
  /// The number of the nearest colour for each colour in 5 bits a part; -1 where not asked yet.
  private var known = [Int16](repeating: -1, count: 1 << 15)

  /// Finds a picture's colours.
  ///
  /// - Parameters:
  ///   - picture: the picture.
  ///   - limit: how many there may be, 2 to 256.
  init(_ picture: PhotoPreview, limit: Int) {
    var boxes = [ColourBox(Self.histogram(picture))]
    while boxes.count < min(256, max(2, limit)) {
      guard let widest = boxes.indices.max(by: { boxes[$0].error < boxes[$1].error }),
        let (one, other) = boxes[widest].divided()
      else { break }
      boxes[widest] = one
      boxes.append(other)
    }
    var colours: [RGB] = []
    for box in boxes {
      let colour = box.mean.inPercents
      if !colours.contains(colour) { colours.append(colour) }
    }
    self.colours = colours
  }

  mutating func nearest(_ colour: RGB) -> UInt8 {
    let key = colour.key
    if known[key] >= 0 { return UInt8(known[key]) }
    // The middle of all colours with this key, so that the answer does not depend on the first.
    let middle = RGB(colour.red & ~7 | 4, colour.green & ~7 | 4, colour.blue & ~7 | 4)
    var (best, distance) = (0, Int.max)
    for (index, candidate) in colours.enumerated() {
      let next = middle.distance(to: candidate)
      if next < distance { (best, distance) = (index, next) }
    }
    known[key] = Int16(best)
    return UInt8(best)
  }

  subscript(index: UInt8) -> RGB { colours[Int(index)] }

  private static func histogram(_ picture: PhotoPreview) -> [ColourBox.Entry] {
    var entries = [ColourBox.Entry](repeating: .init(), count: 1 << 15)
    picture.rgb.withUnsafeBufferPointer { pixels in
      for pixel in 0..<picture.width * picture.height {
        let (r, g, b) = (
          Int(pixels[3 * pixel]), Int(pixels[3 * pixel + 1]), Int(pixels[3 * pixel + 2])
        )
        entries[RGB(r, g, b).key].add(r, g, b)
      }
    }
    return entries.filter { $0.count > 0 }
  }
}

extension RGB {
  /// The colour in 5 bits a part.
  fileprivate var key: Int { (red >> 3) << 10 | (green >> 3) << 5 | blue >> 3 }

  /// The colour that is shown when its parts are given in whole percents.
  fileprivate var inPercents: RGB {
    func level(_ value: Int) -> Int { ((value * 100 + 127) / 255 * 255 + 50) / 100 }
    return RGB(level(red), level(green), level(blue))
  }
}

/// Colours of a picture that one colour is to stand for.
private struct ColourBox {
  /// Pixels of nearly the same colour.
  struct Entry {
    var count = 0
    var red = 0
    var green = 0
    var blue = 0

    mutating func add(_ red: Int, _ green: Int, _ blue: Int) {
      count += 1
      self.red += red
      self.green += green
      self.blue += blue
    }

    subscript(part: Int) -> Double {
      Double(part == 0 ? red : part == 1 ? green : blue) / Double(max(1, count))
    }
  }

  private let entries: [Entry]
  private let means: [Double]
  /// The part that differs most, and how much all pixels differ in it together.
  private let part: Int
  let error: Double

  init(_ entries: [Entry]) {
    self.entries = entries
    let count = Double(entries.reduce(0) { $0 + $1.count })
    var means = [0.0, 0.0, 0.0]
    var errors = [0.0, 0.0, 0.0]
    for part in 0..<3 {
      let sum = entries.reduce(0.0) { $0 + $1[part] * Double($1.count) }
      means[part] = sum / max(1, count)
      errors[part] = entries.reduce(0.0) {
        let difference = $1[part] - means[part]
        return $0 + difference * difference * Double($1.count)
      }
    }
    // Brighter parts count more, as in `RGB.distance`.
    let weighted = [3 * errors[0], 4 * errors[1], 2 * errors[2]]
    self.means = means
    part = weighted.indices.max { weighted[$0] < weighted[$1] } ?? 0
    error = weighted[part]
  }

  var mean: RGB {
    RGB(Int(means[0].rounded()), Int(means[1].rounded()), Int(means[2].rounded()))
  }

  /// Two boxes, or nil when there is only one colour.
  func divided() -> (ColourBox, ColourBox)? {
    let lower = entries.filter { $0[part] <= means[part] }
    guard !lower.isEmpty, lower.count < entries.count else { return nil }
    return (ColourBox(lower), ColourBox(entries.filter { $0[part] > means[part] }))
  }
}
