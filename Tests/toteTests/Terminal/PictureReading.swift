import Core
import Photos
import TestSupport

@testable import tote

/// A terminal's view of pictures, written a second time: reads what was drawn back into pixels.
struct DrawnPicture {
  var width: Int
  var height: Int
  /// Red, green and blue; -1 where nothing was drawn.
  var rgb: [Int]

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    rgb = [Int](repeating: -1, count: 3 * width * height)
  }

  subscript(x: Int, y: Int) -> [Int] {
    get { Array(rgb[3 * (y * width + x)..<3 * (y * width + x) + 3]) }
    set { for part in 0..<3 { rgb[3 * (y * width + x) + part] = newValue[part] } }
  }

  /// The mean of the squares of all differences; infinite when sizes differ or pixels are missing.
  func error(to picture: PhotoPreview) -> Double {
    guard width == picture.width, height == picture.height, !rgb.contains(-1) else {
      return .infinity
    }
    let sum = zip(rgb, picture.rgb).reduce(0) { $0 + ($1.0 - Int($1.1)) * ($1.0 - Int($1.1)) }
    return Double(sum) / Double(rgb.count)
  }

  /// The error once both are averaged over squares of `side` pixels, as an eye does.
  func blurredError(to picture: PhotoPreview, side: Int) -> Double {
    guard width == picture.width, height == picture.height, !rgb.contains(-1) else {
      return .infinity
    }
    var (sum, count) = (0.0, 0.0)
    for top in stride(from: 0, to: height - side + 1, by: side) {
      for left in stride(from: 0, to: width - side + 1, by: side) {
        for part in 0..<3 {
          var difference = 0
          for y in top..<top + side {
            for x in left..<left + side {
              let place = 3 * (y * width + x) + part
              difference += rgb[place] - Int(picture.rgb[place])
            }
          }
          let mean = Double(difference) / Double(side * side)
          sum += mean * mean
          count += 1
        }
      }
    }
    return sum / max(1, count)
  }
}

/// Walks over bytes that a terminal would get.
struct TerminalScanner {
  var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  mutating func number() -> Int? {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest.dropFirst(digits.count)
    return Int(String(decoding: digits, as: UTF8.self))
  }

  /// What comes before a text, which is taken too.
  mutating func upTo(_ text: String) throws -> [UInt8] {
    let mark = Array(text.utf8)
    var taken: [UInt8] = []
    while !rest.isEmpty {
      if rest.starts(with: mark) {
        rest = rest.dropFirst(mark.count)
        return taken
      }
      taken.append(rest.removeFirst())
    }
    throw SupportError.badSetup("no \(text.debugDescription) in what was drawn")
  }
}

/// Reads sixel graphics as the VT330/VT340 reference manual describes them.
func readSixel(_ bytes: [UInt8]) throws -> DrawnPicture {
  func fault(_ text: String) -> SupportError { .badSetup("sixel: \(text)") }
  var scanner = TerminalScanner(bytes)
  guard scanner.take("\u{1B}P") else { throw fault("no start") }
  _ = try scanner.upTo("q")
  guard scanner.take("\""), let vertical = scanner.number(), scanner.take(";"),
    let horizontal = scanner.number(), scanner.take(";"), let width = scanner.number(),
    scanner.take(";"), let height = scanner.number(), vertical == 1, horizontal == 1
  else { throw fault("no size") }
  var picture = DrawnPicture(width: width, height: height)
  var palette: [Int: [Int]] = [:]
  var (x, y, colour) = (0, 0, 0)
  while !scanner.take("\u{1B}\\") {
    if scanner.take("#") {
      guard let index = scanner.number() else { throw fault("colour without number") }
      colour = index
      guard scanner.take(";") else { continue }
      guard scanner.number() == 2, scanner.take(";"), let red = scanner.number(),
        scanner.take(";"), let green = scanner.number(), scanner.take(";"),
        let blue = scanner.number(), max(red, green, blue) <= 100
      else { throw fault("colour \(index)") }
      palette[index] = [red, green, blue].map { ($0 * 255 + 50) / 100 }
    } else if scanner.take("$") {
      x = 0
    } else if scanner.take("-") {
      (x, y) = (0, y + 6)
    } else {
      let count = scanner.take("!") ? scanner.number() ?? 0 : 1
      guard let byte = scanner.rest.popFirst(), (0x3F...0x7E).contains(byte) else {
        throw fault("unexpected byte")
      }
      for _ in 0..<count {
        for row in 0..<6 where (byte - 0x3F) >> UInt8(row) & 1 == 1 {
          guard let rgb = palette[colour], x < width, y + row < height else {
            throw fault("pixel \(x),\(y + row) outside, or of no colour")
          }
          picture[x, y + row] = rgb
        }
        x += 1
      }
    }
  }
  guard scanner.isAtEnd else { throw fault("text behind the end") }
  return picture
}

/// Reads what was sent in kitty's graphics protocol.
func readKitty(_ bytes: [UInt8]) throws -> (picture: DrawnPicture, keys: [String: String]) {
  var scanner = TerminalScanner(bytes)
  var keys: [String: String] = [:]
  var data = ""
  var isLast = false
  while !isLast {
    guard scanner.take("\u{1B}_G") else { throw SupportError.badSetup("kitty: no start") }
    let piece = String(decoding: try scanner.upTo("\u{1B}\\"), as: UTF8.self)
    let parts = piece.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].count <= 4096 else {
      throw SupportError.badSetup("kitty: piece of \(piece.utf8.count) bytes")
    }
    for pair in parts[0].split(separator: ",") {
      let (name, value) = (String(pair.prefix(1)), String(pair.dropFirst(2)))
      if name == "m" { isLast = value == "0" } else { keys[name] = value }
    }
    if !isLast, parts[1].utf8.count % 4 != 0 {
      throw SupportError.badSetup("kitty: a piece ends amid four characters")
    }
    data += parts[1]
  }
  guard scanner.isAtEnd, let pixels = base64Decoded(data), let width = Int(keys["s"] ?? ""),
    let height = Int(keys["v"] ?? ""), pixels.count == 3 * width * height
  else { throw SupportError.badSetup("kitty: not all pixels") }
  var picture = DrawnPicture(width: width, height: height)
  picture.rgb = pixels.map { Int($0) }
  return (picture, keys)
}

/// Reads lines of coloured cells: `rows` pixels in each, one above the other.
func readBlocks(_ lines: [String], rows: Int) throws -> DrawnPicture {
  func fault(_ text: String) -> SupportError { .badSetup("blocks: \(text)") }
  var cells: [[[[Int]]]] = []
  for line in lines {
    var (front, back) = ([-1, -1, -1], [-1, -1, -1])
    var row: [[[Int]]] = []
    var scanner = TerminalScanner(Array(line.utf8))
    while !scanner.isAtEnd {
      if scanner.take("\u{1B}[") {
        let text = String(decoding: try scanner.upTo("m"), as: UTF8.self)
        let numbers = text.split(separator: ";").compactMap { Int($0) }
        switch (numbers.first, numbers.dropFirst().first, numbers.count) {
        case (38, 2, 5): front = Array(numbers[2...])
        case (48, 2, 5): back = Array(numbers[2...])
        case (38, 5, 3): front = xtermColour(numbers[2])
        case (48, 5, 3): back = xtermColour(numbers[2])
        case (0, nil, 1): (front, back) = ([-1, -1, -1], [-1, -1, -1])
        default: throw fault(text)
        }
      } else if scanner.take("▄") {
        row.append([back, front])
      } else if scanner.take("▀") {
        row.append([front, back])
      } else if scanner.take(" ") {
        row.append([back, back])
      } else {
        throw fault("an unexpected character in \(line)")
      }
    }
    guard front == [-1, -1, -1], back == front else { throw fault("colours stay on") }
    cells.append(row)
  }
  let width = cells.first?.count ?? 0
  let isShort = rows == 2 && cells.last?.first?[1] == [-1, -1, -1]
  var picture = DrawnPicture(width: width, height: cells.count * rows - (isShort ? 1 : 0))
  for (line, row) in cells.enumerated() {
    guard row.count == width else { throw fault("lines of different lengths") }
    for (x, cell) in row.enumerated() {
      for part in 0..<rows where line * rows + part < picture.height {
        picture[x, line * rows + part] = cell[part]
      }
    }
  }
  return picture
}

/// The palette of 256 colours, as xterm's `256colres.pl` makes it.
private func xtermColour(_ number: Int) -> [Int] {
  guard number >= 16 else { return [-1, -1, -1] }
  if number >= 232 { return [Int](repeating: 8 + 10 * (number - 232), count: 3) }
  let cube = number - 16
  return [cube / 36, cube / 6 % 6, cube % 6].map { $0 == 0 ? 0 : 55 + 40 * $0 }
}
