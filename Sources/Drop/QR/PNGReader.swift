import CZlib

/// Reads a PNG picture to grey values, for finding a QR code in it (PNG specification, third edition).
///
/// All colour types, depths and interlacing; checksums and ancillary chunks are passed over, and what
/// is transparent is white.
public enum PNGReader {
  /// A picture of grey values, one byte a pixel, rows without gaps.
  public struct Picture: Sendable {
    /// Pixels of a row.
    public var width: Int
    /// Rows.
    public var height: Int
    /// From black, 0, to white, 255.
    public var pixels: [UInt8]

    /// A picture with its parts.
    public init(width: Int, height: Int, pixels: [UInt8]) {
      self.width = width
      self.height = height
      self.pixels = pixels
    }
  }

  /// Why a picture is not read.
  public enum Fault: Error, Sendable {
    /// zlib is not installed.
    case libraryMissing
    /// It is no PNG file, or damaged.
    case damaged
    /// It has more pixels than anybody photographs a code with.
    case tooLarge
  }

  /// The first bytes of every PNG file.
  public static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  private static let maximumPixels = 64_000_000
  private static let maximumBytes = 256 << 20

  /// Reads a file.
  ///
  /// - Throws: `Fault`.
  public static func picture(of file: [UInt8]) throws(Fault) -> Picture {
    guard file.starts(with: signature) else { throw .damaged }
    var header: Header?
    var palette: [UInt8] = []
    var transparency: [UInt8] = []
    var data: [UInt8] = []
    var place = signature.count
    while place + 8 <= file.count {
      let size = file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      let type = String(decoding: file[place + 4..<place + 8], as: UTF8.self)
      let start = place + 8
      // A file that was cut off may still show its code.
      let end = min(start + size, file.count)
      switch type {
      case "IHDR": header = try Header(file[start..<end])
      case "PLTE": palette = Array(file[start..<end])
      case "tRNS": transparency = Array(file[start..<end])
      case "IDAT": data += file[start..<end]
      default: break
      }
      if type == "IEND" { break }
      place = start + size + 4
    }
    guard let header else { throw .damaged }
    let rows = try inflated(data, size: header.byteCount)
    let colours = Colours(header: header, palette: palette, transparency: transparency)
    return try unpacked(rows, header, colours)
  }

  // MARK: Parts

  fileprivate struct Header {
    var width: Int
    var height: Int
    var depth: Int
    var type: Int
    var isInterlaced: Bool

    init(_ bytes: ArraySlice<UInt8>) throws(Fault) {
      let bytes = Array(bytes)
      guard bytes.count == 13, bytes[10] == 0, bytes[11] == 0, bytes[12] <= 1 else {
        throw .damaged
      }
      width = bytes[0..<4].reduce(0) { $0 << 8 | Int($1) }
      height = bytes[4..<8].reduce(0) { $0 << 8 | Int($1) }
      (depth, type, isInterlaced) = (Int(bytes[8]), Int(bytes[9]), bytes[12] == 1)
      let depths = [0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16]]
      guard width > 0, height > 0, depths[type]?.contains(depth) ?? false else { throw .damaged }
      guard width <= PNGReader.maximumPixels / height, byteCount <= PNGReader.maximumBytes else {
        throw .tooLarge
      }
    }

    var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][type] ?? 1 }

    /// Bytes of a row of so many pixels, without the byte that names its filter.
    func stride(_ width: Int) -> Int { (width * channels * depth + 7) / 8 }

    /// The pictures that the rows are of: the whole, or Adam7's seven.
    var passes: [Pass] {
      guard isInterlaced else {
        return [Pass(x: 0, y: 0, across: 1, down: 1, width: width, height: height)]
      }
      return [
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
        (0, 1, 1, 2),
      ].compactMap { x, y, across, down in
        let columns = (width - x + across - 1) / across
        let rows = (height - y + down - 1) / down
        guard columns > 0, rows > 0 else { return nil }
        return Pass(x: x, y: y, across: across, down: down, width: columns, height: rows)
      }
    }

    var byteCount: Int { passes.reduce(0) { $0 + $1.height * (stride($1.width) + 1) } }
  }

  fileprivate struct Pass {
    var x, y, across, down, width, height: Int
  }

  private static func inflated(_ data: [UInt8], size: Int) throws(Fault) -> [UInt8] {
    guard tote_zlib_load() == 0 else { throw .libraryMissing }
    var stream = z_stream()
    guard tote_zlib_inflate_init(&stream, 15) == Z_OK else { throw .damaged }
    defer { tote_zlib_inflate_end(&stream) }
    var input = data
    let count = input.count
    // Rows that are missing stay zero; more than the rows is never asked for.
    var output = [UInt8](repeating: 0, count: size)
    let status = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(size)
        return tote_zlib_inflate(&stream, Z_FINISH)
      }
    }
    guard status == Z_STREAM_END || status == Z_BUF_ERROR || status == Z_OK else { throw .damaged }
    return output
  }

  private static func unpacked(
    _ rows: [UInt8], _ header: Header, _ colours: Colours
  ) throws(Fault) -> Picture {
    var pixels = [UInt8](repeating: 255, count: header.width * header.height)
    let step = max(1, header.channels * header.depth / 8)
    var place = 0
    for pass in header.passes {
      let stride = header.stride(pass.width)
      var above = [UInt8](repeating: 0, count: stride)
      for row in 0..<pass.height {
        var line = Array(rows[place + 1..<place + 1 + stride])
        try unfilter(&line, above, rows[place], step)
        place += 1 + stride
        let target = (pass.y + row * pass.down) * header.width + pass.x
        for column in 0..<pass.width {
          pixels[target + column * pass.across] = colours.grey(line, column)
        }
        above = line
      }
    }
    return Picture(width: header.width, height: header.height, pixels: pixels)
  }

  /// §9: each byte was written as its difference from those before and above it.
  private static func unfilter(
    _ line: inout [UInt8], _ above: [UInt8], _ filter: UInt8, _ step: Int
  ) throws(Fault) {
    guard filter <= 4 else { throw .damaged }
    guard filter > 0 else { return }
    for index in line.indices {
      let left = index >= step ? Int(line[index - step]) : 0
      let up = Int(above[index])
      let corner = index >= step ? Int(above[index - step]) : 0
      let guess: Int
      switch filter {
      case 1: guess = left
      case 2: guess = up
      case 3: guess = (left + up) / 2
      default:
        let (a, b, c) = (abs(up - corner), abs(left - corner), abs(left + up - 2 * corner))
        guess = a <= b && a <= c ? left : b <= c ? up : corner
      }
      line[index] &+= UInt8(truncatingIfNeeded: guess)
    }
  }

  /// Turns samples into grey values.
  fileprivate struct Colours {
    let header: Header
    let palette: [UInt8]
    let transparency: [UInt8]

    func grey(_ line: [UInt8], _ column: Int) -> UInt8 {
      switch header.type {
      case 0: return sample(line, column)
      case 2: return luma(line, 3 * column)
      case 3:
        let index = index(line, column)
        guard 3 * index + 2 < palette.count else { return 255 }
        let alpha = index < transparency.count ? transparency[index] : 255
        return Self.onWhite(
          Self.luma(palette[3 * index], palette[3 * index + 1], palette[3 * index + 2]), alpha)
      case 4: return Self.onWhite(sample(line, 2 * column), sample(line, 2 * column + 1))
      default: return Self.onWhite(luma(line, 4 * column), sample(line, 4 * column + 3))
      }
    }

    private func luma(_ line: [UInt8], _ first: Int) -> UInt8 {
      Self.luma(sample(line, first), sample(line, first + 1), sample(line, first + 2))
    }

    private static func luma(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt8 {
      UInt8((Int(red) * 77 + Int(green) * 150 + Int(blue) * 29) >> 8)
    }

    private static func onWhite(_ grey: UInt8, _ alpha: UInt8) -> UInt8 {
      UInt8((Int(grey) * Int(alpha) + 255 * (255 - Int(alpha))) / 255)
    }

    /// A sample, scaled to eight bits.
    private func sample(_ line: [UInt8], _ number: Int) -> UInt8 {
      switch header.depth {
      case 8: line[number]
      case 16: line[2 * number]
      default: UInt8(index(line, number) * 255 / ((1 << header.depth) - 1))
      }
    }

    private func index(_ line: [UInt8], _ number: Int) -> Int {
      guard header.depth < 8 else { return Int(line[number]) }
      let bit = number * header.depth
      let shift = 8 - header.depth - bit % 8
      return Int(line[bit / 8]) >> shift & ((1 << header.depth) - 1)
    }
  }
}

extension PNGReader.Picture {
  /// The picture with each side divided by a whole number, by the average of what a pixel covers.
  public func reduced(by factor: Int) -> PNGReader.Picture {
    guard factor > 1, width >= factor, height >= factor else { return self }
    let (columns, rows) = (width / factor, height / factor)
    var result = [UInt8](repeating: 0, count: columns * rows)
    for row in 0..<rows {
      for column in 0..<columns {
        var sum = 0
        for y in 0..<factor {
          let start = (row * factor + y) * width + column * factor
          for x in start..<start + factor { sum += Int(pixels[x]) }
        }
        result[row * columns + column] = UInt8(sum / (factor * factor))
      }
    }
    return PNGReader.Picture(width: columns, height: rows, pixels: result)
  }
}
