/// Writes one value; the other containers are made of these.
struct SingleValueEncoding: SingleValueEncodingContainer {
  let node: EncodedNode
  let codingPath: [any CodingKey]

  func encodeNil() { node.set(.null) }
  func encode(_ value: Bool) { node.set(.bool(value)) }
  func encode(_ value: String) { node.set(.string(value)) }
  func encode(_ value: Double) throws { try node.encode(value, at: codingPath) }
  func encode(_ value: Float) throws {
    // The shortest digits of the float, not those of the double nearest to it: 0.1, not
    // 0.10000000149011612.
    try node.encode(Double(value.description) ?? Double(value), at: codingPath)
  }
  func encode(_ value: Int) { node.encode(value) }
  func encode(_ value: Int8) { node.encode(value) }
  func encode(_ value: Int16) { node.encode(value) }
  func encode(_ value: Int32) { node.encode(value) }
  func encode(_ value: Int64) { node.encode(value) }
  func encode(_ value: UInt) { node.encode(value) }
  func encode(_ value: UInt8) { node.encode(value) }
  func encode(_ value: UInt16) { node.encode(value) }
  func encode(_ value: UInt32) { node.encode(value) }
  func encode(_ value: UInt64) { node.encode(value) }
  func encode(_ value: some Encodable) throws { try node.encode(value, at: codingPath) }
}

/// Writes the members of an object.
///
/// The typed variants of `encode` that the protocol lists all come
/// down to the generic one, since every primitive encodes itself into a single-value container.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: EncodedNode
  let codingPath: [any CodingKey]

  func encodeNil(forKey key: Key) {
    node.addMember(key.stringValue).set(.null)
  }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    try node.addMember(key.stringValue).encode(value, at: codingPath + [key])
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    child(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    child(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { child(TreeKey.superclass) }

  func superEncoder(forKey key: Key) -> any Encoder { child(key) }

  private func child(_ key: any CodingKey) -> TreeEncoder {
    TreeEncoder(node: node.addMember(key.stringValue), codingPath: codingPath + [key])
  }
}

/// Writes the elements of an array.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
  let node: EncodedNode
  let codingPath: [any CodingKey]
  var count: Int { node.elementCount }

  func encodeNil() {
    node.addElement().set(.null)
  }

  func encode(_ value: some Encodable) throws {
    let path = codingPath + [TreeKey(intValue: count)]
    try node.addElement().encode(value, at: path)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    child().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    child().unkeyedContainer()
  }

  func superEncoder() -> any Encoder { child() }

  private func child() -> TreeEncoder {
    let path = codingPath + [TreeKey(intValue: count)]
    return TreeEncoder(node: node.addElement(), codingPath: path)
  }
}
