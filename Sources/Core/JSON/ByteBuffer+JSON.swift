extension ByteBuffer {
  /// Appends a JSON string: quotes, and escapes where JSON demands them.
  ///
  /// - Parameters:
  ///   - text: UTF-8 bytes of valid Unicode.
  ///   - escapingSeparators: whether U+007F–U+009F, U+2028 and U+2029 are escaped too.
  public mutating func appendJSONString(
    _ text: UnsafeRawBufferPointer, escapingSeparators: Bool = false
  ) {
    append(UInt8(ascii: "\""))
    if let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self) {
      if escapingSeparators {
        appendEscapingSeparators(base, count: text.count)
      } else {
        appendEscaped(base, count: text.count)
      }
    }
    append(UInt8(ascii: "\""))
  }

  /// Appends a JSON string: quotes, and escapes where JSON demands them.
  ///
  /// - Parameters:
  ///   - text: the string.
  ///   - escapingSeparators: whether U+007F–U+009F, U+2028 and U+2029 are escaped too.
  public mutating func appendJSONString(_ text: String, escapingSeparators: Bool = false) {
    var text = text
    text.withUTF8 {
      appendJSONString(UnsafeRawBufferPointer($0), escapingSeparators: escapingSeparators)
    }
  }

  /// Appends a number's canonical text: the shortest digits that read back the same, `0.0` for both
  /// zeros.
  public mutating func append(canonical value: Double) {
    precondition(value.isFinite, "JSON has no infinity and no NaN")
    append(value == 0 ? "0.0" : value.description)
  }

  /// Copies runs that need no escape in one piece, eight bytes looked at together.
  @inline(__always)
  mutating func appendEscaped(_ source: UnsafePointer<UInt8>, count length: Int) {
    let end = source + length
    var run = source
    var position = source
    while true {
      while end - position >= 8 {
        let word = UnsafeRawPointer(position).loadUnaligned(as: UInt64.self).littleEndian
        // Bytes beyond ASCII need no escape; their own high bit must not count as a hit.
        let found = JSONScanner.interesting(in: word & 0x7F7F_7F7F_7F7F_7F7F)
        guard found & ~word == 0 else {
          break
        }
        position += 8
      }
      let stop = end - position < 8 ? end : position + 8
      while position < stop {
        let byte = position.pointee
        if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
          append(run, count: position - run)
          appendEscape(of: byte)
          run = position + 1
        }
        position += 1
      }
      if position == end { break }
    }
    append(run, count: end - run)
  }

  private mutating func appendEscapingSeparators(
    _ source: UnsafePointer<UInt8>, count length: Int
  ) {
    var run = 0
    var index = 0
    while index < length {
      let byte = source[index]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        append(source + run, count: index - run)
        appendEscape(of: byte)
        run = index + 1
      } else if byte >= 0x7F, let (unit, width) = separator(at: source + index, length - index) {
        append(source + run, count: index - run)
        appendUnicodeEscape(unit)
        index += width - 1
        run = index + 1
      }
      index += 1
    }
    append(source + run, count: length - run)
  }

  /// The code unit and the byte length of DEL, a C1 control, U+2028 or U+2029.
  private func separator(
    at place: UnsafePointer<UInt8>, _ available: Int
  ) -> (unit: UInt16, width: Int)? {
    switch place[0] {
    case 0x7F: return (0x7F, 1)
    case 0xC2 where available >= 2 && place[1] < 0xA0: return (UInt16(place[1]), 2)
    case 0xE2 where available >= 3 && place[1] == 0x80 && (place[2] == 0xA8 || place[2] == 0xA9):
      return (0x2000 + UInt16(place[2] & 0x3F), 3)
    default: return nil
    }
  }

  @inline(never)
  private mutating func appendEscape(of byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append(literal: "\\\"")
    case UInt8(ascii: "\\"): append(literal: "\\\\")
    case 0x08: append(literal: "\\b")
    case 0x09: append(literal: "\\t")
    case 0x0A: append(literal: "\\n")
    case 0x0C: append(literal: "\\f")
    case 0x0D: append(literal: "\\r")
    default: appendUnicodeEscape(UInt16(byte))
    }
  }

  /// Hexadecimal digits are upper-case, as CouchDB writes them.
  private mutating func appendUnicodeEscape(_ unit: UInt16) {
    append(literal: "\\u")
    for shift in [12, 8, 4, 0] as [UInt16] {
      let digit = UInt8(truncatingIfNeeded: (unit >> shift) & 0xF)
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
    }
  }
}
