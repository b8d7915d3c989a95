extension JSON {
  /// The JSON of an `Encodable` value.
  ///
  /// Whole numbers become integers, floating-point numbers doubles, dates RFC 3339 strings in UTC
  /// (`2026-11-30T10:05:00Z`, milliseconds when there are any). A ``JSON`` inside is taken as it is.
  /// Members stand in the order in which the type encodes them; whether `nil` is left out or written
  /// as `null` is the type's decision (`encodeIfPresent` or `encode`).
  ///
  /// - Parameter value: any value.
  /// - Throws: `EncodingError` for a number that is not finite and for what the type itself throws.
  public init(encoding value: some Encodable) throws {
    let node = EncodedNode()
    try node.encode(value, at: [])
    self = node.json
  }
}

/// A value that is being encoded: what an encoder's containers write into.
///
/// It is a class because `Encoder` hands out containers that outlive the call that made them and may
/// be filled in any order.
final class EncodedNode {
  private enum Content {
    case nothing
    case value(JSON)
    case elements([EncodedNode])
    case members([(String, EncodedNode)])
  }

  private var content = Content.nothing

  /// The finished tree.
  ///
  /// A type that encodes nothing becomes an empty object, as in Foundation.
  var json: JSON {
    switch content {
    case .nothing: [:]
    case .value(let value): value
    case .elements(let nodes): .array(nodes.map(\.json))
    case .members(let pairs): .object(JSONObject(pairs.map { ($0.0, $0.1.json) }))
    }
  }

  var elementCount: Int {
    guard case .elements(let nodes) = content else { return 0 }
    return nodes.count
  }

  func set(_ value: JSON) {
    content = .value(value)
  }

  func beginObject() {
    if case .members = content { return }
    content = .members([])
  }

  func beginArray() {
    if case .elements = content { return }
    content = .elements([])
  }

  /// A new node that becomes the member `key`.
  func addMember(_ key: String) -> EncodedNode {
    guard case .members(var pairs) = content else {
      preconditionFailure("a member was encoded into a value that is no object")
    }
    content = .nothing
    let node = EncodedNode()
    pairs.append((key, node))
    content = .members(pairs)
    return node
  }

  /// A new node that becomes the next element.
  func addElement() -> EncodedNode {
    guard case .elements(var nodes) = content else {
      preconditionFailure("an element was encoded into a value that is no array")
    }
    content = .nothing
    let node = EncodedNode()
    nodes.append(node)
    content = .elements(nodes)
    return node
  }

  func encode(_ value: some Encodable, at path: [any CodingKey]) throws {
    if let json = value as? JSON {
      set(json)
      return
    }
    try value.encode(to: TreeEncoder(node: self, codingPath: path))
    // Foundation's dates encode as seconds since 2001; the type is known by name, since importing
    // Foundation would cost every run of the program.
    if case .value(.double(let seconds)) = content, FoundationDate.isDate(type(of: value)) {
      guard let text = FoundationDate.text(secondsSince2001: seconds) else {
        throw EncodingError.invalidValue(
          value, .init(codingPath: path, debugDescription: "date outside the years 1 to 9999"))
      }
      set(.string(text))
    }
  }

  func encode(_ value: Double, at path: [any CodingKey]) throws {
    guard value.isFinite else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: path, debugDescription: "JSON has no infinity and no NaN"))
    }
    set(.double(value))
  }

  func encode(_ value: some BinaryInteger) {
    set(Int64(exactly: value).map { .integer($0) } ?? .bigInteger(String(value)))
  }
}

/// The encoder that a type's `encode(to:)` sees.
struct TreeEncoder: Encoder {
  let node: EncodedNode
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.beginObject()
    return KeyedEncodingContainer(KeyedEncoding<Key>(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.beginArray()
    return UnkeyedEncoding(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleValueEncoding(node: node, codingPath: codingPath)
  }
}

/// A coding key made of a name or a place.
struct TreeKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }

  /// The key that inherited classes encode their superclass under.
  static let superclass = TreeKey(stringValue: "super")
}
