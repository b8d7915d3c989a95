import Core
import Testing

struct JSONParsingTests {
  @Test(
    "each kind of value is read as itself",
    arguments: [
      ("null", JSON.null), ("true", true), ("false", false), ("0", 0), ("-0", 0), ("-1", -1),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .bigInteger("9223372036854775808")),
      ("-9223372036854775809", .bigInteger("-9223372036854775809")),
      ("123456789012345678901234567890", .bigInteger("123456789012345678901234567890")),
      ("1.0", .double(1)), ("1e0", .double(1)), ("1E+2", .double(100)), ("-0.0", .double(0)),
      ("0.1", .double(0.1)), ("1e-2", .double(0.01)), ("5e-324", .double(.leastNonzeroMagnitude)),
      ("1e-400", .double(0)), ("1.7976931348623157e308", .double(1.7976931348623157e308)),
      ("0.1234567890123456789012345", .double(0.12345678901234568)),
      ("\"\"", ""), ("\"a\\/\\u0041\\n\"", "a/A\n"), ("\"\\ud83d\\ude00\"", "😀"),
      ("\"\\u0000\"", "\0"), ("[]", []), ("{}", [:]), (" [ 1 , [ 2 ] ] ", [1, [2]]),
      ("{\"a\":{\"b\":[]}}", ["a": ["b": []]]), ("\t\r\n1\n", 1),
    ] as [(String, JSON)])
  func values(text: String, expected: JSON) throws {
    #expect(try JSON(parsing: text) == expected)
  }

  @Test("of equal keys the last wins, also in large objects, and keys compare as bytes")
  func duplicateKeys() throws {
    #expect(try JSON(parsing: #"{"a":1,"b":2,"a":3}"#) == ["a": 3, "b": 2])
    let both = try JSON(parsing: "{\"\u{e9}\":1,\"e\u{301}\":2}")
    #expect(both.objectValue?.count == 2)
    let many = (0..<100).map { "\"k\($0 % 50)\":\($0)" }.joined(separator: ",")
    let object = try #require(try JSON(parsing: "{\(many)}").objectValue)
    #expect(object.keys == (0..<50).map { "k\($0)" })
    #expect(object["k7"] == 57)
  }

  @Test("512 levels are read, 513 are an error")
  func depth() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try JSON(parsing: nested(512))
    let error = #expect(throws: JSONError.self) { try JSON(parsing: nested(513)) }
    #expect(error?.reason == .tooDeep)
    #expect(error?.offset == 512)
  }

  @Test(
    "an invalid text is refused with the reason and the place",
    arguments: [
      ("", .emptyInput, 0), ("  ", .emptyInput, 2), ("nul", .unexpectedEnd, 3),
      ("nulL", .unexpectedCharacter("L"), 3), ("[1,]", .unexpectedCharacter("]"), 3),
      ("[,1]", .unexpectedCharacter(","), 1), ("[1 2]", .unexpectedCharacter("2"), 3),
      ("[1", .unexpectedEnd, 2), ("{\"a\"}", .unexpectedCharacter("}"), 4),
      ("{\"a\":}", .unexpectedCharacter("}"), 5), ("{a:1}", .unexpectedCharacter("a"), 1),
      ("{\"a\":1,}", .unexpectedCharacter("}"), 7), ("{\"a\":1", .unexpectedEnd, 6),
      ("[1}", .unexpectedCharacter("}"), 2), ("1 2", .trailingText, 2), ("[]]", .trailingText, 2),
      ("\u{FEFF}1", .byteOrderMark, 0), ("NaN", .unexpectedCharacter("N"), 0),
      ("Infinity", .unexpectedCharacter("I"), 0), ("-Infinity", .invalidNumber, 1),
      ("+1", .unexpectedCharacter("+"), 0), ("01", .invalidNumber, 1), ("-", .unexpectedEnd, 1),
      ("1.", .unexpectedEnd, 2), ("1.e1", .invalidNumber, 2), (".5", .unexpectedCharacter("."), 0),
      ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3), ("1ex", .invalidNumber, 2),
      ("1e400", .numberOutOfRange, 0), ("[-1e400]", .numberOutOfRange, 1),
      ("\"a", .unexpectedEnd, 2), ("\"\\x\"", .invalidEscape, 1),
      ("\"\\u12g4\"", .invalidEscape, 1),
      ("\"\\u12", .unexpectedEnd, 5), ("\"\\", .unexpectedEnd, 2), ("\"\t\"", .controlCharacter, 1),
      ("\"\\ud800\"", .loneSurrogate, 1), ("\"\\udc00\"", .loneSurrogate, 1),
      ("\"\\ud800\\u0041\"", .loneSurrogate, 1), ("\"\\ud800\\ud800\"", .loneSurrogate, 1),
      ("'a'", .unexpectedCharacter("'"), 0), ("[é]", .unexpectedCharacter("é"), 1),
    ] as [(String, JSONError.Reason, Int)])
  func invalid(text: String, reason: JSONError.Reason, offset: Int) {
    let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
    #expect(error?.reason == reason)
    #expect(error?.offset == offset)
  }

  @Test(
    "bytes that are not UTF-8 are refused",
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE2, 0x82],
      [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80],
      [0xFE], [0xFF], [0xF0, 0x9F, 0x98],
    ] as [[UInt8]])
  func invalidUTF8(bytes: [UInt8]) {
    let text = Array("\"abcdefgh".utf8) + bytes + Array("\"".utf8)
    let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
    #expect(error?.reason == .invalidUTF8)
    #expect(error?.offset == 9)
  }

  @Test("line and column count from 1, columns in characters")
  func place() {
    let error = #expect(throws: JSONError.self) { try JSON(parsing: "{\n \"é\": 日}") }
    #expect(error?.line == 2)
    #expect(error?.column == 7)
    #expect(error?.message == "unexpected character '日' at line 2, column 7")
  }
}
