extension JSON {
  /// Parses one JSON text.
  ///
  /// - Parameter text: the whole text; white space around the value is allowed.
  /// - Throws: ``JSONError`` with the reason and the place of the first mistake.
  public init(parsing text: String) throws(JSONError) {
    var text = text
    self = try text.withUTF8 { bytes in
      Result { () throws(JSONError) in try JSON(parsing: UnsafeRawBufferPointer(bytes)) }
    }.get()
  }

  /// Parses one JSON text in UTF-8.
  ///
  /// - Parameter bytes: the whole text; white space around the value is allowed.
  /// - Throws: ``JSONError`` with the reason and the place of the first mistake.
  public init(parsing bytes: [UInt8]) throws(JSONError) {
    self = try bytes.withUnsafeBytes { bytes in
      Result { () throws(JSONError) in try JSON(parsing: bytes) }
    }.get()
  }

  /// Parses one JSON text in UTF-8.
  ///
  /// - Parameter bytes: the whole text, less than 4 GiB; white space around the value is allowed.
  /// - Throws: ``JSONError`` with the reason and the place of the first mistake.
  public init(parsing bytes: UnsafeRawBufferPointer) throws(JSONError) {
    // About one token in eight bytes of a typical document.
    var tape = JSONTape(capacity: min(bytes.count / 8 + 8, 4096))
    try tape.parse(bytes)
    self = tape.value(at: 0, in: bytes)
  }
}

extension JSONTape {
  /// The tree of the value at a token.
  ///
  /// - Parameters:
  ///   - index: the token, which must not be a key.
  ///   - bytes: the text that was parsed.
  /// - Returns: the value with all that is below it.
  public func value(at index: Int, in bytes: UnsafeRawBufferPointer) -> JSON {
    precondition(index >= 0 && index < count, "token index out of range")
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return .null }
    return tree(at: index, base)
  }

  /// The text of the string or key at a token.
  ///
  /// - Parameters:
  ///   - index: the token, which must be a string or a key.
  ///   - bytes: the text that was parsed.
  /// - Returns: the text, its escapes decoded.
  public func string(at index: Int, in bytes: UnsafeRawBufferPointer) -> String {
    precondition(index >= 0 && index < count, "token index out of range")
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return "" }
    return text(of: tokens[index], base)
  }

  private func tree(at index: Int, _ base: UnsafePointer<UInt8>) -> JSON {
    let token = tokens[index]
    let place = base + Int(token.offset)
    switch token.kind {
    case .null: return .null
    case .false: return .bool(false)
    case .true: return .bool(true)
    case .integer:
      return .integer(JSONScanner.int64(place, count: Int(token.length)) ?? 0)
    case .bigInteger:
      return .bigInteger(text(of: token, base))
    case .double:
      return .double(JSONScanner.double(place, count: Int(token.length)))
    case .string, .key:
      return .string(text(of: token, base))
    case .array:
      var elements: [JSON] = []
      elements.reserveCapacity(childCount(of: index))
      var child = index + 1
      while child < Int(token.next) {
        elements.append(tree(at: child, base))
        child = Int(tokens[child].next)
      }
      return .array(elements)
    case .object:
      var members: [JSONObject.Element] = []
      members.reserveCapacity(childCount(of: index) / 2)
      var child = index + 1
      while child < Int(token.next) {
        members.append((key: text(of: tokens[child], base), value: tree(at: child + 1, base)))
        child = Int(tokens[child + 1].next)
      }
      return .object(JSONObject(members: members))
    }
  }

  /// The tokens directly below a container: its elements, or its keys and values.
  private func childCount(of index: Int) -> Int {
    var child = index + 1
    let end = Int(tokens[index].next)
    var count = 0
    while child < end {
      count += 1
      child = Int(tokens[child].next)
    }
    return count
  }

  @inline(__always)
  private func text(of token: JSONToken, _ base: UnsafePointer<UInt8>) -> String {
    let place = base + Int(token.offset)
    let count = Int(token.length)
    guard token.hasEscapes else {
      return String(decoding: UnsafeBufferPointer(start: place, count: count), as: UTF8.self)
    }
    return String(unsafeUninitializedCapacity: count) { target in
      guard let target = target.baseAddress else { return 0 }
      return decodeJSONEscapes(place, count: count, into: target)
    }
  }
}
