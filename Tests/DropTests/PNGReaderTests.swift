import Drop
import TestSupport
import Testing

@Suite struct PNGReaderTests {
  /// Writes PNG files of every kind, not well packed.
  struct Writer {
    var width: Int
    var height: Int
    var depth: Int
    var type: Int
    var isInterlaced = false

    var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][type] ?? 1 }

    /// `samples` are those of a pixel, each within `depth` bits.
    func file(
      palette: [UInt8] = [], filter: UInt8?, _ samples: (Int, Int) -> [Int]
    ) -> [UInt8] {
      var rows: [UInt8] = []
      let passes =
        isInterlaced
        ? [
          (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
          (0, 1, 1, 2),
        ] : [(0, 0, 1, 1)]
      for (x, y, across, down) in passes {
        let columns = Array(stride(from: x, to: width, by: across))
        guard !columns.isEmpty else { continue }
        var above = [UInt8](repeating: 0, count: (columns.count * channels * depth + 7) / 8)
        for (number, row) in stride(from: y, to: height, by: down).enumerated() {
          let line = packed(columns.flatMap { samples($0, row) })
          let kind = filter ?? UInt8(number % 5)
          rows += [kind] + filtered(line, above, kind)
          above = line
        }
      }
      let header =
        big(width) + big(height)
        + [UInt8(depth), UInt8(type), 0, 0, isInterlaced ? 1 : 0]
      return PNGReader.signature + chunk("IHDR", header)
        + (palette.isEmpty ? [] : chunk("PLTE", palette)) + chunk("IDAT", stored(rows))
        + chunk("IEND", [])
    }

    private func packed(_ samples: [Int]) -> [UInt8] {
      if depth == 16 { return samples.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } }
      if depth == 8 { return samples.map { UInt8($0) } }
      var bytes = [UInt8](repeating: 0, count: (samples.count * depth + 7) / 8)
      for (index, sample) in samples.enumerated() {
        let bit = index * depth
        bytes[bit / 8] |= UInt8(sample << (8 - depth - bit % 8))
      }
      return bytes
    }

    private func filtered(_ line: [UInt8], _ above: [UInt8], _ kind: UInt8) -> [UInt8] {
      let step = max(1, channels * depth / 8)
      return line.indices.map { index in
        let left = index >= step ? Int(line[index - step]) : 0
        let up = Int(above[index])
        let corner = index >= step ? Int(above[index - step]) : 0
        let guess: Int
        switch kind {
        case 1: guess = left
        case 2: guess = up
        case 3: guess = (left + up) / 2
        case 4:
          let p = left + up - corner
          let (a, b, c) = (abs(p - left), abs(p - up), abs(p - corner))
          guess = a <= b && a <= c ? left : b <= c ? up : corner
        default: guess = 0
        }
        return line[index] &- UInt8(truncatingIfNeeded: guess)
      }
    }

    /// RFC 1950 with the stored blocks of RFC 1951.
    private func stored(_ bytes: [UInt8]) -> [UInt8] {
      var result: [UInt8] = [0x78, 0x01]
      for start in stride(from: 0, to: bytes.count, by: 65_535) {
        let part = bytes[start..<min(start + 65_535, bytes.count)]
        let size = part.count
        result += [start + size == bytes.count ? 1 : 0, UInt8(size & 255), UInt8(size >> 8)]
        result += [UInt8(~size & 255), UInt8(~size >> 8 & 255)] + part
      }
      var (a, b) = (1, 0)
      for byte in bytes {
        a = (a + Int(byte)) % 65_521
        b = (b + a) % 65_521
      }
      return result + big(b << 16 | a)
    }

    private func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
      big(data.count) + Array(type.utf8) + data + [0, 0, 0, 0]
    }

    private func big(_ value: Int) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
  }

  @Test(
    "grey, coloured and transparent pictures of every depth are read", arguments: [false, true])
  func kinds(isInterlaced: Bool) throws {
    var random = SeededGenerator(for: "PNGReaderTests.kinds")
    let kinds = [
      (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8),
      (4, 8), (4, 16), (6, 8), (6, 16),
    ]
    for (type, depth) in kinds {
      for (width, height) in [(1, 1), (3, 9), (17, 12)] {
        let writer = Writer(
          width: width, height: height, depth: depth, type: type, isInterlaced: isInterlaced)
        let scale = depth == 16 ? 257 : 1
        let limit = depth == 16 ? 255 : (1 << depth) - 1
        let pixels = (0..<width * height).map { _ in
          (0..<writer.channels).map { _ in Int.random(in: 0...limit, using: &random) }
        }
        let palette =
          type == 3
          ? (0...limit).flatMap { _ in
            (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
          } : []
        let file = writer.file(palette: palette, filter: nil) { x, y in
          pixels[y * width + x].map { $0 * scale }
        }
        let picture = try PNGReader.picture(of: file)
        #expect(picture.width == width && picture.height == height)
        func luma(_ rgb: ArraySlice<Int>) -> Int {
          zip(rgb, [77, 150, 29]).reduce(0) { $0 + $1.0 * $1.1 } >> 8
        }
        let expected = pixels.map { samples -> UInt8 in
          let full = depth < 8 && type == 0 ? samples[0] * 255 / limit : samples[0]
          switch type {
          case 0: return UInt8(full)
          case 2: return UInt8(luma(samples[...]))
          case 3:
            let start = 3 * samples[0]
            return UInt8(luma(palette[start..<start + 3].map { Int($0) }[...]))
          case 4: return UInt8((samples[0] * samples[1] + 255 * (255 - samples[1])) / 255)
          default:
            let grey = luma(samples[..<3])
            return UInt8((grey * samples[3] + 255 * (255 - samples[3])) / 255)
          }
        }
        #expect(picture.pixels == expected, "type \(type), depth \(depth), \(width)x\(height)")
      }
    }
  }

  @Test("our own picture of a ticket is read back")
  func ticket() throws {
    let text = try TicketTests.ticket().text
    let picture = try PNGReader.picture(of: try #require(try QRCode(text).png(scale: 3)))
    #expect(
      try QRScan.texts(in: picture.pixels, width: picture.width, height: picture.height) == [text])
    let half = try PNGReader.picture(of: try #require(try QRCode(text).png(scale: 8))).reduced(
      by: 2)
    #expect(try QRScan.texts(in: half.pixels, width: half.width, height: half.height) == [text])
  }

  @Test("what is no picture, or claims to be huge, is refused; one cut off shows what is there")
  func refused() throws {
    let writer = Writer(width: 8, height: 8, depth: 8, type: 0)
    let file = writer.file(filter: 0) { x, y in [x * y] }
    #expect(throws: PNGReader.Fault.self) { try PNGReader.picture(of: Array("GIF89a".utf8)) }
    var huge = file
    huge.replaceSubrange(16..<20, with: [0x7F, 0xFF, 0xFF, 0xFF])
    #expect(throws: PNGReader.Fault.self) { try PNGReader.picture(of: huge) }
    #expect(
      try PNGReader.picture(of: Array(file.prefix(file.count - 40))).pixels.prefix(8) == [
        0, 0, 0, 0, 0, 0, 0, 0,
      ])
    var random = SeededGenerator(for: "PNGReaderTests.refused")
    for _ in 0..<2_000 {
      var damaged = file
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      _ = try? PNGReader.picture(of: damaged)
    }
  }
}
