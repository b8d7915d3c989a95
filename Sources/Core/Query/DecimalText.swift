/// The text of a JSON number read as an exact decimal: `0.digits × 10^exponent`.
///
/// Numbers compare by this value, so that `1`, `1.0` and `1e0` are equal and two integers beyond 2^53
/// are not, however they are written. A double means its shortest digits, as it is written.
struct DecimalText {
  /// The digits: from the first that is not zero to after the last that is not zero; a decimal point
  /// may lie between.
  private let start: UnsafePointer<UInt8>
  private let end: UnsafePointer<UInt8>
  let exponent: Int
  let isNegative: Bool
  var isZero: Bool { start == end }

  /// Reads the number in `start..<limit`, which is one whole JSON number.
  init(_ text: UnsafePointer<UInt8>, _ limit: UnsafePointer<UInt8>) {
    var place = text
    isNegative = place < limit && place.pointee == UInt8(ascii: "-")
    if isNegative { place += 1 }
    var first: UnsafePointer<UInt8>?
    var last = place
    var integerDigits = 0  // from the first significant digit to the point
    var leadingZeros = 0  // between the point and the first significant digit
    var hasPoint = false
    scan: while place < limit {
      switch place.pointee {
      case UInt8(ascii: "0"):
        if first != nil {
          if !hasPoint { integerDigits += 1 }
        } else if hasPoint {
          leadingZeros += 1
        }
      case UInt8(ascii: "1")...UInt8(ascii: "9"):
        if first == nil { first = place }
        if !hasPoint { integerDigits += 1 }
        last = place + 1
      case UInt8(ascii: "."): hasPoint = true
      default: break scan
      }
      place += 1
    }
    guard let first else {
      start = text
      end = text
      exponent = 0
      return
    }
    start = first
    end = last
    exponent =
      (integerDigits > 0 ? integerDigits : -leadingZeros) + Self.exponent(at: place, limit)
  }

  private static func exponent(
    at mark: UnsafePointer<UInt8>, _ limit: UnsafePointer<UInt8>
  ) -> Int {
    guard mark < limit, mark.pointee | 0x20 == UInt8(ascii: "e") else { return 0 }
    var place = mark + 1
    var isNegative = false
    if place < limit, place.pointee == UInt8(ascii: "-") || place.pointee == UInt8(ascii: "+") {
      isNegative = place.pointee == UInt8(ascii: "-")
      place += 1
    }
    var value = 0
    while place < limit, value < 1_000_000 {
      value = value * 10 + Int(place.pointee &- UInt8(ascii: "0"))
      place += 1
    }
    return isNegative ? -value : value
  }

  /// Calls `body` with each digit, 0 to 9.
  @inline(__always)
  func forEachDigit(_ body: (UInt8) -> Void) {
    var place = start
    while place < end {
      if place.pointee != UInt8(ascii: ".") { body(place.pointee &- UInt8(ascii: "0")) }
      place += 1
    }
  }

  /// Negative, zero or positive as `a` is smaller than, equal to or greater than `b`.
  static func compare(_ a: DecimalText, _ b: DecimalText) -> Int {
    let leftSign = a.isZero ? 0 : a.isNegative ? -1 : 1
    let rightSign = b.isZero ? 0 : b.isNegative ? -1 : 1
    guard leftSign == rightSign else { return leftSign < rightSign ? -1 : 1 }
    guard leftSign != 0 else { return 0 }
    let order = compareMagnitudes(a, b)
    return leftSign < 0 ? -order : order
  }

  private static func compareMagnitudes(_ a: DecimalText, _ b: DecimalText) -> Int {
    guard a.exponent == b.exponent else { return a.exponent < b.exponent ? -1 : 1 }
    var left = a.start
    var right = b.start
    while true {
      if left < a.end, left.pointee == UInt8(ascii: ".") { left += 1 }
      if right < b.end, right.pointee == UInt8(ascii: ".") { right += 1 }
      if left >= a.end || right >= b.end { break }
      if left.pointee != right.pointee { return left.pointee < right.pointee ? -1 : 1 }
      left += 1
      right += 1
    }
    return left < a.end ? 1 : right < b.end ? -1 : 0
  }
}
