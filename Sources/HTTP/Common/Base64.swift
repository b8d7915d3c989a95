/// Base64 with the standard alphabet and padding (RFC 4648 §4).
public enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Encodes, with padding and without line breaks.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    var result: [UInt8] = []
    result.reserveCapacity((bytes.count + 2) / 3 * 4)
    var iterator = bytes.makeIterator()
    while let first = iterator.next() {
      let second = iterator.next()
      let third = second == nil ? nil : iterator.next()
      let group = UInt32(first) << 16 | UInt32(second ?? 0) << 8 | UInt32(third ?? 0)
      result.append(alphabet[Int(group >> 18)])
      result.append(alphabet[Int(group >> 12 & 63)])
      result.append(second == nil ? 0x3d : alphabet[Int(group >> 6 & 63)])
      result.append(third == nil ? 0x3d : alphabet[Int(group & 63)])
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Decodes; padding may be missing, anything else outside the alphabet gives nil.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var result: [UInt8] = []
    var group: UInt32 = 0
    var bits = 0
    var padding = 0
    for byte in text.utf8 {
      guard byte != 0x3d else {
        padding += 1
        continue
      }
      guard padding == 0, let value = value(of: byte) else { return nil }
      group = group << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        result.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
      }
    }
    return padding <= 2 && bits < 6 ? result : nil
  }

  /// Encodes in the alphabet of URLs and file names, without padding (RFC 4648 §5).
  package static func encodeForURL(_ bytes: some Collection<UInt8>) -> String {
    let digits = encode(bytes).utf8.compactMap { byte -> UInt8? in
      switch byte {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      case UInt8(ascii: "="): nil
      default: byte
      }
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Decodes what is in the alphabet of URLs; that of `decode` is taken, too.
  package static func decodeFromURL(_ text: some Sequence<UInt8>) -> [UInt8]? {
    let digits = text.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    return decode(String(decoding: digits, as: UTF8.self))
  }

  private static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case 65...90: byte - 65
    case 97...122: byte - 71
    case 48...57: byte + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
