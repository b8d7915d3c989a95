/// Base 32 (RFC 4648 §6) in upper case and without padding: the densest text a QR code has a mode for.
public enum Base32 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// Encodes bytes, five bits a digit; the last digit's spare bits are zero.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    var held: UInt32 = 0
    var bits = 0
    for byte in bytes {
      held = held << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(digits[Int(held >> UInt32(bits)) & 31])
      }
      held &= (1 << UInt32(bits)) - 1
    }
    if bits > 0 { text.append(digits[Int(held << UInt32(5 - bits)) & 31]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes text of either case; nil for other characters, a length no bytes have, or spare bits set.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var held: UInt32 = 0
    var bits = 0
    for character in text.utf8 {
      guard let value = value(of: character) else { return nil }
      held = held << 5 | value
      bits += 5
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: held >> UInt32(bits)))
      }
      held &= (1 << UInt32(bits)) - 1
    }
    // Five spare bits or more would be a digit too many; one text a value, so that tickets compare.
    guard bits < 5, held == 0 else { return nil }
    return bytes
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a"))
    case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(character - UInt8(ascii: "2")) + 26
    default: nil
    }
  }
}
