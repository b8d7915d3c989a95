extension JSONTape {
  /// What the scanner expects next.
  private enum Expectation {
    case value, key, separator
  }

  /// The parser: one loop, with the open container's parent kept in its token, so that neither a stack
  /// nor recursion is needed.
  mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(JSONFault) {
    guard bytes.count < UInt32.max else { throw JSONFault(reason: .inputTooLarge, offset: 0) }
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count > 0 else {
      throw JSONFault(reason: .emptyInput, offset: 0)
    }
    var scanner = JSONScanner(base, count: bytes.count)
    if bytes.count >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF {
      throw scanner.fault(.byteOrderMark)
    }
    scanner.skipWhitespace()
    guard scanner.position < scanner.end else { throw scanner.fault(.emptyInput) }

    // Locals, so that the loop works on registers; written back before growing and at the end.
    var tokens = self.tokens
    var capacity = self.capacity
    var count = 0
    // The innermost open container, and how many are open.
    var open = 0
    var depth = 0
    var expectation = Expectation.value

    while true {
      if count == capacity {
        self.count = count
        grow()
        tokens = self.tokens
        capacity = self.capacity
      }
      scanner.skipWhitespace()
      guard scanner.position < scanner.end else { throw scanner.fault(.unexpectedEnd) }
      let byte = scanner.position.pointee

      switch expectation {
      case .separator:
        let container = tokens + open
        let isObject = container.pointee.kind == .object
        if byte == UInt8(ascii: ",") {
          scanner.position += 1
          expectation = isObject ? .key : .value
          continue
        }
        guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          throw scanner.unexpected()
        }
        scanner.position += 1
        let parent = Int(container.pointee.next)
        container.pointee.length =
          UInt32(truncatingIfNeeded: scanner.offset) &- container.pointee.offset
        container.pointee.next = UInt32(truncatingIfNeeded: count)
        open = parent
        depth -= 1

      case .key:
        guard byte == UInt8(ascii: "\"") else { throw scanner.unexpected() }
        scanner.position += 1
        let start = scanner.offset
        let flags = try scanner.skipString()
        tokens[count] = JSONToken(
          offset: UInt32(truncatingIfNeeded: start),
          length: UInt32(truncatingIfNeeded: scanner.offset - start - 1),
          next: UInt32(truncatingIfNeeded: count + 1), kind: .key, flags: flags)
        count += 1
        scanner.skipWhitespace()
        guard scanner.position < scanner.end, scanner.position.pointee == UInt8(ascii: ":") else {
          throw scanner.unexpected()
        }
        scanner.position += 1
        expectation = .value
        continue

      case .value:
        let start = scanner.offset
        switch byte {
        case UInt8(ascii: "\""):
          scanner.position += 1
          let flags = try scanner.skipString()
          tokens[count] = JSONToken(
            offset: UInt32(truncatingIfNeeded: start + 1),
            length: UInt32(truncatingIfNeeded: scanner.offset - start - 2),
            next: UInt32(truncatingIfNeeded: count + 1), kind: .string, flags: flags)
          count += 1
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          let isObject = byte == UInt8(ascii: "{")
          guard depth < JSON.maximumDepth else { throw scanner.fault(.tooDeep) }
          tokens[count] = JSONToken(
            offset: UInt32(truncatingIfNeeded: start), length: 0,
            next: UInt32(truncatingIfNeeded: open), kind: isObject ? .object : .array)
          open = count
          depth += 1
          count += 1
          scanner.position += 1
          scanner.skipWhitespace()
          guard scanner.position < scanner.end else { throw scanner.fault(.unexpectedEnd) }
          // An empty container is closed by the same code as any other.
          let isEmpty =
            scanner.position.pointee == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
          expectation = isEmpty ? .separator : isObject ? .key : .value
          continue
        case UInt8(ascii: "t"):
          try scanner.expect(literal: "true")
          tokens[count] = Self.literal(.true, at: start, length: 4, index: count)
          count += 1
        case UInt8(ascii: "f"):
          try scanner.expect(literal: "false")
          tokens[count] = Self.literal(.false, at: start, length: 5, index: count)
          count += 1
        case UInt8(ascii: "n"):
          try scanner.expect(literal: "null")
          tokens[count] = Self.literal(.null, at: start, length: 4, index: count)
          count += 1
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
          let (kind, flags) = try scanner.skipNumber()
          tokens[count] = JSONToken(
            offset: UInt32(truncatingIfNeeded: start),
            length: UInt32(truncatingIfNeeded: scanner.offset - start),
            next: UInt32(truncatingIfNeeded: count + 1), kind: kind, flags: flags)
          count += 1
        default:
          throw scanner.unexpected()
        }
      }

      // A value is complete.
      if depth == 0 { break }
      expectation = .separator
    }

    self.count = count
    scanner.skipWhitespace()
    guard scanner.position == scanner.end else { throw scanner.fault(.trailingText) }
  }

  @inline(__always)
  private static func literal(
    _ kind: JSONToken.Kind, at offset: Int, length: UInt32, index: Int
  ) -> JSONToken {
    JSONToken(
      offset: UInt32(truncatingIfNeeded: offset), length: length,
      next: UInt32(truncatingIfNeeded: index + 1), kind: kind)
  }
}
