/// How strings are ordered in sorting, ranges and indexes.
///
/// Other types are ordered alike in both: null < false < true < numbers < strings < arrays < objects.
/// Document ids are always compared as bytes, as CouchDB does.
public enum Collation: String, Sendable, Hashable, CaseIterable {
  /// By code point, which is the order of the UTF-8 bytes: fast, and the same everywhere.
  case codePoint = "codepoint"
  /// By the root order of the Unicode Collation Algorithm, as CouchDB: `a` < `A` < `ä` < `b`. Strings
  /// that this order does not tell apart are equal. Needs ICU.
  case unicode

  /// Compares two values.
  ///
  /// Objects compare member by member in the order of their sorted keys, first the key, then the
  /// value; of two that agree so far the shorter is smaller.
  ///
  /// - Parameters:
  ///   - a: the left value.
  ///   - b: the right value.
  /// - Returns: negative, zero or positive as `a` is smaller than, equal to or greater than `b`.
  public func compare(_ a: JSON, _ b: JSON) -> Int {
    let left = Self.rank(of: a)
    let right = Self.rank(of: b)
    guard left == right else { return left < right ? -1 : 1 }
    switch (a, b) {
    case (.string(let x), .string(let y)): return compare(x, y)
    case (.array(let x), .array(let y)):
      for (element, other) in zip(x, y) {
        let order = compare(element, other)
        if order != 0 { return order }
      }
      return Self.sign(x.count - y.count)
    case (.object(let x), .object(let y)):
      for (member, other) in zip(Self.sorted(x), Self.sorted(y)) {
        var order = compare(member.key, other.key)
        if order == 0 { order = compare(member.value, other.value) }
        if order != 0 { return order }
      }
      return Self.sign(x.count - y.count)
    default: return left == Self.numberRank ? Self.compareNumbers(a, b) : 0
    }
  }

  /// Compares two strings; see ``compare(_:_:)-(JSON,_)``.
  public func compare(_ a: String, _ b: String) -> Int {
    switch self {
    case .codePoint: utf8Less(a, b) ? -1 : utf8Less(b, a) ? 1 : 0
    case .unicode: UnicodeCollator.shared.compare(a, b)
    }
  }

  private static let numberRank = 3

  private static func rank(of value: JSON) -> Int {
    switch value {
    case .null: 0
    case .bool(false): 1
    case .bool(true): 2
    case .integer, .double, .bigInteger: numberRank
    case .string: 4
    case .array: 5
    case .object: 6
    }
  }

  private static func compareNumbers(_ a: JSON, _ b: JSON) -> Int {
    if case .integer(let x) = a, case .integer(let y) = b { return x < y ? -1 : x > y ? 1 : 0 }
    if case .double(let x) = a, case .double(let y) = b { return x < y ? -1 : x > y ? 1 : 0 }
    return withNumberText(a) { left, leftEnd in
      withNumberText(b) { right, rightEnd in
        DecimalText.compare(DecimalText(left, leftEnd), DecimalText(right, rightEnd))
      }
    }
  }

  private static func withNumberText(
    _ number: JSON, _ body: (UnsafePointer<UInt8>, UnsafePointer<UInt8>) -> Int
  ) -> Int {
    let bytes = number.serializedBytes(.canonical)
    return bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      return body(base, base + buffer.count)
    }
  }

  private static func sorted(_ object: JSONObject) -> [JSONObject.Element] {
    object.sorted { utf8Less($0.key, $1.key) }
  }

  private static func sign(_ difference: Int) -> Int {
    difference < 0 ? -1 : difference > 0 ? 1 : 0
  }
}
