import CJPEG

/// A conversion from a picture's own colours to sRGB, by Little CMS.
final class ColourProfile {
  private let transform: OpaquePointer
  private let input: tote_colour_input

  /// What reading a profile gave.
  enum Reading {
    /// Colours must be converted.
    case conversion(ColourProfile)
    /// The profile is that of sRGB, or as good as.
    case standard
    /// Not a profile for such a picture, or damaged.
    case unusable
  }

  private init(_ transform: OpaquePointer, _ input: tote_colour_input) {
    self.transform = transform
    self.input = input
  }

  deinit { tote_colour_transform_free(transform) }

  /// Reads a profile.
  ///
  /// - Throws: `.noLibrary`.
  static func read(
    _ bytes: [UInt8], for input: tote_colour_input
  ) throws(PhotoRefusal) -> Reading {
    guard isPlausible(bytes) else { return .unusable }
    guard tote_colour_load() == 0 else { throw .noLibrary(package: "liblcms2-2") }
    guard let transform = tote_colour_transform_new(bytes, bytes.count, input) else {
      return .unusable
    }
    let profile = ColourProfile(transform, input)
    return profile.changesNothing ? .standard : .conversion(profile)
  }

  /// Converts pixels to RGB, side by side.
  func convert(
    _ from: UnsafePointer<UInt8>, to: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    tote_colour_convert(transform, from, to, count)
  }

  /// What each level of grey becomes.
  var greyTable: [UInt8] {
    let rgb = converted((0...255).map { UInt8($0) })
    return (0...255).map { rgb[3 * $0 + 1] }
  }

  /// Checks the header's length and magic, and that all tags lie inside (ICC.1 §7.2 and §7.3).
  ///
  /// The library checks this too; this keeps hostile counts from it.
  private static func isPlausible(_ bytes: [UInt8]) -> Bool {
    func number(_ place: Int) -> Int {
      bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    guard bytes.count >= 132, Array(bytes[36..<40]) == Array("acsp".utf8),
      number(0) >= 132, number(0) <= bytes.count
    else { return false }
    let count = number(128)
    guard count <= 100, 132 + 12 * count <= bytes.count else { return false }
    return (0..<count).allSatisfy { index in
      let place = 132 + 12 * index
      return number(place + 4) + number(place + 8) <= bytes.count
    }
  }

  /// A picture in sRGB by another name is left alone, which is faster and loses nothing.
  private var changesNothing: Bool {
    let steps: [UInt8] = [0, 1, 16, 51, 102, 128, 153, 204, 239, 255]
    let pixels: [[UInt8]]
    switch input {
    case TOTE_COLOUR_GREY: pixels = (0...255).map { [UInt8($0)] }
    case TOTE_COLOUR_RGB:
      pixels = steps.flatMap { red in
        steps.flatMap { green in steps.map { blue in [red, green, blue] } }
      }
    default: return false
    }
    let result = converted(pixels.flatMap { $0 })
    return pixels.enumerated().allSatisfy { index, pixel in
      (0..<3).allSatisfy { channel in
        let before = pixel[pixel.count == 1 ? 0 : channel]
        return abs(Int(before) - Int(result[3 * index + channel])) <= 2
      }
    }
  }

  private func converted(_ pixels: [UInt8]) -> [UInt8] {
    let depth = input == TOTE_COLOUR_GREY ? 1 : input == TOTE_COLOUR_RGB ? 3 : 4
    let count = pixels.count / depth
    return [UInt8](unsafeUninitializedCapacity: 3 * count) { bytes, filled in
      if let base = bytes.baseAddress { convert(pixels, to: base, count: count) }
      filled = 3 * count
    }
  }
}
