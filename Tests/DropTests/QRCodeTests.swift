import Drop
import Testing

@Suite struct QRCodeTests {
  /// A picture of terminal lines as a font without gaps draws them: `side` pixels a cell, twice as high.
  static func picture(
    _ lines: [String], side: Int, background: UInt8, border: Int = 20
  ) -> (pixels: [UInt8], width: Int, height: Int) {
    let cells = lines.map(Self.cells)
    let columns = cells.map(\.count).max() ?? 0
    let width = columns * side + 2 * border
    let height = lines.count * side * 2 + 2 * border
    var pixels = [UInt8](repeating: background, count: width * height)
    for (row, line) in cells.enumerated() {
      for (column, cell) in line.enumerated() {
        for y in 0..<(2 * side) {
          let value: UInt8 = (y < side ? cell.upper : cell.lower) ? 0 : 255
          for x in 0..<side {
            pixels[(border + row * 2 * side + y) * width + border + column * side + x] = value
          }
        }
      }
    }
    return (pixels, width, height)
  }

  /// The two modules of each cell, read from the colours; true is dark.
  static func cells(_ line: String) -> [(upper: Bool, lower: Bool)] {
    var foreground = false
    var background = false
    var cells: [(upper: Bool, lower: Bool)] = []
    var rest = Substring(line)
    while let character = rest.popFirst() {
      if character == "\u{1B}" {
        let codes = rest.dropFirst().prefix { $0 != "m" }
        rest = rest.dropFirst(codes.count + 2)
        let numbers = codes.split(separator: ";").map(String.init)
        for index in numbers.indices.dropLast(2) where numbers[index + 1] == "5" {
          if numbers[index] == "38" { foreground = numbers[index + 2] == "16" }
          if numbers[index] == "48" { background = numbers[index + 2] == "16" }
        }
      } else {
        cells.append((background, character == "\u{2584}" ? foreground : background))
      }
    }
    return cells
  }

  @Test(
    "the code of a ticket fits 80 columns and 24 lines, and is read back",
    arguments: [0, 40, 255] as [UInt8])
  func terminal(_ background: UInt8) throws {
    let text = try TicketTests.ticket().text
    let fitting = try #require(try QRCode.fitting(text, columns: 80, rows: 23))
    #expect(fitting.columns <= 80 && fitting.rows <= 23)
    #expect(fitting.lines.count == fitting.rows)
    let picture = Self.picture(fitting.lines, side: 5, background: background)
    let found = try QRScan.texts(in: picture.pixels, width: picture.width, height: picture.height)
    #expect(found == [text])
  }

  @Test("the full shape has two cells a module and is read back")
  func full() throws {
    let fitting = try #require(
      try QRCode.fitting("https://10.0.0.1:1/A", columns: 200, rows: 100, shape: .full))
    for line in fitting.lines { #expect(Self.cells(line).count == fitting.columns) }
    // Cells are twice as high as wide, so that a module is square.
    let picture = Self.picture(fitting.lines, side: 3, background: 0)
    let found = try QRScan.texts(in: picture.pixels, width: picture.width, height: picture.height)
    #expect(found == ["https://10.0.0.1:1/A"])
  }

  @Test(
    "margins and error correction give way to the window, and nothing is drawn when it is too small"
  )
  func fits() throws {
    let text = try TicketTests.ticket().text
    func fitting(_ rows: Int) throws -> QRCode.Fitting? {
      try QRCode.fitting(text, columns: 80, rows: rows)
    }
    #expect(try fitting(23)?.code.width == 37)
    #expect(try fitting(22)?.code.width == 33)
    #expect(try fitting(21)?.margin == 4)
    #expect(try fitting(20)?.margin == 2)
    #expect(try fitting(19)?.rows == 19)
    #expect(try fitting(18) == nil)
    let smallest = try QRCode.smallestSize(text)
    #expect(smallest.columns == 37 && smallest.rows == 19)
  }

  @Test("inverted codes are read")
  func inverted() throws {
    let code = try QRCode("HELLO", level: .low)
    let side = (code.width + 8) * 4
    var pixels = [UInt8](repeating: 0, count: side * side)
    for y in 0..<side {
      for x in 0..<side where code.isDark(column: x / 4 - 4, row: y / 4 - 4) {
        pixels[y * side + x] = 255
      }
    }
    #expect(try QRScan.texts(in: pixels, width: side, height: side) == ["HELLO"])
  }

  @Test("no code holds more than 2,953 bytes")
  func tooLong() throws {
    _ = try QRCode(String(repeating: "a", count: 2_953), level: .low)
    #expect(throws: QRCode.Fault.self) {
      _ = try QRCode(String(repeating: "a", count: 2_954), level: .low)
    }
  }
}
