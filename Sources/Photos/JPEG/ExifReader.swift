/// Reads two things from an Exif block: how the picture is turned, and when it was taken.
///
/// Exif 2.32 is a TIFF 6.0 file in a segment of at most 64 KB. Only the tags below are looked at;
/// a place, a camera or a thumbnail is never read. Every offset is checked, no directory is read
/// twice and none of more than 1,000 entries to the end, so that no input costs more than a
/// moment; what cannot be read counts as absent.
struct ExifReader {
  /// The block after the bytes `Exif\0\0`.
  private let block: [UInt8]
  private let isBigEndian: Bool

  private enum Tag {
    static let orientation = 0x0112
    static let exifDirectory = 0x8769
    static let dateTimeOriginal = 0x9003
    static let offsetTimeOriginal = 0x9011
  }

  private enum Kind {
    static let text = 2
    static let short = 3
    static let long = 4
  }

  private struct Entry {
    var kind: Int
    var count: Int
    /// Where the four bytes of the value, or of its offset, are.
    var place: Int
  }

  private static let maximumEntries = 1000

  /// Looks at the header; nil when it is not one of TIFF.
  init?(_ block: [UInt8]) {
    guard block.count >= 8 else { return nil }
    switch (block[0], block[1]) {
    case (0x49, 0x49): isBigEndian = false
    case (0x4D, 0x4D): isBigEndian = true
    default: return nil
    }
    self.block = block
    guard short(at: 2) == 42 else { return nil }
  }

  /// How the stored picture is turned; upright when nothing usable is said.
  var orientation: Orientation {
    guard let entry = entry(Tag.orientation, in: firstDirectory), entry.count == 1 else {
      return .upright
    }
    // Some phones write a LONG where the standard has a SHORT.
    let value = entry.kind == Kind.short ? short(at: entry.place) : long(at: entry.place)
    guard entry.kind == Kind.short || entry.kind == Kind.long else { return .upright }
    return value.flatMap(Orientation.init(rawValue:)) ?? .upright
  }

  /// When the photo was taken, if that is there and well formed.
  var captureTime: CaptureTime? {
    guard let pointer = entry(Tag.exifDirectory, in: firstDirectory), pointer.kind == Kind.long,
      let directory = long(at: pointer.place), directory != firstDirectory,
      let time = text(Tag.dateTimeOriginal, in: directory)
    else { return nil }
    var result = CaptureTime(exif: time)
    result?.offset = text(Tag.offsetTimeOriginal, in: directory).flatMap(CaptureTime.offset)
    return result
  }

  // MARK: - Directories

  private var firstDirectory: Int? { long(at: 4) }

  private func entry(_ tag: Int, in directory: Int?) -> Entry? {
    guard let directory, let count = short(at: directory) else { return nil }
    for index in 0..<min(count, Self.maximumEntries) {
      let place = directory + 2 + 12 * index
      guard let found = short(at: place), let kind = short(at: place + 2),
        let count = long(at: place + 4), place + 12 <= block.count
      else { return nil }
      if found == tag { return Entry(kind: kind, count: count, place: place + 8) }
    }
    return nil
  }

  private func text(_ tag: Int, in directory: Int) -> [UInt8]? {
    guard let entry = entry(tag, in: directory), entry.kind == Kind.text, entry.count <= 64,
      let place = entry.count <= 4 ? entry.place : long(at: entry.place),
      place <= block.count, entry.count <= block.count - place
    else { return nil }
    return Array(block[place..<place + entry.count])
  }

  // MARK: - Numbers

  private func short(at place: Int) -> Int? {
    guard place >= 0, place <= block.count - 2 else { return nil }
    let (first, second) = (Int(block[place]), Int(block[place + 1]))
    return isBigEndian ? first << 8 | second : second << 8 | first
  }

  private func long(at place: Int) -> Int? {
    guard let first = short(at: place), let second = short(at: place + 2) else { return nil }
    return isBigEndian ? first << 16 | second : second << 16 | first
  }
}
