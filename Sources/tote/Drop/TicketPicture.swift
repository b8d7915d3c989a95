import Core
import Drop
import Photos

/// Finds a ticket in a picture: a PNG or JPEG file, a photo of a screen or a screenshot.
enum TicketPicture {
  /// Sides that a picture is looked at in: codes are found best when their modules have a few pixels,
  /// and noise is averaged away.
  private static let sides = [1_200, 2_400, 600, 4_800]

  private static let maximumBytes = 64_000_000

  /// Reads the ticket in a picture.
  ///
  /// - Parameter path: the file.
  /// - Returns: the ticket; other codes in the picture do not count.
  /// - Throws: `CommandError`, `InputError`.
  static func ticket(at path: String) throws -> DropTicket {
    let bytes = try readFile(path)
    guard bytes.count <= maximumBytes else {
      throw CommandError.invalidInput("'\(path)' is too large for a picture of a code")
    }
    var texts: [String] = []
    for picture in try views(of: bytes, path) {
      for text in try scan(picture()) {
        if let ticket = try? DropTicket(parsing: text) { return ticket }
        texts.append(text)
      }
    }
    guard !texts.isEmpty else {
      throw CommandError.invalidInput(
        "no code was found in '\(path)'", hint: "take the picture closer, sharper and straighter")
    }
    throw CommandError.invalidInput(
      "the code in '\(path)' is not the ticket of a receiver",
      hint: "photograph the code that 'tote drop receive' shows")
  }

  private static func scan(_ picture: PNGReader.Picture) throws -> [String] {
    do throws(QRScan.Fault) {
      return try QRScan.texts(in: picture.pixels, width: picture.width, height: picture.height)
    } catch {
      switch error {
      case .libraryMissing: throw missing("zbar", "libzbar0")
      case .outOfMemory:
        throw CommandError(.inputOutput, "io", "there is too little memory for the picture")
      }
    }
  }

  private static func missing(_ library: String, _ package: String) -> CommandError {
    CommandError(
      .configuration, "config", "\(library) is not installed",
      hint: "install the package \(package), or give the ticket as text")
  }

  /// The picture in several sizes, each made when it is needed.
  private static func views(
    of bytes: [UInt8], _ path: String
  ) throws -> [() throws -> PNGReader.Picture] {
    switch FileFormat(head: bytes.prefix(FileFormat.headLength)) {
    case .png:
      let whole = try png(bytes, path)
      let longest = max(whole.width, whole.height)
      return sides.map { max(1, (longest + $0 / 2) / $0) }.reduce(into: [Int]()) { factors, next in
        if !factors.contains(next) { factors.append(next) }
      }.map { factor in { whole.reduced(by: factor) } }
    case .jpeg:
      return sides.map { side in { try jpeg(bytes, path, side: side) } }
    case let format:
      throw CommandError.invalidInput(
        "'\(path)' is no PNG or JPEG picture, but \(format.rawValue)",
        hint: "give a photo or a screenshot of the code")
    }
  }

  private static func png(_ bytes: [UInt8], _ path: String) throws -> PNGReader.Picture {
    do throws(PNGReader.Fault) {
      return try PNGReader.picture(of: bytes)
    } catch {
      switch error {
      case .libraryMissing: throw missing("zlib", "zlib1g")
      case .damaged: throw CommandError.invalidInput("the picture '\(path)' is damaged")
      case .tooLarge: throw CommandError.invalidInput("the picture '\(path)' has too many pixels")
      }
    }
  }

  private static func jpeg(
    _ bytes: [UInt8], _ path: String, side: Int
  ) throws -> PNGReader.Picture {
    var options = PhotoOptions()
    options.damage = .anything
    do throws(PhotoRefusal) {
      let preview = try PhotoPipeline.preview(of: .bytes(bytes), options) { width, height in
        let longest = max(width, height)
        guard longest > side else { return (width, height) }
        return (max(1, width * side / longest), max(1, height * side / longest))
      }
      var grey = [UInt8](repeating: 0, count: preview.width * preview.height)
      for index in grey.indices {
        let red = Int(preview.rgb[3 * index]) * 77
        let green = Int(preview.rgb[3 * index + 1]) * 150
        let blue = Int(preview.rgb[3 * index + 2]) * 29
        grey[index] = UInt8((red + green + blue) >> 8)
      }
      return PNGReader.Picture(width: preview.width, height: preview.height, pixels: grey)
    } catch {
      throw CommandError.invalidInput("the picture '\(path)' cannot be read: \(error)")
    }
  }
}
