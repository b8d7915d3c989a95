import TestSupport
import Testing

@testable import Photos

/// Taking the location out of JPEG files.
struct LocationTests {
  /// An Exif block with a turned picture, a GPS directory and a time, as a camera writes it.
  static func exif(isBigEndian: Bool = false, inSecond: Bool = false) -> [UInt8] {
    func short(_ value: Int) -> [UInt8] {
      let bytes = [UInt8(value >> 8), UInt8(value & 255)]
      return isBigEndian ? bytes : bytes.reversed()
    }
    func long(_ value: Int) -> [UInt8] {
      let bytes = [24, 16, 8, 0].map { UInt8(value >> $0 & 255) }
      return isBigEndian ? bytes : bytes.reversed()
    }
    func entry(_ tag: Int, _ kind: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      short(tag) + short(kind) + long(count) + (value + [0, 0, 0, 0]).prefix(4)
    }
    // 8: three entries; 50: Exif, one entry; 68: GPS, three; 110: its latitude; 134: the time.
    let first =
      short(3) + entry(0x0112, 3, 1, short(6)) + entry(0x8769, 4, 1, long(50))
      + entry(inSecond ? 0x9999 : 0x8825, 4, 1, long(68)) + long(0)
    let below = short(1) + entry(0x9003, 2, 20, long(134)) + long(0)
    let gps =
      short(3) + entry(1, 2, 2, Array("N\0".utf8)) + entry(2, 5, 3, long(110))
      + entry(0x1D, 2, 4, Array("abc\0".utf8)) + long(0)
    let latitude = [48, 1, 8, 1, 54_321, 1000].flatMap { long($0) }
    let time = Array("2024:02:29 10:11:12\0".utf8)
    return (isBigEndian ? Array("MM".utf8) : Array("II".utf8)) + short(42) + long(8) + first + below
      + gps + latitude + time
  }

  static let packet = """
    <?xpacket begin='\u{FEFF}' id='W5M0MpCehiHzreSzNTczkc9d'?>
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><!-- GPS is here -->
    <rdf:Description rdf:about="" exif:GPSLatitude="48,8.9053N" tiff:Orientation='6'
      photoshop:City = 'Sankt > Pölten' dc:format="image/jpeg">
    <exif:GPSLongitude>11,34.2E</exif:GPSLongitude><xmp:Rating>5</xmp:Rating>
    <exif:GPSAltitude />
    <Iptc4xmpExt:LocationShown><rdf:Bag><rdf:li Iptc4xmpExt:City="Wien"><x:LocationShown/>
    </rdf:li></rdf:Bag></Iptc4xmpExt:LocationShown>
    </rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='w'?>
    """

  static func iptc(_ datasets: [(UInt8, String)]) -> [UInt8] {
    var data: [UInt8] = []
    for (number, text) in datasets {
      data += [0x1C, 2, number, 0, UInt8(text.utf8.count)]
      data += Array(text.utf8)
    }
    var bytes = Array("Photoshop 3.0\08BIM".utf8)
    bytes += [4, 4, 0, 0, 0, 0, UInt8(data.count >> 8), UInt8(data.count & 255)]
    bytes += data
    if data.count % 2 == 1 { bytes.append(0) }
    return bytes
  }

  static func stripped(_ file: [UInt8]) throws -> [UInt8] {
    var result = file
    for replacement in try LocationStripper.replacements(in: .bytes(file)) {
      result.replaceSubrange(
        replacement.offset..<replacement.offset + replacement.bytes.count, with: replacement.bytes)
    }
    #expect(result.count == file.count)
    return result
  }

  static func contains(_ file: [UInt8], _ text: String) -> Bool {
    let text = Array(text.utf8)
    return (0...max(0, file.count - text.count)).contains { file[$0...].starts(with: text) }
  }

  /// The bytes of a file from its first table on: what pixels are made of.
  static func pixels(_ file: [UInt8]) -> ArraySlice<UInt8> {
    let start = (0..<file.count - 1).first { file[$0] == 0xFF && file[$0 + 1] == 0xDB } ?? 0
    return file[start...]
  }

  @Test(
    "the GPS directory of Exif is emptied; orientation, time and pixels stay",
    arguments: [false, true])
  func exifIsEmptied(isBigEndian: Bool) throws {
    let block = Self.exif(isBigEndian: isBigEndian)
    let file = PhotoFixture(width: 40, height: 24).jpeg().inserting(.exif(block))
    let result = try Self.stripped(file)
    #expect(Self.pixels(result) == Self.pixels(file))
    let reader = try #require(
      ExifReader(
        try JPEGScanner.structure(
          of: .bytes(result), length: result.count, maximumScans: 10
        ).exif ?? []))
    #expect(reader.orientation == .turnedLeft)
    #expect(reader.captureTime?.description == "2024-02-29T10:11:12")
    #expect(Self.contains(file, "abc") && !Self.contains(result, "abc"))
    let bytes = isBigEndian ? [0, 0, 0xD4, 0x31] as [UInt8] : [0x31, 0xD4, 0, 0]
    #expect(!(0..<result.count).contains { result[$0...].starts(with: bytes) })
    // The entry is gone, so that no reader finds an empty directory.
    let tag: [UInt8] = isBigEndian ? [0x88, 0x25] : [0x25, 0x88]
    let start = try #require(result.firstRange(of: Array("Exif\0\0".utf8))?.upperBound)
    #expect(result[start..<start + block.count].firstRange(of: tag) == nil)
    // A second run finds nothing.
    #expect(try LocationStripper.replacements(in: .bytes(result)).isEmpty)
    #expect(try outcome(result).get().full.width == 24)
  }

  @Test("XMP loses what names a place, in attributes, elements and structures, and stays XML")
  func xmp() throws {
    var bytes = Array(Self.packet.utf8)
    try XMPLocation.strip(&bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(bytes.count == Self.packet.utf8.count)
    for gone in ["48,8", "11,34", "GPSL", "GPSA", "City", "Wien", "Location", "Pölten"] {
      #expect(!text.contains(gone), "\(gone)")
    }
    for kept in [
      "tiff:Orientation='6'", "<xmp:Rating>5</xmp:Rating>", "dc:format", "<?xpacket end",
    ] {
      #expect(text.contains(kept), "\(kept)")
    }
  }

  @Test("IPTC loses city, country and content location, and keeps the caption")
  func iptc() throws {
    let segment = Self.iptc([(120, "A caption"), (90, "Vienna"), (101, "Austria"), (27, "Prater")])
    let file = PhotoFixture(width: 16, height: 16).jpeg().inserting(
      Segment(marker: 0xED, body: segment))
    let result = try Self.stripped(file)
    #expect(Self.contains(result, "A caption"))
    for gone in ["Vienna", "Austria", "Prater"] { #expect(!Self.contains(result, gone)) }
    #expect(Self.pixels(result) == Self.pixels(file))
  }

  @Test("extended XMP is read across its segments")
  func extended() throws {
    let text = Array(Self.packet.utf8)
    let cut = try #require(text.firstRange(of: Array("GPSLatitude".utf8))).lowerBound + 4
    func long(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }
    let head =
      Array("http://ns.adobe.com/xmp/extension/\0".utf8)
      + Array(String(repeating: "A", count: 32).utf8)
    let parts: [Segment] = [(0, text[..<cut]), (cut, text[cut...])].map {
      Segment(marker: 0xE1, body: head + long(text.count) + long($0.0) + $0.1)
    }
    let fixture = PhotoFixture(width: 16, height: 16)
    let result = try Self.stripped(fixture.jpeg().inserting(parts[0], parts[1]))
    #expect(!Self.contains(result, "48,8"))
    #expect(throws: LocationRefusal.self) {
      try Self.stripped(fixture.jpeg().inserting(parts[0]))
    }
  }

  @Test("segments of unknown kinds become zeros, comments on GPS blanks; others stay")
  func unknown() throws {
    let file = PhotoFixture(width: 16, height: 16).jpeg().inserting(
      Segment(marker: 0xE6, body: Array("GoPro 48.1,11.5".utf8)),
      Segment(marker: 0xFE, body: Array("Gps 48.2".utf8)),
      Segment(marker: 0xFE, body: Array("hello".utf8)))
    let result = try Self.stripped(file)
    #expect(!Self.contains(result, "48.1") && !Self.contains(result, "48.2"))
    #expect(Self.contains(result, "hello"))
    #expect(Self.pixels(result) == Self.pixels(file))
  }

  @Test("a second picture in the file is treated as the first; anything else behind it is refused")
  func following() throws {
    let file = PhotoFixture(width: 16, height: 16).jpeg().inserting(.exif(Self.exif()))
    let result = try Self.stripped(file + [0, 0, 0] + file)
    #expect(!Self.contains(result, "abc"))
    #expect(throws: LocationRefusal.self) { try Self.stripped(file + Array("ftypmp42".utf8)) }
  }

  @Test(
    "what is not understood is refused",
    arguments: [
      Array("II*\0".utf8) + [200, 0, 0, 0], Array("XX*\0".utf8) + [8, 0, 0, 0], [1, 2, 3],
      // A directory that is its own next one.
      Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 8, 0, 0, 0],
      // GPS data that lies in the first directory.
      Array("II*\0".utf8) + [
        8, 0, 0, 0, 1, 0, 0x25, 0x88, 4, 0, 1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0,
      ],
    ] as [[UInt8]])
  func refused(block: [UInt8]) throws {
    let file = PhotoFixture(width: 16, height: 16).jpeg().inserting(.exif(block))
    #expect(throws: LocationRefusal.self) { try Self.stripped(file) }
  }

  @Test("files that are no JPEG, or end early, are refused")
  func damaged() throws {
    let file = PhotoFixture(width: 32, height: 32).jpeg().inserting(.exif(Self.exif()))
    for length in stride(from: 0, to: file.count - 2, by: 7) {
      #expect(throws: LocationRefusal.self) { try Self.stripped(Array(file.prefix(length))) }
    }
    #expect(throws: LocationRefusal.self) { try Self.stripped(Array("%PDF".utf8)) }
  }

  @Test("whatever is changed in a file, it is stripped in place or refused")
  func fuzz() throws {
    var random = SeededGenerator(for: "LocationTests.fuzz")
    let whole = PhotoFixture(width: 24, height: 24).jpeg().inserting(
      .exif(Self.exif()),
      Segment(marker: 0xE1, body: Array("http://ns.adobe.com/xap/1.0/\0\(Self.packet)".utf8)),
      Segment(marker: 0xED, body: Self.iptc([(90, "Vienna"), (120, "x")])))
    for _ in 0..<3_000 {
      var file = whole
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        let values: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)]
        file[Int.random(in: 0..<file.count, using: &random)] =
          values.randomElement(using: &random) ?? 0
      }
      _ = try? Self.stripped(file)
    }
  }
}
