private import Glibc

/// Compares `count` bytes.
@inline(__always)
func memcmpBytes(
  _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int
) -> Int {
  Int(memcmp(a, b, count))
}

extension CanonicalText {
  /// Where a value stands among the types; numbers are 3, see ``Collation``.
  @inline(__always)
  static func rank(_ first: UInt8) -> Int {
    switch first {
    case UInt8(ascii: "n"): 0
    case UInt8(ascii: "f"): 1
    case UInt8(ascii: "t"): 2
    case UInt8(ascii: "\""): 4
    case UInt8(ascii: "["): 5
    case UInt8(ascii: "{"): 6
    default: 3
    }
  }

  /// Compares two values in canonical text as `Collation.compare` compares trees.
  static func compare(
    _ a: Place, _ aEnd: Place, _ b: Place, _ bEnd: Place, _ collation: Collation
  ) -> Int {
    guard a < aEnd, b < bEnd else { return a < aEnd ? 1 : b < bEnd ? -1 : 0 }
    let left = rank(a.pointee)
    let right = rank(b.pointee)
    guard left == right else { return left < right ? -1 : 1 }
    switch left {
    case 3: return compareNumbers(a, aEnd, b, bEnd)
    case 4: return compareStrings(a, aEnd, b, bEnd, collation)
    case 5, 6: return compareContainers(a, aEnd, b, bEnd, isObject: left == 6, collation)
    default: return 0
    }
  }

  static func compareNumbers(_ a: Place, _ aEnd: Place, _ b: Place, _ bEnd: Place) -> Int {
    if let x = smallInteger(a, aEnd), let y = smallInteger(b, bEnd) {
      return x < y ? -1 : x > y ? 1 : 0
    }
    return DecimalText.compare(
      DecimalText(a, skipValue(a, aEnd)), DecimalText(b, skipValue(b, bEnd)))
  }

  static func compareStrings(
    _ a: Place, _ aEnd: Place, _ b: Place, _ bEnd: Place, _ collation: Collation
  ) -> Int {
    let left = skipString(a, aEnd) - a - 2
    let right = skipString(b, bEnd) - b - 2
    guard left >= 0, right >= 0 else { return left - right }
    // The same text is the same string in both orders.
    if left == right, memcmpBytes(a + 1, b + 1, left) == 0 { return 0 }
    return withDecoded(a + 1, left) { x in
      withDecoded(b + 1, right) { y in
        guard collation == .codePoint else { return UnicodeCollator.shared.compare(x, y) }
        guard let xs = x.baseAddress, let ys = y.baseAddress else { return x.count - y.count }
        let order = memcmpBytes(xs, ys, min(x.count, y.count))
        return order != 0 ? order : x.count - y.count
      }
    }
  }

  private static func compareContainers(
    _ a: Place, _ aEnd: Place, _ b: Place, _ bEnd: Place, isObject: Bool, _ collation: Collation
  ) -> Int {
    let close = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    var left = a + 1
    var right = b + 1
    while true {
      let leftEnded = left >= aEnd || left.pointee == close
      let rightEnded = right >= bEnd || right.pointee == close
      if leftEnded || rightEnded { return leftEnded ? (rightEnded ? 0 : -1) : 1 }
      if isObject {
        let order = compareStrings(left, aEnd, right, bEnd, collation)
        if order != 0 { return order }
        left = skipString(left, aEnd) + 1
        right = skipString(right, bEnd) + 1
      }
      let order = compare(left, aEnd, right, bEnd, collation)
      if order != 0 { return order }
      left = afterComma(skipValue(left, aEnd), aEnd)
      right = afterComma(skipValue(right, bEnd), bEnd)
    }
  }

  @inline(__always)
  static func afterComma(_ place: Place, _ end: Place) -> Place {
    place < end && place.pointee == UInt8(ascii: ",") ? place + 1 : place
  }
}
