import CPhotoFixtures
import Glibc

@testable import Photos

/// A picture for tests: a smooth one whose colours tell where each pixel belongs.
struct PhotoFixture {
  enum Colours: Int32 {
    case grey = 1
    case rgb = 2
    case ycc = 3
    case cmyk = 4
    case ycck = 5
  }

  var width = 96
  var height = 64
  var stored = Colours.ycc
  var luma: (horizontal: Int32, vertical: Int32) = (2, 2)
  var chroma: (horizontal: Int32, vertical: Int32) = (1, 1)
  var quality: Int32 = 95
  var restartInterval: Int32 = 0
  var isProgressive = false
  var isArithmetic = false
  var isSeparate = false
  var isBare = false
  /// How the stored picture is turned; ``pixel(_:_:)`` is of the upright one.
  var orientation = 1
  /// Fine noise, so that the data has a length worth cutting.
  var noise = 0

  /// The size of the upright picture.
  var uprightWidth: Int { orientation >= 5 ? height : width }
  var uprightHeight: Int { orientation >= 5 ? width : height }

  /// The upright picture's colour at a place.
  func pixel(_ x: Int, _ y: Int) -> [Int] {
    let across = 160 * x / max(1, uprightWidth - 1)
    let down = 160 * y / max(1, uprightHeight - 1)
    let grain = noise == 0 ? 0 : (x &* 7919 ^ y &* 104_729 ^ x &* y) % (2 * noise + 1) - noise
    let rgb = [48 + across + grain, 48 + down + grain, 208 - (across + down) / 2 + grain]
    guard stored == .grey else { return rgb }
    return [(rgb[0] + rgb[1]) / 2, (rgb[0] + rgb[1]) / 2, (rgb[0] + rgb[1]) / 2]
  }

  /// Where a stored pixel lies in the upright picture: Exif 2.32, table 6.
  private func upright(_ x: Int, _ y: Int) -> (Int, Int) {
    switch orientation {
    case 2: (width - 1 - x, y)
    case 3: (width - 1 - x, height - 1 - y)
    case 4: (x, height - 1 - y)
    case 5: (y, x)
    case 6: (height - 1 - y, x)
    case 7: (height - 1 - y, width - 1 - x)
    case 8: (y, width - 1 - x)
    default: (x, y)
    }
  }

  /// The file, with an Exif block if the picture is turned.
  func jpeg() -> [UInt8] {
    var fixture = tote_fixture()
    fixture.width = Int32(width)
    fixture.height = Int32(height)
    fixture.stored = stored.rawValue
    (fixture.horizontal, fixture.vertical) = (luma.horizontal, luma.vertical)
    (fixture.chroma_horizontal, fixture.chroma_vertical) = (chroma.horizontal, chroma.vertical)
    (fixture.quality, fixture.restart_interval) = (quality, restartInterval)
    fixture.is_progressive = isProgressive ? 1 : 0
    fixture.is_arithmetic = isArithmetic ? 1 : 0
    fixture.is_separate = isSeparate ? 1 : 0
    fixture.is_bare = isBare ? 1 : 0
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let place = upright(x, y)
        let rgb = pixel(place.0, place.1)
        switch stored {
        case .grey: pixels.append(UInt8(rgb[0]))
        case .rgb, .ycc: pixels += rgb.map { UInt8($0) }
        // Inverted, as Adobe does: 255 is no ink. Without Adobe's marker 0 is.
        case .cmyk, .ycck: pixels += (rgb + [255]).map { UInt8(isBare ? 255 - $0 : $0) }
        }
      }
    }
    switch stored {
    case .grey: fixture.given = Colours.grey.rawValue
    case .rgb, .ycc: fixture.given = Colours.rgb.rawValue
    case .cmyk, .ycck: fixture.given = Colours.cmyk.rawValue
    }
    var size = 0
    guard let bytes = tote_fixture_encode(&fixture, pixels, &size) else { return [] }
    defer { free(bytes) }
    let file = Array(UnsafeBufferPointer(start: bytes, count: size))
    return orientation == 1 ? file : file.inserting(.exif(ExifFixture(orientation: orientation)))
  }
}

/// An Exif block for tests.
struct ExifFixture {
  var orientation: Int?
  var taken: String?
  var offset: String?
  var isBigEndian = false

  /// The block, without the segment's name.
  var bytes: [UInt8] {
    var entries: [(tag: Int, kind: Int, count: Int, value: [UInt8])] = []
    var below: [(tag: Int, kind: Int, count: Int, value: [UInt8])] = []
    if let orientation { entries.append((0x0112, 3, 1, short(orientation) + [0, 0])) }
    for (tag, text) in [(0x9003, taken), (0x9011, offset)] {
      guard let text else { continue }
      let value = Array(text.utf8) + [0]
      below.append((tag, 2, value.count, value))
    }
    let first = 8
    let second = first + 2 + 12 * (entries.count + (below.isEmpty ? 0 : 1)) + 4
    if !below.isEmpty { entries.append((0x8769, 4, 1, long(second))) }
    let texts = second + 2 + 12 * below.count + 4
    return (isBigEndian ? Array("MM".utf8) : Array("II".utf8)) + short(42) + long(first)
      + directory(entries, texts: texts) + (below.isEmpty ? [] : directory(below, texts: texts))
  }

  private func directory(
    _ entries: [(tag: Int, kind: Int, count: Int, value: [UInt8])], texts: Int
  ) -> [UInt8] {
    var table = short(entries.count)
    var rest: [UInt8] = []
    for entry in entries {
      table += short(entry.tag) + short(entry.kind) + long(entry.count)
      if entry.value.count <= 4 {
        table += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
      } else {
        table += long(texts + rest.count)
        rest += entry.value
      }
    }
    return table + long(0) + rest
  }

  private func short(_ value: Int) -> [UInt8] {
    let bytes = [UInt8(value & 255), UInt8(value >> 8 & 255)]
    return isBigEndian ? bytes.reversed() : bytes
  }

  private func long(_ value: Int) -> [UInt8] {
    let halves = [short(value & 0xFFFF), short(value >> 16)]
    return Array((isBigEndian ? halves.reversed() : halves).joined())
  }
}

/// A segment to put into a file.
struct Segment {
  var marker: UInt8
  var body: [UInt8]

  static func exif(_ block: [UInt8]) -> Segment {
    Segment(marker: 0xE1, body: Array("Exif\0\0".utf8) + block)
  }

  static func exif(_ fixture: ExifFixture) -> Segment { exif(fixture.bytes) }

  var bytes: [UInt8] {
    let length = body.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + body
  }
}

extension [UInt8] {
  /// The file with segments behind its start.
  func inserting(_ segments: Segment...) -> [UInt8] {
    Array(prefix(2)) + segments.flatMap(\.bytes) + dropFirst(2)
  }

  /// The place of a marker, from the end or the start.
  func place(of marker: UInt8, last: Bool = false) -> Int? {
    let places = (0..<Swift.max(0, count - 1)).lazy.filter {
      self[$0] == 0xFF && self[$0 + 1] == marker
    }
    return last ? places.reversed().first : places.first
  }
}
