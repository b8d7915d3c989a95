import CZlib

extension QRCode {
  /// The margin of pictures: the standard's four modules.
  private static let pictureMargin = 4

  /// The code as an SVG document that scales to any size.
  public var svg: String {
    let side = width + 2 * Self.pictureMargin
    var path = ""
    for row in 0..<width {
      var column = 0
      while column < width {
        let start = column
        while isDark(column: column, row: row) { column += 1 }
        if column > start {
          path += "M\(start + Self.pictureMargin) \(row + Self.pictureMargin)h\(column - start)v1"
          path += "h-\(column - start)z"
        }
        column += 1
      }
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" width="\(8 * side)" \
      height="\(8 * side)" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h\(side)v\(side)H0z"/>\
      <path fill="#000" d="\(path)"/></svg>

      """
  }

  /// The code as a PNG file of one bit a pixel.
  ///
  /// - Parameter scale: pixels of a module's side.
  /// - Returns: the file; nil when zlib is not installed.
  public func png(scale: Int = 8) -> [UInt8]? {
    guard tote_zlib_load() == 0 else { return nil }
    let side = (width + 2 * Self.pictureMargin) * scale
    let stride = (side + 7) / 8
    var rows: [UInt8] = []
    for row in -Self.pictureMargin..<(width + Self.pictureMargin) {
      // Filter type 0, then the pixels: a set bit is white.
      var line = [UInt8](repeating: 0xFF, count: stride + 1)
      line[0] = 0
      for x in 0..<side where isDark(column: x / scale - Self.pictureMargin, row: row) {
        line[1 + x / 8] &= ~(0x80 >> UInt8(x % 8))
      }
      for _ in 0..<scale { rows += line }
    }
    guard let pixels = Self.deflated(rows) else { return nil }
    var header = Self.bigEndian(side) + Self.bigEndian(side)
    // Bit depth 1, grey, and the only compression, filter method and interlacing there need be.
    header += [1, 0, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Self.chunk("IHDR", header)
      + Self.chunk("IDAT", pixels) + Self.chunk("IEND", [])
  }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let content = Array(type.utf8) + data
    let sum = tote_zlib_crc32(0, content, UInt32(content.count))
    return bigEndian(data.count) + content + bigEndian(Int(sum))
  }

  private static func bigEndian(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func deflated(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    guard tote_zlib_deflate_init(&stream, 9, 15) == Z_OK else { return nil }
    defer { tote_zlib_deflate_end(&stream) }
    var input = bytes
    // Deflate never grows data by more than a thousandth and a few bytes.
    var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 1_000 + 64)
    let capacity = output.count
    let status = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(capacity)
        return tote_zlib_deflate(&stream, Z_FINISH)
      }
    }
    guard status == Z_STREAM_END else { return nil }
    return Array(output.prefix(capacity - Int(stream.avail_out)))
  }
}
