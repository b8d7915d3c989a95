extension JSON {
  /// Makes a `Decodable` value of this JSON.
  ///
  /// A whole number is read from an integer or from a double without fraction (`1.0`), a
  /// floating-point number from any number, a date from an RFC 3339 string or from seconds since
  /// 2001. Members the type does not ask for are ignored.
  ///
  /// - Parameter type: the type to make.
  /// - Returns: the value.
  /// - Throws: `DecodingError` with the path of the member that does not fit.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try TreeDecoder(json: self, codingPath: []).decode(type)
  }
}

/// The decoder that a type's `init(from:)` sees: a value and the path to it.
struct TreeDecoder: Decoder {
  let json: JSON
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let object) = json else { throw mismatch([String: JSON].self) }
    return KeyedDecodingContainer(KeyedDecoding<Key>(object: object, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = json else { throw mismatch([JSON].self) }
    return UnkeyedDecoding(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    SingleValueDecoding(decoder: self)
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let value = json as? Value { return value }
    if case .string(let text) = json, FoundationDate.isDate(type) {
      guard let seconds = FoundationDate.secondsSince2001(text) else {
        throw corrupted("'\(text)' is no RFC 3339 date")
      }
      return try Value(from: TreeDecoder(json: .double(seconds), codingPath: codingPath))
    }
    return try Value(from: self)
  }

  func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
    let value: Value? =
      switch json {
      case .integer(let number): Value(exactly: number)
      case .double(let number): Value(exactly: number)
      case .bigInteger(let digits): Value(digits)
      default: throw mismatch(type)
      }
    guard let value else { throw corrupted("\(json) does not fit \(type)") }
    return value
  }

  func double() throws -> Double {
    guard let value = json.doubleValue else { throw mismatch(Double.self) }
    return value
  }

  func mismatch(_ type: any Any.Type) -> DecodingError {
    if json.isNull {
      return .valueNotFound(type, .init(codingPath: codingPath, debugDescription: "found null"))
    }
    return .typeMismatch(
      type, .init(codingPath: codingPath, debugDescription: "found \(json.kindName)"))
  }

  func corrupted(_ reason: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath, debugDescription: reason))
  }
}

extension JSON {
  /// What kind of value this is, for messages: `a string`.
  package var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "a Boolean"
    case .integer, .double, .bigInteger: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
