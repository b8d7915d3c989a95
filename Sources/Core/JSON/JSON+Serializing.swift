extension JSON {
  /// The JSON text of the value.
  ///
  /// - Parameter style: how it is written; compact by default.
  /// - Returns: the text, without a line feed at the end.
  public func serialized(_ style: JSONStyle = .compact) -> String {
    var buffer = ByteBuffer()
    buffer.append(self, style: style)
    return buffer.string()
  }

  /// The JSON text of the value in UTF-8.
  ///
  /// - Parameter style: how it is written; compact by default.
  /// - Returns: the text, without a line feed at the end.
  public func serializedBytes(_ style: JSONStyle = .compact) -> [UInt8] {
    var buffer = ByteBuffer()
    buffer.append(self, style: style)
    return buffer.bytes()
  }
}

extension ByteBuffer {
  /// Appends the JSON text of `value`.
  ///
  /// - Parameters:
  ///   - value: any value; its doubles must be finite.
  ///   - style: how it is written; compact by default.
  public mutating func append(_ value: JSON, style: JSONStyle = .compact) {
    write(value, style: style, level: 0)
  }

  private mutating func write(_ value: JSON, style: JSONStyle, level: Int) {
    switch value {
    case .null: append(literal: "null")
    case .bool(let flag): flag ? append(literal: "true") : append(literal: "false")
    case .integer(let number): append(decimal: number)
    case .double(let number): append(canonical: number)
    case .bigInteger(let digits): append(digits)
    case .string(let text):
      appendJSONString(text, escapingSeparators: style.escapesSeparators)
    case .array(let elements):
      append(UInt8(ascii: "["))
      for index in elements.indices {
        startItem(isFirst: index == 0, style: style, level: level + 1)
        write(elements[index], style: style, level: level + 1)
      }
      endItems(isEmpty: elements.isEmpty, style: style, level: level)
      append(UInt8(ascii: "]"))
    case .object(let object):
      append(UInt8(ascii: "{"))
      if style.sortsKeys {
        let order = CanonicalOrder(object)
        for index in object.indices {
          startItem(isFirst: index == 0, style: style, level: level + 1)
          write(object[order[index]], style: style, level: level + 1)
        }
      } else {
        for index in object.indices {
          startItem(isFirst: index == 0, style: style, level: level + 1)
          write(object[index], style: style, level: level + 1)
        }
      }
      endItems(isEmpty: object.isEmpty, style: style, level: level)
      append(UInt8(ascii: "}"))
    }
  }

  private mutating func write(_ member: JSONObject.Element, style: JSONStyle, level: Int) {
    appendJSONString(member.key, escapingSeparators: style.escapesSeparators)
    append(UInt8(ascii: ":"))
    if style.isIndented { append(UInt8(ascii: " ")) }
    write(member.value, style: style, level: level)
  }

  private mutating func startItem(isFirst: Bool, style: JSONStyle, level: Int) {
    if !isFirst { append(UInt8(ascii: ",")) }
    if style.isIndented { appendLineBreak(level: level) }
  }

  private mutating func endItems(isEmpty: Bool, style: JSONStyle, level: Int) {
    if style.isIndented && !isEmpty { appendLineBreak(level: level) }
  }

  private mutating func appendLineBreak(level: Int) {
    append(UInt8(ascii: "\n"))
    for _ in 0..<level { append(literal: "  ") }
  }
}

/// The order of an object's members by the UTF-8 bytes of their keys: indices are sorted, not members,
/// and not even those when the members are in order already.
private struct CanonicalOrder {
  private var indices: [Int]?

  init(_ object: JSONObject) {
    let isSorted = object.indices.dropFirst().allSatisfy {
      utf8Less(object[$0 - 1].key, object[$0].key)
    }
    guard !isSorted else { return }
    let prefixes = object.map { Self.prefix(of: $0.key) }
    indices = object.indices.sorted {
      prefixes[$0] == prefixes[$1]
        ? utf8Less(object[$0].key, object[$1].key) : prefixes[$0] < prefixes[$1]
    }
  }

  subscript(index: Int) -> Int { indices?[index] ?? index }

  /// The first eight bytes as a big-endian number, short keys padded with zeros.
  private static func prefix(of key: String) -> UInt64 {
    var prefix: UInt64 = 0
    for byte in key.utf8.prefix(8) { prefix = prefix << 8 | UInt64(byte) }
    return prefix << (8 * UInt64(8 - min(key.utf8.count, 8)))
  }
}
