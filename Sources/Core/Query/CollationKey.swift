/// A value as bytes whose order (`memcmp`, the shorter first) is the collation's order.
///
/// Two values have the same key exactly when they compare equal, and no key is the beginning of
/// another one's, so that keys of several values can be put one after the other. It is what index
/// tables hold and what rows are sorted by.
///
/// | value | bytes |
/// | --- | --- |
/// | null, false, true | `10`, `20`, `28` |
/// | number | `30`, sign and decimal exponent, digit pairs, terminator |
/// | string | `40`, the bytes (`00` as `01 01`, `01` as `01 02`) or ICU's sort key, `00` |
/// | array | `50`, the elements' keys, `00` |
/// | object | `60`, for each member the key as a string and the value's key, `00` |
///
/// A missing value, where one has to be sorted, is `08`.
public struct CollationKey: Sendable, Hashable {
  /// The key's bytes.
  public var bytes: [UInt8]

  /// Makes the key of one value.
  public init(_ value: JSON, _ collation: Collation = .codePoint) {
    bytes = []
    append(value, collation)
  }

  /// Makes an empty key to append to.
  init() {
    bytes = []
  }

  /// Appends the key of a value.
  public mutating func append(_ value: JSON, _ collation: Collation = .codePoint) {
    let text = value.serializedBytes(.canonical)
    text.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var encoder = CollationKeyEncoder(collation: collation)
      encoder.append(base, base + buffer.count, to: &bytes)
    }
  }

  /// Appends the mark of a value that is not there: before null.
  mutating func appendMissing() {
    bytes.append(CollationKeyEncoder.missing)
  }
}

extension CollationKey: Comparable {
  /// Whether `a` comes first.
  public static func < (a: CollationKey, b: CollationKey) -> Bool {
    a.bytes.lexicographicallyPrecedes(b.bytes)
  }
}

/// Writes collation keys straight from canonical JSON text.
struct CollationKeyEncoder {
  static let missing: UInt8 = 0x08
  static let string: UInt8 = 0x40
  static let array: UInt8 = 0x50
  static let object: UInt8 = 0x60
  /// Greater than every key: no key and no part of one begins with it.
  static let beyond: UInt8 = 0xFF

  let collation: Collation

  /// Appends the key of the value that begins at `place`, and returns where the value ends.
  @discardableResult
  mutating func append(
    _ place: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, to key: inout [UInt8]
  ) -> UnsafePointer<UInt8> {
    switch place.pointee {
    case UInt8(ascii: "n"): return append(literal: 0x10, after: place + 4, to: &key)
    case UInt8(ascii: "f"): return append(literal: 0x20, after: place + 5, to: &key)
    case UInt8(ascii: "t"): return append(literal: 0x28, after: place + 4, to: &key)
    case UInt8(ascii: "\""):
      key.append(Self.string)
      return appendString(place, end, to: &key)
    case UInt8(ascii: "["):
      key.append(Self.array)
      var next = place + 1
      while next < end, next.pointee != UInt8(ascii: "]") {
        next = append(next, end, to: &key)
        if next < end, next.pointee == UInt8(ascii: ",") { next += 1 }
      }
      key.append(0)
      return next + 1
    case UInt8(ascii: "{"):
      key.append(Self.object)
      var next = place + 1
      while next < end, next.pointee != UInt8(ascii: "}") {
        key.append(Self.string)
        next = appendString(next, end, to: &key) + 1
        next = append(next, end, to: &key)
        if next < end, next.pointee == UInt8(ascii: ",") { next += 1 }
      }
      key.append(0)
      return next + 1
    default:
      let after = CanonicalText.skipValue(place, end)
      Self.appendNumber(DecimalText(place, after), to: &key)
      return after
    }
  }

  private func append(
    literal tag: UInt8, after place: UnsafePointer<UInt8>, to key: inout [UInt8]
  ) -> UnsafePointer<UInt8> {
    key.append(tag)
    return place
  }

  /// Appends the bytes and the terminator of the string whose opening quote is at `place`.
  private func appendString(
    _ place: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, to key: inout [UInt8]
  ) -> UnsafePointer<UInt8> {
    let after = CanonicalText.skipString(place, end)
    let length = after - place - 2
    CanonicalText.withDecoded(place + 1, length) { text in
      switch collation {
      case .codePoint: Self.appendEscaped(text, to: &key)
      case .unicode: UnicodeCollator.shared.appendSortKey(of: text, to: &key)
      }
    }
    key.append(0)
    return after
  }

  /// Appends the bytes of a string so that 0 does not occur and the order stays.
  static func appendEscaped(_ text: UnsafeBufferPointer<UInt8>, to key: inout [UInt8]) {
    if !text.contains(where: { $0 < 2 }) {
      key.append(contentsOf: text)
      return
    }
    for byte in text {
      if byte < 2 {
        key.append(1)
        key.append(byte + 1)
      } else {
        key.append(byte)
      }
    }
  }

  /// Appends sign and exponent in one byte where the exponent is small, digits two a byte.
  private static func appendNumber(_ number: DecimalText, to key: inout [UInt8]) {
    key.append(0x30)
    guard !number.isZero else {
      key.append(0x80)
      return
    }
    // Every byte of a negative number is the complement: greater magnitudes come first.
    let mask: UInt8 = number.isNegative ? 0xFF : 0
    if (-30...30).contains(number.exponent) {
      key.append(UInt8(0xA0 + number.exponent) ^ mask)
    } else {
      key.append((number.exponent < 0 ? 0x81 : 0xBF) ^ mask)
      let biased = UInt32(number.exponent + 0x4000_0000)
      for shift in [24, 16, 8, 0] as [UInt32] {
        key.append(UInt8(truncatingIfNeeded: biased >> shift) ^ mask)
      }
    }
    var pending: UInt8?
    number.forEachDigit { digit in
      guard let tens = pending else {
        pending = digit
        return
      }
      key.append((tens * 10 + digit + 2) ^ mask)
      pending = nil
    }
    if let pending { key.append((pending * 10 + 2) ^ mask) }
    key.append(mask)
  }
}
