extension JSONScanner {
  /// Steps over a number and says what it is.
  ///
  /// - Returns: the kind, and ``JSONToken/isCanonical`` when the text is the canonical form already.
  @inline(__always)
  mutating func skipNumber() throws(JSONFault) -> (kind: JSONToken.Kind, flags: UInt8) {
    let first = position
    let isNegative = position.pointee == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let digits = position
    guard position < end else { throw fault(.unexpectedEnd) }
    if position.pointee == UInt8(ascii: "0") {
      position += 1
      if position < end, Self.isDigit(position.pointee) { throw fault(.invalidNumber) }
    } else {
      guard Self.isDigit(position.pointee) else { throw fault(.invalidNumber) }
      skipDigits()
    }
    let integerDigits = position - digits
    if position < end {
      let byte = position.pointee
      if byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") {
        return try skipFraction(first, digits: digits, isNegative: isNegative)
      }
    }
    if integerDigits <= 18 {
      // `-0` is the only integer of this size that is not canonical.
      let isMinusZero = isNegative && digits.pointee == UInt8(ascii: "0")
      return (.integer, isMinusZero ? 0 : JSONToken.isCanonical)
    }
    let fits = Self.int64(first, count: position - first) != nil
    return (fits ? .integer : .bigInteger, JSONToken.isCanonical)
  }

  /// Steps over the fraction and the exponent of a number.
  private mutating func skipFraction(
    _ first: UnsafePointer<UInt8>, digits: UnsafePointer<UInt8>, isNegative: Bool
  ) throws(JSONFault) -> (kind: JSONToken.Kind, flags: UInt8) {
    let integerDigits = position - digits
    var fractionDigits = 0
    if position.pointee == UInt8(ascii: ".") {
      position += 1
      let fraction = position
      skipDigits()
      fractionDigits = position - fraction
      guard fractionDigits > 0 else {
        throw position < end ? fault(.invalidNumber) : fault(.unexpectedEnd)
      }
    }
    var hasExponent = false
    if position < end, position.pointee | 0x20 == UInt8(ascii: "e") {
      hasExponent = true
      position += 1
      if position < end,
        position.pointee == UInt8(ascii: "+") || position.pointee == UInt8(ascii: "-")
      {
        position += 1
      }
      let exponent = position
      skipDigits()
      guard position > exponent else {
        throw position < end ? fault(.invalidNumber) : fault(.unexpectedEnd)
      }
    }
    // Only an exponent or very many digits can leave the range of a double.
    if hasExponent || integerDigits > 300 {
      guard Self.double(first, count: position - first).isFinite else {
        throw JSONFault(reason: .numberOutOfRange, offset: first - start)
      }
    }
    let isCanonical =
      !hasExponent && fractionDigits > 0
      && Self.isShortest(
        digits, integerDigits: integerDigits, fractionDigits: fractionDigits, isNegative: isNegative
      )
    return (.double, isCanonical ? JSONToken.isCanonical : 0)
  }

  /// Whether a plain decimal is what Swift's description of its double would be.
  ///
  /// Up to 15 digits survive the way through a double and back, so they are the shortest; what remains
  /// is the form: no trailing zero (but `.0`), not so small that Swift takes an exponent, and no
  /// negative zero.
  @inline(__always)
  private static func isShortest(
    _ digits: UnsafePointer<UInt8>, integerDigits: Int, fractionDigits: Int, isNegative: Bool
  ) -> Bool {
    guard integerDigits + fractionDigits <= 15 else { return false }
    let fraction = digits + integerDigits + 1
    let zero = UInt8(ascii: "0")
    if fraction[fractionDigits - 1] == zero {
      return fractionDigits == 1 && !(isNegative && digits.pointee == zero)
    }
    guard digits.pointee == zero, fractionDigits > 3 else { return true }
    return fraction[0] != zero || fraction[1] != zero || fraction[2] != zero
      || fraction[3] != zero
  }

  @inline(__always)
  private mutating func skipDigits() {
    while position < end, Self.isDigit(position.pointee) { position += 1 }
  }

  @inline(__always)
  private static func isDigit(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10
  }

  /// The value of a valid integer literal; `nil` when it does not fit.
  static func int64(_ text: UnsafePointer<UInt8>, count: Int) -> Int64? {
    let isNegative = text.pointee == UInt8(ascii: "-")
    var value: Int64 = 0
    for index in (isNegative ? 1 : 0)..<count {
      let digit = Int64(text[index] &- UInt8(ascii: "0"))
      let (product, overflowed) = value.multipliedReportingOverflow(by: 10)
      // Counting downwards reaches `Int64.min`, whose magnitude has no positive twin.
      let (sum, overflowedToo) = product.subtractingReportingOverflow(digit)
      if overflowed || overflowedToo { return nil }
      value = sum
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  /// The nearest double of a valid number literal; infinite when it is out of range.
  ///
  /// With at most 15 digits and a power of ten of at most 22 both operands are exact, so that one
  /// multiplication or division rounds once and correctly (W. D. Clinger, 1990). Anything else is
  /// left to the standard library.
  static func double(_ text: UnsafePointer<UInt8>, count: Int) -> Double {
    var index = 0
    let isNegative = text.pointee == UInt8(ascii: "-")
    if isNegative { index = 1 }
    var mantissa: Int64 = 0
    var digits = 0
    var scale = 0
    var seenPoint = false
    scan: while index < count {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "."): seenPoint = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"): break scan
      default:
        if digits == 15 { return slowDouble(text, count: count) }
        mantissa = mantissa * 10 + Int64(byte &- UInt8(ascii: "0"))
        if mantissa != 0 { digits += 1 }
        if seenPoint { scale -= 1 }
      }
      index += 1
    }
    if index < count {
      guard let exponent = smallExponent(text + index + 1, count: count - index - 1) else {
        return slowDouble(text, count: count)
      }
      scale += exponent
    }
    guard scale >= -22 && scale <= 22 else { return slowDouble(text, count: count) }
    let magnitude =
      scale < 0 ? Double(mantissa) / powersOfTen[-scale] : Double(mantissa) * powersOfTen[scale]
    return isNegative ? -magnitude : magnitude
  }

  /// An exponent of at most three digits; `nil` for a longer one.
  private static func smallExponent(_ text: UnsafePointer<UInt8>, count: Int) -> Int? {
    let hasSign = text.pointee == UInt8(ascii: "-") || text.pointee == UInt8(ascii: "+")
    let first = hasSign ? 1 : 0
    guard count - first <= 3 else { return nil }
    var value = 0
    for index in first..<count { value = value * 10 + Int(text[index] &- UInt8(ascii: "0")) }
    return text.pointee == UInt8(ascii: "-") ? -value : value
  }

  @inline(never)
  private static func slowDouble(_ text: UnsafePointer<UInt8>, count: Int) -> Double {
    let literal = String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    // The literal was validated, and every JSON number is one Swift reads.
    return Double(literal) ?? .infinity
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
