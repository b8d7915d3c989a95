import TestSupport
import Testing

@testable import Photos

/// The reader of the two tags that are read at all.
struct ExifTests {
  @Test("orientation and capture time in both byte orders", arguments: [false, true])
  func tags(isBigEndian: Bool) throws {
    let block = ExifFixture(
      orientation: 6, taken: "2024:02:29 23:59:58", offset: "-03:30", isBigEndian: isBigEndian)
    let reader = try #require(ExifReader(block.bytes))
    #expect(reader.orientation == .turnedLeft)
    #expect(reader.captureTime?.description == "2024-02-29T23:59:58-03:30")
  }

  @Test(
    "a text that is no time is no capture time",
    arguments: [
      "2023:02:29 10:00:00", "0000:00:00 00:00:00", "2024:13:01 10:00:00", "2024:01:01 24:00:00",
      "2024-01-01 10:00:00", "2024:01:01T10:00:00", "    :  :     :  :  ", "2024:01:01 10:00:0x",
      "2024:01:01 10:00:00 and more", "2024:01:01",
    ])
  func noTime(text: String) throws {
    let reader = try #require(ExifReader(ExifFixture(orientation: 1, taken: text).bytes))
    #expect(reader.captureTime == nil)
  }

  @Test("an offset that is none leaves the time without one", arguments: ["+1:00", "+99:00", "Z"])
  func noOffset(text: String) throws {
    let block = ExifFixture(orientation: 1, taken: "2024:01:01 10:00:00", offset: text)
    #expect(try #require(ExifReader(block.bytes)).captureTime?.description == "2024-01-01T10:00:00")
  }

  @Test("a block that is cut or changed anywhere is read within its bounds")
  func damaged() throws {
    var random = SeededGenerator(for: "ExifTests.damaged")
    let whole = ExifFixture(orientation: 8, taken: "2024:02:28 01:02:03", offset: "+00:00").bytes
    for length in 0..<whole.count {
      let reader = ExifReader(Array(whole.prefix(length)))
      _ = (reader?.orientation, reader?.captureTime)
    }
    for _ in 0..<4000 {
      var block = whole
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let values: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)]
        block[Int.random(in: 0..<block.count, using: &random)] =
          values.randomElement(using: &random) ?? 0
      }
      let reader = ExifReader(block)
      _ = (reader?.orientation, reader?.captureTime)
    }
  }

  @Test("of two Exif blocks the first counts")
  func secondBlock() throws {
    let fixture = PhotoFixture()
    let file = fixture.jpeg().inserting(
      .exif(ExifFixture(orientation: 1)), .exif(ExifFixture(orientation: 6)))
    #expect(try outcome(file).get().full.width == fixture.width)
  }

  @Test("imgproxy#1263: a block as large as a segment can be is no error")
  func large() throws {
    var block = ExifFixture(orientation: 3).bytes
    block += [UInt8](repeating: 0x41, count: 65_000 - block.count)
    let photo = try outcome(PhotoFixture().jpeg().inserting(.exif(block))).get()
    #expect(photo.notes.isEmpty)
  }
}
