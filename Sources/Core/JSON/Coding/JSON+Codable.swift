/// JSON inside a `Codable` type: a member whose shape is not known beforehand.
extension JSON: Codable {
  /// Encodes the value with any encoder.
  ///
  /// A big integer becomes a number in our own encoder only; an
  /// encoder of another library gets its digits as a string.
  ///
  /// - Parameter encoder: where to.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .object(let object):
      var container = encoder.container(keyedBy: TreeKey.self)
      for member in object {
        try container.encode(member.value, forKey: TreeKey(stringValue: member.key))
      }
    default:
      var container = encoder.singleValueContainer()
      switch self {
      case .bool(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .double(let value): try container.encode(value)
      case .bigInteger(let text), .string(let text): try container.encode(text)
      case .null, .array, .object: try container.encodeNil()
      }
    }
  }

  /// Decodes any JSON value with any decoder.
  ///
  /// - Parameter decoder: where from.
  /// - Throws: what the decoder throws.
  public init(from decoder: any Decoder) throws {
    if let tree = decoder as? TreeDecoder {
      self = tree.json
    } else if let container = try? decoder.container(keyedBy: TreeKey.self) {
      var object = JSONObject()
      for key in container.allKeys {
        object.append(key: key.stringValue, value: try container.decode(JSON.self, forKey: key))
      }
      self = .object(object)
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [JSON] = []
      while !container.isAtEnd { elements.append(try container.decode(JSON.self)) }
      self = .array(elements)
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? container.decode(Int64.self) {
        self = .integer(value)
      } else if let value = try? container.decode(Double.self) {
        self = .double(value)
      } else {
        self = .string(try container.decode(String.self))
      }
    }
  }
}
