extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  /// JSON's `null`.
  ///
  /// Beware of `condition ? json : nil` where a `JSON?` is wanted: both arms are taken for `JSON`, so
  /// that the result is `.null`, not `nil`. `guard … else { return nil }` says what is meant.
  public init(nilLiteral: ()) {
    self = .null
  }

  /// A Boolean.
  public init(booleanLiteral value: Bool) {
    self = .bool(value)
  }

  /// A 64-bit integer.
  public init(integerLiteral value: Int64) {
    self = .integer(value)
  }
}

extension JSON: ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
  /// A double.
  public init(floatLiteral value: Double) {
    self = .double(value)
  }

  /// A string.
  public init(stringLiteral value: String) {
    self = .string(value)
  }
}

extension JSON: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// An array.
  public init(arrayLiteral elements: JSON...) {
    self = .array(elements)
  }

  /// An object, its members in the order written; of equal keys the last wins.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(JSONObject(elements))
  }
}

extension JSON: CustomStringConvertible {
  /// The compact text.
  public var description: String { serialized() }
}
