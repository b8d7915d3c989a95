import Core
import Testing

/// A list of texts in the manner of the public JSON test suites.
///
/// What must be read, what must be refused, and what a parser may decide, with what ours decides.
/// Bytes outside ASCII are written `<XX>`.
struct JSONConformanceTests {
  private static func bytes(_ text: String) -> [UInt8] {
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "<"), rest.count >= 3, rest[rest.startIndex + 2] == UInt8(ascii: ">"),
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        result.append(value)
        rest.removeFirst(3)
      } else {
        result.append(byte)
      }
    }
    return result
  }

  @Test(
    "must be read",
    arguments: [
      "[]", "{}", "[ ]", "{ }", "[[]   ]", "[\"\"]", "[null, 1, \"1\", {}]", "[1\n]", " [1]",
      "[2] ",
      "\"\"", "\" \"", "42", "-0.1", "true", "\"asd\"", "null", "[null,null,null]",
      "[1,null,null,2]",
      "[123e65]", "[0e+1]", "[0e1]", "[ 4]", "[-0.000000000000000000000000000000000000000000001]",
      "[20e1]", "[-0]", "[-123]", "[-1]", "[1E22]", "[1E-2]", "[1E+2]", "[123e45]", "[123.456e78]",
      "[1e-2]", "[1e+2]", "[123]", "[123.456789]", "{\"asd\":\"sdf\", \"dfg\":\"fgh\"}",
      "{\"a\":\"b\",\"a\":\"c\"}", "{\"a\":\"b\",\"a\":\"b\"}", "{\"\":0}",
      "{\"foo\\u0000bar\": 42}",
      "{ \"min\": -1.0e+28, \"max\": 1.0e+28 }", "{\"a\":[]}", "{\n\"a\": \"b\"\n}",
      "[\"\\u0060\\u012a\\u12AB\"]", "[\"\\uD801\\udc37\"]", "[\"\\ud83d\\ude39\\ud83d\\udc8d\"]",
      "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[\"\\\\u0000\"]", "[\"\\\\a\"]", "[\"\\\\n\"]",
      "[\"\\u0012\"]", "[\"\\uFFFF\"]", "[\"a/*b*/c/*d//e\"]", "[\"new\\u00A0line\"]",
      "[\"<F4><8F><BF><BF>\"]", "[\"<EF><BF><BF>\"]", "[\"\\u0000\"]", "[\"\\u002c\"]",
      "[\"<CF><80>\"]", "[\"<F0><9B><BF><BF>\"]", "[\"asd \"]", "[\"\\u0821\"]", "[\"\\u0123\"]",
      "[\"<E2><80><A8>\"]", "[\"<E2><80><A9>\"]", "[\"\\u0061\\u30af\\u30EA\\u30b9\"]",
      "[\"<7F>\"]",
      "[\"\\uA66D\"]", "[\"\\u005C\"]", "[\"<E2><8D><82><E3><88><B4><E2><8D><82>\"]",
      "[\"\\uDBFF\\uDFFE\"]", "[\"\\u200B\"]", "[\"\\u2064\"]", "[\"\\uFDD0\"]", "[\"\\uFFFE\"]",
      "[\"\\u0022\"]", "[\"<C2><AA>\"]", "\t[\r\n1\t]\n",
    ])
  func accepted(text: String) throws {
    let value = try JSON(parsing: Self.bytes(text))
    #expect(try JSON(parsing: value.serialized()) == value)
  }

  @Test(
    "must be refused",
    arguments: [
      "[1 true]", "[a<E5>]", "[\"\": 1]", "[\"\"],", "[,1]", "[1,,2]", "[\"x\",,]", "[\"x\"]]",
      "[\"\",]", "[\"x\"", "[x", "[3[4]]", "[<FF>]", "[1:2]", "[,]", "[-]", "[   , \"\"]",
      "[\"a\",\n4\n,1,", "[1,]", "[1,\n1\n,1", "[*]", "[\"\"", "[1,", "[{}", "[fals]", "[nul]",
      "[tru]", "123<00>", "[++1234]", "[+1]", "[+Inf]", "[-01]", "[-1.0.]", "[-2.]", "[-NaN]",
      "[.-1]", "[.2e-3]", "[0.1.2]", "[0.3e+]", "[0.3e]", "[0.e1]", "[0E+]", "[0E]", "[0e+]",
      "[0e]",
      "[1.0e+]", "[1.0e-]", "[1.0e]", "[1 000.0]", "[1eE2]", "[2.e+3]", "[2.e-3]", "[2.e3]",
      "[9.e+]", "[Inf]", "[NaN]", "[1+2]", "[0x1]", "[0x42]", "[Infinity]", "[0e+-1]",
      "[-123.123foo]",
      "[123<E5>]", "[1e1<E5>]", "[0<E5>]", "[-Infinity]", "[-foo]", "[- 1]", "[-012]", "[-.123]",
      "[-1x]", "[1ea]", "[1e<E5>]", "[1.]", "[.123]", "[1.2a-3]", "[1.8011670033376514H-308]",
      "[012]",
      "[\"x\", truth]", "{[: \"x\"}", "{\"x\", null}", "{\"x\"::\"b\"}", "{<F0><9F><87><A8>}",
      "{\"a\":\"a\" 123}", "{key: 'value'}", "{\"a\" b}", "{:\"b\"}", "{\"a\" \"b\"}", "{\"a\":",
      "{\"a\"",
      "{1:1}", "{9999E9999:1}", "{null:null}", "{\"id\":0,,,,,}", "{'a':0}", "{\"id\":0,}",
      "{\"a\":\"b\"}/**/", "{\"a\":\"b\"}/**//", "{\"a\":\"b\"}//", "{\"a\":\"b\",,\"c\":\"d\"}",
      "{a: \"b\"}", "{\"a\":\"a", "{ \"foo\" : \"bar\", \"a\" }", "{\"a\":\"b\"}#", " ",
      "[\"\\uD800\\\"]", "[\"\\uD800\\u\"]", "[\"\\uD800\\u1\"]", "[\"\\uD800\\u1x\"]",
      "[<C3><A9>]",
      "[\"\\<00>\"]", "[\"\\x00\"]", "[\"\\\\\\\"]", "[\"\\<09>\"]", "[\"\\<F0><9F><8C><80>\"]",
      "[\"\\\"]", "[\"\\u00A\"]", "[\"\\uD834\\uDd\"]", "[\"\\uD800\\uD800\\x\"]", "[\"\\u<E5>\"]",
      "[\"\\a\"]", "[\"\\uqqqq\"]", "[\"\\<E5>\"]", "[\\u0020\"asd\"]", "[\\n]", "\"",
      "['single quote']",
      "abc", "[\"\\", "[\"a<00>a\"]", "[\"new\nline\"]", "[\"\t\"]", "\"\\UA66D\"", "\"\"x",
      "<E2><81><A0>", "<EF><BB><BF>", "<.>", "[<null>]", "[1]x", "[1]]", "[\"asd]", "a<C3><A5>",
      "[True]", "1]", "{\"x\": true,", "[][]", "]", "{}}", "{\"\":\"\",\"", "", "[", "{",
      "[{\"\":[",
      "{\"a\":/*comment*/\"b\"}", "{\"a\": true} \"x\"", "['", "[\"a", "[\"a\"", "{[", "{,", "{\"a",
      "{'a'", "[\"\\{[\"\\{[\"\\{[\"\\{", "<E9>", "*", "{\"a\":\"b\"}#{}", "[\\u000A\"\"]", "[1",
      "{\"asd\":\"asd\"", "<C3><A5>", "[<E2><81><A0>]", "[<0C>]", "2@", "1e5 6",
    ])
  func refused(text: String) {
    #expect(throws: JSONError.self) { try JSON(parsing: Self.bytes(text)) }
  }

  @Test(
    "ours to decide: refused, since data would be lost or changed",
    arguments: [
      "[123.456e-789]:", "[0.4e00669999999999999999999999999999999999999999999999999969999999006]",
      "[-1e+9999]", "[1.5e+9999]", "[123123e100000]", "[\"\\uDADA\"]", "[\"\\uD888\\u1234\"]",
      "[\"\\uD800\\n\"]", "[\"\\uDd1ea\"]", "[\"\\uD800\\uD800\\n\"]", "[\"\\ud800\"]",
      "[\"\\ud800abc\"]", "[\"<FF>\"]", "[\"\\uDd1e\\uD834\"]", "[\"<C0><80>\"]",
      "[\"<E6><97><A5><D1><88><FA>\"]", "[\"<F4><BF><BF><BF>\"]", "[\"<ED><A0><80>\"]",
      "[\"<81>\"]", "[\"<E0><FF>\"]", "[\"<FC><80><80><80><80><80>\"]", "<EF><BB><BF>{}",
      "<FF><FE>[<00>\"<00>",
    ])
  func decidedAgainst(text: String) {
    #expect(throws: JSONError.self) { try JSON(parsing: Self.bytes(text)) }
  }

  @Test("ours to decide: numbers that are too small become zero, long integers keep their digits")
  func decidedFor() throws {
    #expect(try JSON(parsing: "[123.456e-789]") == [0.0])
    #expect(try JSON(parsing: "[1e-10000]") == [0.0])
    let digits = "-" + String(repeating: "1234567890", count: 50)
    #expect(try JSON(parsing: digits) == .bigInteger(digits))
    #expect(try JSON(parsing: "0" + ".0" + String(repeating: "1", count: 400)).doubleValue != nil)
  }
}
