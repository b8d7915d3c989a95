/// Walking over canonical JSON text that is trusted: what the store holds, and what
/// `JSONStyle.canonical` writes.
///
/// Nothing is validated; every read is bounded all the same, so that a
/// damaged row gives a wrong answer and never a read past its end.
enum CanonicalText {
  typealias Place = UnsafePointer<UInt8>

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// The place after the string whose opening quote is at `place`.
  @inline(__always)
  static func skipString(_ place: Place, _ end: Place) -> Place {
    var place = place + 1
    while end - place >= 8 {
      let word = UnsafeRawPointer(place).loadUnaligned(as: UInt64.self).littleEndian
      let quotes = word ^ (ones &* 0x22)
      let escapes = word ^ (ones &* 0x5C)
      let found =
        ((quotes &- ones) & ~quotes | (escapes &- ones) & ~escapes) & highs
      if found == 0 {
        place += 8
        continue
      }
      place += found.trailingZeroBitCount >> 3
      if place.pointee == UInt8(ascii: "\"") { return place + 1 }
      place += 2
    }
    while place < end {
      if place.pointee == UInt8(ascii: "\"") { return place + 1 }
      place += place.pointee == UInt8(ascii: "\\") ? 2 : 1
    }
    return end
  }

  /// The place after the value that begins at `place`.
  @inline(__always)
  static func skipValue(_ place: Place, _ end: Place) -> Place {
    guard place < end else { return end }
    switch place.pointee {
    case UInt8(ascii: "\""): return skipString(place, end)
    case UInt8(ascii: "{"), UInt8(ascii: "["): return skipContainer(place, end)
    default:
      var place = place + 1
      while place < end {
        switch place.pointee {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return place
        default: place += 1
        }
      }
      return end
    }
  }

  private static func skipContainer(_ place: Place, _ end: Place) -> Place {
    var place = place
    var depth = 0
    while place < end {
      switch place.pointee {
      case UInt8(ascii: "\""):
        place = skipString(place, end)
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return place + 1 }
      default: break
      }
      place += 1
    }
    return end
  }

  /// Lends the decoded bytes of a string's inside; without escapes that is the text itself.
  @inline(__always)
  static func withDecoded<Result>(
    _ inside: Place, _ count: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    guard count > 0 else { return body(UnsafeBufferPointer(start: inside, count: 0)) }
    guard memchrByte(inside, UInt8(ascii: "\\"), count) else {
      return body(UnsafeBufferPointer(start: inside, count: count))
    }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { buffer in
      guard let target = buffer.baseAddress else {
        return body(UnsafeBufferPointer(start: inside, count: 0))
      }
      let length = decodeJSONEscapes(inside, count: count, into: target)
      return body(UnsafeBufferPointer(start: target, count: length))
    }
  }

  /// The element `index` of the array that begins at `place`; nil when there are fewer.
  static func element(_ index: Int, ofArrayAt place: Place, _ end: Place) -> Place? {
    var next = place + 1
    var rest = index
    while next < end, next.pointee != UInt8(ascii: "]") {
      if rest == 0 { return next }
      rest -= 1
      next = skipValue(next, end)
      if next < end, next.pointee == UInt8(ascii: ",") { next += 1 }
    }
    return nil
  }

  /// The number of elements of the array that begins at `place`.
  static func count(ofArrayAt place: Place, _ end: Place) -> Int {
    var next = place + 1
    var count = 0
    while next < end, next.pointee != UInt8(ascii: "]") {
      count += 1
      next = skipValue(next, end)
      if next < end, next.pointee == UInt8(ascii: ",") { next += 1 }
    }
    return count
  }

  /// A whole number of at most 18 digits, without fraction and exponent; nil for every other value.
  @inline(__always)
  static func smallInteger(_ place: Place, _ end: Place) -> Int64? {
    var next = place
    var isNegative = false
    if next < end, next.pointee == UInt8(ascii: "-") {
      isNegative = true
      next += 1
    }
    var value: Int64 = 0
    let first = next
    while next < end, next - first < 18 {
      let digit = next.pointee &- UInt8(ascii: "0")
      if digit > 9 { break }
      value = value &* 10 &+ Int64(digit)
      next += 1
    }
    guard next > first else { return nil }
    if next < end {
      switch next.pointee {
      case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): break
      default: return nil
      }
    }
    return isNegative ? -value : value
  }

  /// Whether the byte occurs.
  @inline(__always)
  private static func memchrByte(_ place: Place, _ byte: UInt8, _ count: Int) -> Bool {
    UnsafeBufferPointer(start: place, count: count).contains(byte)
  }
}
