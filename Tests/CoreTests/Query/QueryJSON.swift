import Core
import TestSupport

/// Random values and documents, mostly the ones that go wrong.
enum QueryJSON {
  static let strings = [
    "", "a", "b", "A", "aa", "ab", "a b", "a\"b", "a\\b", "a/b", "a\nb", "\u{0}", "a\u{0}b",
    "\u{1}",
    "\u{7F}", "é", "e\u{301}", "ä", "Ä", "ß", "日本", "😀", "\u{FFFF}", "\u{10FFFF}",
    "zzzzzzzzzzzzzzzz",
    "milk", "Milk", "MÌLK and eggs", "null", "1", "a\tb", "\u{2028}", "x\u{1F}y",
    "long long long text",
  ]

  static let numbers: [JSON] = [
    0, 1, 2, 3, -1, 10, 100, 1.0, 1.5, -1.5, 0.0, 100.0, 1e3, 1e300, -1e300,
    .double(.leastNonzeroMagnitude), 0.1, 1e-7,
    9_007_199_254_740_992, 9_007_199_254_740_993, 9007199254740992.0, 9_223_372_036_854_775_807,
    -9_223_372_036_854_775_808, .bigInteger("9223372036854775808"),
    .bigInteger("-123456789012345678901234567890"), .bigInteger("100000000000000000000"), 1e20,
  ]

  static let keys = [
    "a", "b", "c", "aa", "a.b", "a\"b", "a\\", "é", "0", "1", "$x", "a b", "a!", "list", "x\u{1}",
    "Z",
  ]

  static func value(depth: Int, using random: inout SeededGenerator) -> JSON {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &random) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &random))
    case 2, 3: return numbers.randomElement(using: &random) ?? 0
    case 4, 5, 6: return .string(strings.randomElement(using: &random) ?? "")
    case 7, 8:
      let count = Int.random(in: 0..<4, using: &random)
      return .array((0..<count).map { _ in value(depth: depth - 1, using: &random) })
    default: return .object(object(depth: depth - 1, using: &random))
    }
  }

  /// Few names, so that documents have the fields that queries ask for.
  static let fewKeys = ["a", "b", "c", "list", "a", "b"]

  static func object(
    depth: Int, few: Bool = false, using random: inout SeededGenerator
  ) -> JSONObject {
    var members = JSONObject()
    for _ in 0..<Int.random(in: 0..<5, using: &random) {
      let key = (few ? fewKeys : keys).randomElement(using: &random)
      members[key ?? "a"] = value(depth: depth, using: &random)
    }
    return members
  }
}
