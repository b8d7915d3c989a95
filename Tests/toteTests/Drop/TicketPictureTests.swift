import CPhotoFixtures
import Drop
import Foundation
import HTTP
import TestSupport
import Testing

@testable import tote

/// Tickets in photos and screenshots of a terminal.
struct TicketPictureTests {
  /// A picture of grey values.
  struct Grey {
    var width: Int
    var height: Int
    var pixels: [UInt8]

    subscript(x: Int, y: Int) -> UInt8 {
      guard (0..<width).contains(x), (0..<height).contains(y) else { return 90 }
      return pixels[y * width + x]
    }

    /// Turned about its middle, by degrees, on a larger ground.
    func turned(_ degrees: Double) -> Grey {
      let side = Int(1.5 * Double(max(width, height)))
      let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
      var result = Grey(
        width: side, height: side, pixels: [UInt8](repeating: 90, count: side * side))
      for y in 0..<side {
        for x in 0..<side {
          let (u, v) = (Double(x - side / 2), Double(y - side / 2))
          result.pixels[y * side + x] =
            self[
              Int((u * cosine + v * sine + Double(width) / 2).rounded()),
              Int((v * cosine - u * sine + Double(height) / 2).rounded())]
        }
      }
      return result
    }

    /// Each pixel the average of those around it, with noise and less contrast.
    func blurred(_ radius: Int, noise: Int, _ random: inout SeededGenerator) -> Grey {
      var result = self
      for y in 0..<height {
        for x in 0..<width {
          var sum = 0
          for v in -radius...radius {
            for u in -radius...radius { sum += Int(self[x + u, y + v]) }
          }
          let mean = sum / ((2 * radius + 1) * (2 * radius + 1))
          let value = 40 + mean * 170 / 255 + Int.random(in: -noise...noise, using: &random)
          result.pixels[y * width + x] = UInt8(clamping: value)
        }
      }
      return result
    }

    func jpeg(quality: Int32) -> [UInt8] {
      var fixture = tote_fixture()
      (fixture.width, fixture.height) = (Int32(width), Int32(height))
      (fixture.given, fixture.stored) = (1, 1)
      (fixture.horizontal, fixture.vertical) = (1, 1)
      (fixture.chroma_horizontal, fixture.chroma_vertical) = (1, 1)
      fixture.quality = quality
      var size = 0
      guard let bytes = tote_fixture_encode(&fixture, pixels, &size) else { return [] }
      defer { free(bytes) }
      return Array(UnsafeBufferPointer(start: bytes, count: size))
    }
  }

  static func ticket(isPhone: Bool = false) -> DropTicket {
    DropTicket(
      addresses: ["192.168.100.123"], port: 54_321, token: .random(),
      pin: TLSPin((0..<32).map { _ in UInt8.random(in: 0...255) }),
      phone: isPhone ? DropTicket.Phone(port: 8080, token: .random()) : nil)
  }

  /// A terminal's window with a code, on a background, `side` pixels a cell.
  static func terminal(_ ticket: DropTicket, background: UInt8, side: Int) throws -> Grey {
    let fitting = try #require(try QRCode.fitting(ticket.text, columns: 80, rows: 30))
    let border = 30
    let width = fitting.columns * side + 2 * border
    let height = fitting.rows * 2 * side + 2 * border
    var grey = Grey(
      width: width, height: height,
      pixels: [UInt8](repeating: background, count: width * height))
    for y in 0..<fitting.rows * 2 * side {
      for x in 0..<fitting.columns * side {
        let isDark = fitting.code.isDark(
          column: x / side - fitting.margin, row: y / side - fitting.margin)
        grey.pixels[(y + border) * width + x + border] = isDark ? 0 : 255
      }
    }
    return grey
  }

  static func read(_ bytes: [UInt8]) throws -> DropTicket {
    try withTemporaryDirectory { folder in
      // The name says nothing: the bytes tell what it is.
      let path = "\(folder)/picture.txt"
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      return try TicketPicture.ticket(at: path)
    }
  }

  @Test(
    "a screenshot of a terminal, dark or light, as JPEG", arguments: [0, 255] as [UInt8], [4, 9])
  func screenshot(background: UInt8, side: Int) throws {
    let ticket = Self.ticket()
    let picture = try Self.terminal(ticket, background: background, side: side)
    #expect(try Self.read(picture.jpeg(quality: 60)) == ticket)
  }

  @Test("a photo: turned, blurred, noisy, pale", arguments: [7.0, 33, 90, 181, 300])
  func photo(degrees: Double) throws {
    var random = SeededGenerator(for: "TicketPictureTests.photo")
    let ticket = Self.ticket()
    let picture = try Self.terminal(ticket, background: 20, side: 8).turned(degrees)
      .blurred(2, noise: 12, &random)
    #expect(try Self.read(picture.jpeg(quality: 50)) == ticket)
  }

  @Test("light on dark, and the ticket of a phone, whose port is the encrypted one")
  func inverted() throws {
    let ticket = Self.ticket(isPhone: true)
    var picture = try Self.terminal(ticket, background: 255, side: 6)
    picture.pixels = picture.pixels.map { 255 - $0 }
    let read = try Self.read(picture.jpeg(quality: 80))
    #expect(read == ticket && read.port == 54_321)
    #expect(read.url(at: "192.168.100.123").scheme == .https)
  }

  @Test("the receiver's PNG, large and small", arguments: [3, 8, 40])
  func png(scale: Int) throws {
    let ticket = Self.ticket()
    #expect(try Self.read(try #require(try QRCode(ticket.text).png(scale: scale))) == ticket)
  }

  @Test("a picture without a code, with another code, or no picture at all")
  func refused() throws {
    let blank = Grey(width: 100, height: 100, pixels: [UInt8](repeating: 9, count: 10_000))
    let other = try #require(try QRCode("https://example.org/").png())
    for (bytes, part) in [
      (blank.jpeg(quality: 80), "no code"), (other, "is not the ticket"),
      (Array("%PDF-1.4".utf8), "no PNG or JPEG"), (Array(other.prefix(20)), "damaged"),
    ] {
      let error = #expect(throws: CommandError.self) { try Self.read(bytes) }
      #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
  }
}
