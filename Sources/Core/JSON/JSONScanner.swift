/// Scans strings, numbers and white space in JSON text, validating as it goes.
///
/// It is a pair of pointers that lives in registers: `inout` structs and locals cost nothing here,
/// a class would cost an exclusivity check for each access. All reads are below `end`.
struct JSONScanner {
  let start: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  var position: UnsafePointer<UInt8>

  init(_ start: UnsafePointer<UInt8>, count: Int) {
    self.start = start
    end = start + count
    position = start
  }

  var offset: Int { position - start }

  /// A fault at the present position.
  func fault(_ reason: JSONError.Reason) -> JSONFault {
    JSONFault(reason: reason, offset: offset)
  }

  /// The fault for a character that cannot stand here, or for the end of the text.
  @inline(never)
  func unexpected() -> JSONFault {
    guard position < end else { return fault(.unexpectedEnd) }
    var copy = self
    if position.pointee >= 0x80 {
      do throws(JSONFault) {
        try copy.skipMultibyte()
      } catch {
        return error
      }
    }
    let length = max(copy.position - position, 1)
    let text = String(decoding: UnsafeBufferPointer(start: position, count: length), as: UTF8.self)
    return fault(.unexpectedCharacter(text.unicodeScalars.first ?? "\u{FFFD}"))
  }

  @inline(__always)
  mutating func skipWhitespace() {
    while position < end {
      switch position.pointee {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  /// Steps over `text`, which begins at the present position, or throws.
  @inline(__always)
  mutating func expect(literal text: StaticString) throws(JSONFault) {
    var expected = text.utf8Start
    for _ in 0..<text.utf8CodeUnitCount {
      guard position < end, position.pointee == expected.pointee else { throw unexpected() }
      position += 1
      expected += 1
    }
  }

  // MARK: Strings

  /// Steps over a string whose opening quote is behind, up to and including the closing one.
  ///
  /// Eight bytes at a time while they hold nothing of interest (the loads stop 8 bytes before `end`),
  /// then one by one.
  ///
  /// - Returns: ``JSONToken/hasEscapes`` or 0.
  @inline(__always)
  mutating func skipString() throws(JSONFault) -> UInt8 {
    var flags: UInt8 = 0
    while true {
      while end - position >= 8 {
        let word = UnsafeRawPointer(position).loadUnaligned(as: UInt64.self).littleEndian
        let found = Self.interesting(in: word)
        guard found == 0 else {
          position += found.trailingZeroBitCount / 8
          break
        }
        position += 8
      }
      guard position < end else { throw fault(.unexpectedEnd) }
      let byte = position.pointee
      if byte == UInt8(ascii: "\"") {
        position += 1
        return flags
      } else if byte == UInt8(ascii: "\\") {
        flags = JSONToken.hasEscapes
        try skipEscape()
      } else if byte >= 0x80 {
        try skipMultibyte()
      } else if byte < 0x20 {
        throw fault(.controlCharacter)
      } else {
        position += 1
      }
    }
  }

  /// The high bit of each byte that is a quote, a backslash, a control or not ASCII.
  ///
  /// Bits above the lowest one set may be wrong (a borrow runs upwards), so only the lowest is used.
  @inline(__always)
  static func interesting(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ 0x2222_2222_2222_2222
    let slashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
    let hits =
      ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes)
      | ((word &- 0x2020_2020_2020_2020) & ~word) | word
    return hits & 0x8080_8080_8080_8080
  }

  /// Steps over one character of two to four bytes (Unicode 15, table 3-7), or over a run of them.
  @inline(__always)
  mutating func skipMultibyte() throws(JSONFault) {
    let lead = position.pointee
    let available = end - position
    if lead >= 0xC2 && lead <= 0xDF {
      guard available >= 2, Self.isContinuation(position[1]) else { throw fault(.invalidUTF8) }
      position += 2
    } else if lead >= 0xE0 && lead <= 0xEF {
      guard available >= 3, Self.isContinuation(position[1]), Self.isContinuation(position[2])
      else { throw fault(.invalidUTF8) }
      let second = position[1]
      // E0 would be overlong below A0; ED from A0 on would be a surrogate.
      if (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0) {
        throw fault(.invalidUTF8)
      }
      position += 3
    } else if lead >= 0xF0 && lead <= 0xF4 {
      guard available >= 4, Self.isContinuation(position[1]), Self.isContinuation(position[2]),
        Self.isContinuation(position[3])
      else { throw fault(.invalidUTF8) }
      let second = position[1]
      // F0 would be overlong below 90; F4 from 90 on would be beyond U+10FFFF.
      if (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90) {
        throw fault(.invalidUTF8)
      }
      position += 4
    } else {
      throw fault(.invalidUTF8)
    }
  }

  @inline(__always)
  private static func isContinuation(_ byte: UInt8) -> Bool {
    byte & 0xC0 == 0x80
  }

  /// Steps over one escape, or over the two that make a surrogate pair.
  mutating func skipEscape() throws(JSONFault) {
    guard end - position >= 2 else { throw atEnd() }
    switch position[1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 2
    case UInt8(ascii: "u"):
      let unit = try hexUnit(at: position + 2)
      if unit < 0xD800 || unit > 0xDFFF {
        position += 6
        return
      }
      guard unit < 0xDC00, end - position >= 8, position[6] == UInt8(ascii: "\\"),
        position[7] == UInt8(ascii: "u")
      else { throw fault(.loneSurrogate) }
      let low = try hexUnit(at: position + 8)
      guard low >= 0xDC00, low <= 0xDFFF else { throw fault(.loneSurrogate) }
      position += 12
    default:
      throw fault(.invalidEscape)
    }
  }

  private func atEnd() -> JSONFault {
    JSONFault(reason: .unexpectedEnd, offset: end - start)
  }

  private func hexUnit(at place: UnsafePointer<UInt8>) throws(JSONFault) -> UInt32 {
    guard end - place >= 4 else { throw atEnd() }
    var unit: UInt32 = 0
    for index in 0..<4 {
      guard let digit = hexDigit(place[index]) else { throw fault(.invalidEscape) }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }
}

/// The value of a hexadecimal digit, `nil` for another byte.
@inline(__always)
func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
  default: nil
  }
}
