import Core
import TestSupport
import Testing

struct QueryCollationTests {
  /// Objects of two members whose keys CouchDB keeps in the order they were written.
  static let orderSensitive = Set([#"{"b":2,"a":1}"#])

  static func recordedKeys(_ name: String) throws -> [JSON] {
    let vector = try #require(
      QueryVectors.cases("collation").first { QueryVectors.name($0) == name })
    return try #require(vector["keys"]?.arrayValue).filter {
      !orderSensitive.contains($0.serialized())
    }
  }

  @Test("unicode order is CouchDB's view order")
  func unicodeOrder() throws {
    let keys = try Self.recordedKeys("view_order")
    for (index, key) in keys.enumerated().dropFirst() {
      #expect(Collation.unicode.compare(keys[index - 1], key) <= 0, "\(key.serialized())")
      #expect(CollationKey(keys[index - 1], .unicode) <= CollationKey(key, .unicode))
    }
  }

  @Test("keys that collate equal in CouchDB are equal in unicode order")
  func groups() throws {
    for vector in try QueryVectors.cases("collation") {
      for group in vector["groups"]?.arrayValue ?? [] {
        let keys = group.arrayValue ?? []
        for key in keys.dropFirst() {
          #expect(Collation.unicode.compare(keys[0], key) == 0, "\(key.serialized())")
          #expect(CollationKey(keys[0], .unicode) == CollationKey(key, .unicode))
        }
      }
    }
  }

  @Test(
    "numbers order by exact value, and equal values have equal keys",
    arguments: [
      [
        "-1e300", "-9007199254740993", "-9007199254740992", "-10", "-1.5", "-1", "-1e-300", "0",
        "5e-324", "1e-7", "0.1", "0.25", "0.5", "1", "1.0000000000000002", "2", "9.5", "10", "11",
        "99",
        "100", "101", "9007199254740992", "9007199254740993", "9223372036854775807",
        "9223372036854775808", "123456789012345678901234567890", "1e30", "1e31", "1e300",
      ]
    ])
  func numbers(ascending texts: [String]) throws {
    let values = try texts.map { try JSON(parsing: $0) }
    for (i, a) in values.enumerated() {
      for (j, b) in values.enumerated() {
        let expected = i < j ? -1 : i > j ? 1 : 0
        #expect(Collation.codePoint.compare(a, b).signum() == expected, "\(texts[i]) \(texts[j])")
        let keys = (CollationKey(a), CollationKey(b))
        #expect((keys.0 < keys.1) == (expected < 0), "\(texts[i]) \(texts[j])")
        #expect((keys.0 == keys.1) == (expected == 0))
      }
    }
  }

  @Test(
    "equal numbers written differently are equal",
    arguments: [
      ("1", "1.0"), ("100", "1e2"), ("0", "0.0"), ("0", "-0.0"), ("1e18", "1000000000000000000"),
      ("1.5", "15e-1"), ("1e20", "100000000000000000000"),
    ])
  func equalNumbers(a: String, b: String) throws {
    let left = try JSON(parsing: a)
    let right = try JSON(parsing: b)
    #expect(Collation.codePoint.compare(left, right) == 0)
    #expect(CollationKey(left) == CollationKey(right))
  }

  @Test("key order is comparator order, and no key begins another", arguments: Collation.allCases)
  func keysAgree(collation: Collation) {
    var random = SeededGenerator(for: "keysAgree")
    let values = (0..<300).map { _ in QueryJSON.value(depth: 3, using: &random) }
    let keys = values.map { CollationKey($0, collation) }
    for (i, a) in values.enumerated() {
      for (j, b) in values.enumerated() {
        let order = collation.compare(a, b).signum()
        let byKey = keys[i] < keys[j] ? -1 : keys[j] < keys[i] ? 1 : 0
        guard order == byKey, order == 0 || !keys[i].bytes.starts(with: keys[j].bytes) else {
          Issue.record("\(a.serialized()) and \(b.serialized()): \(order), by key \(byKey)")
          return
        }
      }
    }
  }
}
