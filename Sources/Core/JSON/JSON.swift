/// A JSON value as a tree, for callers that build or edit documents.
///
/// Numbers survive a round trip: an integer stays an integer, `1.0` stays a double, an integer beyond
/// `Int64` keeps its digits. Two values are equal when they have the same structure: strings and keys
/// compare as UTF-8 bytes (not by canonical equivalence), members of an object in any order, and
/// `.integer(1)` differs from `.double(1)`.
///
/// Reading many documents without editing them is ``JSONTape``'s job: it makes no tree.
public enum JSON: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number written without fraction and exponent that fits 64 bits. `-0` is read as `0`.
  case integer(Int64)
  /// A number written with a fraction or an exponent. Always finite.
  case double(Double)
  /// A number written without fraction and exponent beyond `Int64`: its digits, with the sign.
  case bigInteger(String)
  /// A string. Always valid Unicode; may hold U+0000.
  case string(String)
  /// An array.
  case array([JSON])
  /// An object, its members in the order they were written.
  case object(JSONObject)

  /// How deep arrays and objects may be nested in a text that is parsed: 512.
  public static let maximumDepth = 512
}

extension JSON {
  /// The Boolean, or `nil` when this is something else.
  public var boolValue: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  /// The 64-bit integer, or `nil` when this is something else (also for `1.0`).
  public var integerValue: Int64? {
    guard case .integer(let value) = self else { return nil }
    return value
  }

  /// The nearest `Double` of any number, or `nil` when this is no number.
  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    case .bigInteger(let digits): Double(digits)
    default: nil
    }
  }

  /// The string, or `nil` when this is something else.
  public var stringValue: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  /// The elements, or `nil` when this is no array.
  public var arrayValue: [JSON]? {
    guard case .array(let value) = self else { return nil }
    return value
  }

  /// The members, or `nil` when this is no object.
  public var objectValue: JSONObject? {
    guard case .object(let value) = self else { return nil }
    return value
  }

  /// Whether this is `null`.
  public var isNull: Bool {
    guard case .null = self else { return false }
    return true
  }

  /// The member `key` of an object; `nil` when it is absent or this is no object.
  ///
  /// Setting `nil` removes the member. Setting a member of `null` makes it an object first; setting a
  /// member of any other value is a programmer's mistake.
  public subscript(key: String) -> JSON? {
    get {
      guard case .object(let object) = self else { return nil }
      return object[key]
    }
    set {
      var object: JSONObject
      switch self {
      case .object(let value): object = value
      case .null: object = JSONObject()
      default: preconditionFailure("a member was set on a JSON value that is no object")
      }
      // Dropping our own reference first lets the object be changed in place.
      self = .null
      object[key] = newValue
      self = .object(object)
    }
  }

  /// The element at `index` of an array; `nil` when it is out of range or this is no array.
  public subscript(index: Int) -> JSON? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }
}

extension JSON: Hashable {
  /// Whether both values have the same structure; see ``JSON``.
  public static func == (a: JSON, b: JSON) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let x), .bool(let y)): x == y
    case (.integer(let x), .integer(let y)): x == y
    case (.double(let x), .double(let y)): x == y
    case (.bigInteger(let x), .bigInteger(let y)): utf8Equal(x, y)
    case (.string(let x), .string(let y)): utf8Equal(x, y)
    case (.array(let x), .array(let y)): x == y
    case (.object(let x), .object(let y)): x == y
    default: false
    }
  }

  /// Hashes the structure, so that equal values hash alike.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value):
      hasher.combine(1)
      hasher.combine(value)
    case .integer(let value):
      hasher.combine(2)
      hasher.combine(value)
    case .double(let value):
      hasher.combine(3)
      hasher.combine(value)
    case .bigInteger(let digits):
      hasher.combine(4)
      hashUTF8(of: digits, into: &hasher)
    case .string(let value):
      hasher.combine(5)
      hashUTF8(of: value, into: &hasher)
    case .array(let elements):
      hasher.combine(6)
      hasher.combine(elements)
    case .object(let object):
      hasher.combine(7)
      hasher.combine(object)
    }
  }
}
