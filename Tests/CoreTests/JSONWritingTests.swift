import Core
import Testing

struct JSONWritingTests {
  @Test(
    "numbers are written so that they read back the same",
    arguments: [
      ("0", "0"), ("-0", "0"), ("1.0", "1.0"), ("1e0", "1.0"), ("1e10", "10000000000.0"),
      ("-0.0", "0.0"), ("0.10", "0.1"), ("1.5e-300", "1.5e-300"), ("0.00001", "1e-05"),
      ("1e308", "1e+308"), ("9007199254740993", "9007199254740993"),
      ("-9223372036854775808", "-9223372036854775808"), ("1e16", "1e+16"),
      ("123456789012345678901234567890", "123456789012345678901234567890"),
    ])
  func numbers(text: String, expected: String) throws {
    #expect(try JSON(parsing: text).serialized() == expected)
  }

  @Test("only quotes, backslashes and controls are escaped")
  func minimalEscapes() {
    let text = "\" \\ / \u{8} \u{c} \n \r \t \0 \u{1f} \u{7f} \u{85} é 日 😀 \u{2028}"
    let expected =
      #""\" \\ / \b \f \n \r \t \u0000 \u001F "# + "\u{7f} \u{85} é 日 😀 \u{2028}\""
    #expect(JSON.string(text).serialized() == expected)
    #expect(JSON.string(text).serialized(.canonical) == expected)
  }

  @Test("terminal controls and separators are escaped on demand")
  func separators() {
    let text = JSON.string("é\u{7f}\u{80}\u{9f}\u{a0}\u{2028}\u{2029}\u{202a}\n\"")
    #expect(
      text.serialized(.compact.escapingSeparators)
        == "\"é\\u007F\\u0080\\u009F\u{a0}\\u2028\\u2029\u{202a}\\n\\\"\"")
  }

  @Test("compact keeps the order of members, canonical sorts by bytes")
  func order() {
    let value: JSON = [
      "b": 1, "a": ["z": [], "": [:]], "é": 2, "e\u{301}": 3, "longer key": 4, "longer kez": 5,
      "longer ke": 6, "\u{FF5E}": 7, "😀": 8,
    ]
    #expect(
      value.serialized()
        == "{\"b\":1,\"a\":{\"z\":[],\"\":{}},\"é\":2,\"e\u{301}\":3,\"longer key\":4,"
        + "\"longer kez\":5,\"longer ke\":6,\"\u{FF5E}\":7,\"😀\":8}")
    #expect(
      value.serialized(.canonical)
        == "{\"a\":{\"\":{},\"z\":[]},\"b\":1,\"e\u{301}\":3,\"longer ke\":6,\"longer key\":4,"
        + "\"longer kez\":5,\"é\":2,\"\u{FF5E}\":7,\"😀\":8}")
  }

  @Test("pretty indents by two spaces and keeps empty containers on one line")
  func pretty() {
    let value: JSON = ["a": [1, [:], []], "b": ["c": nil]]
    let expected = """
      {
        "a": [
          1,
          {},
          []
        ],
        "b": {
          "c": null
        }
      }
      """
    #expect(value.serialized(.pretty) == expected)
  }
}
