import Core
import TestSupport

/// Random selectors over the fields of `QueryJSON`'s documents.
enum QuerySelectors {
  static let paths = [
    "a", "b", "c", "aa", "a\\.b", "é", "0", "1", "\\$x", "a b", "a!", "list", "Z", "a.b", "a.a",
    "a.0",
    "b.1", "list.0", "list.0.a", "a.b.c", "_id", "_rev", "_deleted", "nofield", "x\u{1}", "a\"b",
  ]

  /// Few paths, so that selectors meet each other's and an index's.
  static let fewPaths = ["a", "a", "b", "b", "c", "list", "a.b", "_id"]

  static func json(
    depth: Int = 3, few: Bool = false, using random: inout SeededGenerator
  ) -> JSON {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 6), using: &random) {
    case 0..<4:
      return .object([path(few, using: &random): operators(depth: depth, using: &random)])
    case 4, 5:
      var members = JSONObject()
      for _ in 0..<Int.random(in: 2...4, using: &random) {
        members[path(few, using: &random)] = operators(depth: depth, using: &random)
      }
      return .object(members)
    case 6: return ["$and": list(depth: depth - 1, few, using: &random)]
    case 7: return ["$or": list(depth: depth - 1, few, using: &random)]
    case 8: return ["$nor": list(depth: depth - 1, few, using: &random)]
    default: return ["$not": json(depth: depth - 1, few: few, using: &random)]
    }
  }

  private static func path(_ few: Bool, using random: inout SeededGenerator) -> String {
    (few ? fewPaths : paths).randomElement(using: &random) ?? "a"
  }

  private static func list(depth: Int, _ few: Bool, using random: inout SeededGenerator) -> JSON {
    .array(
      (0..<Int.random(in: 1...3, using: &random)).map { _ in
        json(depth: depth, few: few, using: &random)
      })
  }

  /// One or two operators, or a plain value.
  private static func operators(depth: Int, using random: inout SeededGenerator) -> JSON {
    if Int.random(in: 0..<6, using: &random) == 0 {
      return QueryJSON.value(depth: 1, using: &random)
    }
    var members = JSONObject()
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let (name, value) = condition(depth: depth, using: &random)
      members[name] = value
    }
    return .object(members)
  }

  private static func condition(
    depth: Int, using random: inout SeededGenerator
  ) -> (String, JSON) {
    func value() -> JSON { QueryJSON.value(depth: 2, using: &random) }
    func values() -> JSON {
      .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value() })
    }
    switch Int.random(in: 0..<20, using: &random) {
    case 0, 1: return ("$gt", value())
    case 2: return ("$gte", value())
    case 3, 4: return ("$lt", value())
    case 5: return ("$lte", value())
    case 6, 7: return ("$eq", value())
    case 8: return ("$ne", value())
    case 9: return ("$in", values())
    case 10: return ("$nin", values())
    case 11: return ("$all", values())
    case 12: return ("$exists", .bool(Bool.random(using: &random)))
    case 13:
      let types = ["null", "boolean", "number", "string", "array", "object", "?"]
      return ("$type", .string(types.randomElement(using: &random) ?? "null"))
    case 14: return ("$size", .integer(Int64.random(in: 0...3, using: &random)))
    case 15:
      return (
        "$mod",
        [
          .integer(Int64.random(in: -3...7, using: &random)),
          .integer(Int64.random(in: -2...2, using: &random)),
        ]
      )
    case 16:
      return (
        "$regex",
        .string(["^a", "b$", "[é\n]", "", "(?i)milk"].randomElement(using: &random) ?? "")
      )
    case 17:
      return ("$beginsWith", .string(QueryJSON.strings.randomElement(using: &random) ?? ""))
    default: return nested(depth: depth, using: &random)
    }
  }

  private static func nested(
    depth: Int, using random: inout SeededGenerator
  ) -> (String, JSON) {
    let name = ["$elemMatch", "$allMatch", "$keyMapMatch", "$not"].randomElement(using: &random)
    let inner: JSON
    if depth > 0, Bool.random(using: &random), name != "$not" {
      inner = json(depth: depth - 1, using: &random)
    } else {
      let (name, value) = condition(depth: 0, using: &random)
      inner = .object([name: value])
    }
    return (name ?? "$not", inner)
  }
}
