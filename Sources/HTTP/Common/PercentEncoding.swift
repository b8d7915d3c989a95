/// Percent-encoding of URL parts (RFC 3986 §2.1).
public enum PercentEncoding {
  /// Decodes every escape once; nil for an escape that is not two hex digits.
  ///
  /// With `plusIsSpace`, as in forms and query strings, a plus is a blank.
  public static func decode(
    _ bytes: some Sequence<UInt8>, plusIsSpace: Bool = false
  ) -> [UInt8]? {
    var result: [UInt8] = []
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = iterator.next().flatMap(hexValue),
          let low = iterator.next().flatMap(hexValue)
        else { return nil }
        result.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: result.append(0x20)
      default: result.append(byte)
      }
    }
    return result
  }

  /// Decodes to text; nil for a broken escape, a NUL or bytes that are not UTF-8.
  public static func decodeText(
    _ bytes: some Sequence<UInt8>, plusIsSpace: Bool = false
  ) -> String? {
    guard let decoded = decode(bytes, plusIsSpace: plusIsSpace), !decoded.contains(0) else {
      return nil
    }
    return String(validating: decoded, as: UTF8.self)
  }

  /// Encodes one path segment, or a query's name or value: all but RFC 3986's unreserved bytes.
  ///
  /// A slash becomes `%2F`, so the result is one segment whatever the text.
  public static func encode(_ text: String) -> String {
    encode(text, keeping: "")
  }

  /// Encodes as `encode(_:)`, but leaves the ASCII bytes of `keeping` as they are.
  public static func encode(_ text: String, keeping: String) -> String {
    let kept = Array(keeping.utf8)
    if text.utf8.allSatisfy({ isUnreserved($0) || kept.contains($0) }) { return text }
    var result: [UInt8] = []
    for byte in text.utf8 {
      if isUnreserved(byte) || kept.contains(byte) {
        result.append(byte)
      } else {
        result.append(UInt8(ascii: "%"))
        result.append(hexDigits[Int(byte >> 4)])
        result.append(hexDigits[Int(byte & 15)])
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static let hexDigits = Array("0123456789ABCDEF".utf8)

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, 0x2d, 0x2e, 0x5f, 0x7e: true
    default: false
    }
  }
}
