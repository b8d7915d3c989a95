import Core
import TestSupport
import Testing

struct JSONPropertyTests {
  @Test("what is written reads back equal, in every style")
  func roundTrip() throws {
    var random = SeededGenerator(for: "JSON round trip")
    for _ in 0..<1500 {
      let value = random.json()
      for style in [JSONStyle.compact, .pretty, .canonical, .compact.escapingSeparators] {
        let text = value.serialized(style)
        #expect(try JSON(parsing: text) == value, "\(text)")
      }
    }
  }

  @Test("the canonical form of the canonical form is itself")
  func idempotence() throws {
    var random = SeededGenerator(for: "canonical idempotence")
    for _ in 0..<1500 {
      let once = random.json().serialized(.canonical)
      #expect(try JSON(parsing: once).serialized(.canonical) == once)
    }
  }

  @Test("canonical output from the tape equals that from the tree, however the text was written")
  func tapeAgainstTree() throws {
    var random = SeededGenerator(for: "tape against tree")
    var tape = JSONTape(capacity: 16)
    var writer = CanonicalWriter()
    var output = ByteBuffer(capacity: 16)
    for _ in 0..<2000 {
      let value = random.json()
      let text = Array(random.sloppyText(of: value).utf8)
      let expected = value.serialized(.canonical)
      output.reset()
      try text.withUnsafeBytes { bytes in
        try tape.parse(bytes)
        writer.write(0, of: tape, in: bytes, to: &output)
      }
      #expect(output.bytes() == Array(expected.utf8), "\(String(decoding: text, as: UTF8.self))")
      #expect(try JSON(parsing: text) == value)
    }
  }

  @Test("short decimals that are copied verbatim are what the double would print")
  func verbatimNumbers() throws {
    var random = SeededGenerator(for: "verbatim numbers")
    var tape = JSONTape()
    var writer = CanonicalWriter()
    var output = ByteBuffer()
    for _ in 0..<20_000 {
      let places = Int.random(in: 1...16, using: &random)
      var fraction = String(Int64.random(in: 0..<1_000_000_000_000_000, using: &random))
      fraction = String(
        (String(repeating: "0", count: Int.random(in: 0...6, using: &random)) + fraction).prefix(
          places))
      let whole = String(
        Int64.random(
          in: 0...Int64([9, 99_999, 999_999_999_999].randomElement(using: &random) ?? 9),
          using: &random))
      let text = (Bool.random(using: &random) ? "-" : "") + whole + "." + fraction
      let number = try #require(Double(text))
      output.reset()
      try Array(text.utf8).withUnsafeBytes { bytes in
        try tape.parse(bytes)
        writer.write(0, of: tape, in: bytes, to: &output)
      }
      #expect(output.string() == (number == 0 ? "0.0" : number.description), "\(text)")
      #expect(try JSON(parsing: text) == .double(number))
    }
  }

  @Test("damaged and cut texts are refused or read, never more")
  func corruption() throws {
    var random = SeededGenerator(for: "JSON corruption")
    var refused = 0
    for _ in 0..<3000 {
      var text = Array(random.sloppyText(of: random.json()).utf8)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: text.removeLast(Int.random(in: 0...text.count, using: &random))
      case 1:
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          let index = Int.random(in: 0..<text.count, using: &random)
          text[index] = UInt8.random(in: 0...255, using: &random)
        }
      default:
        let index = Int.random(in: 0..<text.count, using: &random)
        text.insert(
          contentsOf: [0x22, 0x5C, 0x7D, 0xF0].shuffled(using: &random).prefix(2), at: index)
      }
      // An exact allocation, so that a sanitizer sees a read past the end.
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
      defer { copy.deallocate() }
      copy.copyBytes(from: text)
      do {
        let value = try JSON(parsing: UnsafeRawBufferPointer(copy))
        #expect(try JSON(parsing: value.serialized()) == value)
      } catch {
        refused += 1
        #expect(error.offset <= text.count)
        #expect(error.line >= 1 && error.column >= 1)
      }
    }
    #expect(refused > 500)
  }

  @Test("large objects sort and lose duplicates like small ones")
  func largeObjects() throws {
    var random = SeededGenerator(for: "large objects")
    var tape = JSONTape()
    var writer = CanonicalWriter()
    var output = ByteBuffer()
    for count in [31, 32, 33, 34, 100, 1000] {
      let members = (0..<count).map { _ in
        (
          random.text() + String(Int.random(in: 0..<count, using: &random)),
          JSON(integerLiteral: Int64(random.next() >> 1))
        )
      }
      let text =
        "{"
        + members.map { JSON.string($0.0).serialized() + ":" + $0.1.serialized() }.joined(
          separator: ",") + "}"
      output.reset()
      try Array(text.utf8).withUnsafeBytes { bytes in
        try tape.parse(bytes)
        writer.write(0, of: tape, in: bytes, to: &output)
      }
      #expect(output.string() == JSON.object(JSONObject(members)).serialized(.canonical))
    }
  }
}
