import Glibc

/// A numeric network address in its bytes: 4 of IPv4 or 16 of IPv6.
struct AddressBytes: Hashable {
  let bytes: [UInt8]

  /// Reads dotted decimals or IPv6 text, without brackets and zone.
  init?(_ text: some StringProtocol) {
    let text = String(text)
    var four = in_addr()
    var sixteen = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: four) { Array($0) }
    } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
      bytes = withUnsafeBytes(of: sixteen) { Array($0) }
    } else {
      return nil
    }
  }

  /// Takes 4 or 16 bytes.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads 8 or 32 hexadecimal digits.
  init?(hexadecimal text: some StringProtocol) {
    let digits = text.utf8.compactMap { Self.digit($0) }
    guard digits.count == text.utf8.count, digits.count == 8 || digits.count == 32 else {
      return nil
    }
    bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  /// Upper-case digits, as a ticket has them.
  var hexadecimal: String {
    let digits = Array("0123456789ABCDEF")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }

  /// The usual text.
  var text: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    _ = bytes.withUnsafeBytes {
      inet_ntop(family, $0.baseAddress, &buffer, socklen_t(buffer.count))
    }
    return buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }
}
