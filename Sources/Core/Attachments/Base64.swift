private let alphabet = Array(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

/// The value of each byte as a base-64 digit; 255 where it is none.
private let digitValues: [UInt8] = {
  var values = [UInt8](repeating: 255, count: 256)
  for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
  return values
}()

/// Writes bytes in base 64 with padding (RFC 4648 §4).
package func base64(_ bytes: [UInt8]) -> String {
  let length = (bytes.count + 2) / 3 * 4
  return String(unsafeUninitializedCapacity: length) { output in
    var position = 0
    var index = 0
    while index < bytes.count {
      let second = index + 1 < bytes.count ? bytes[index + 1] : 0
      let third = index + 2 < bytes.count ? bytes[index + 2] : 0
      let group = UInt32(bytes[index]) << 16 | UInt32(second) << 8 | UInt32(third)
      for shift in [18, 12, 6, 0] as [UInt32] {
        output[position] = alphabet[Int(group >> shift & 63)]
        position += 1
      }
      index += 3
    }
    let padding = (3 - bytes.count % 3) % 3
    for place in 0..<padding { output[length - 1 - place] = UInt8(ascii: "=") }
    return length
  }
}

/// Reads base 64 with padding; white space is skipped, as CouchDB does.
///
/// Nil when it is malformed.
package func base64Decoded(_ text: String) -> [UInt8]? {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.utf8.count / 4 * 3)
  var group: UInt32 = 0
  var digits = 0
  var padding = 0
  for byte in text.utf8 {
    switch byte {
    case 0x20, 0x09, 0x0a, 0x0d: continue
    case UInt8(ascii: "="): padding += 1
    default:
      let value = digitValues[Int(byte)]
      guard value != 255, padding == 0 else { return nil }
      group = group << 6 | UInt32(value)
      digits += 1
      if digits % 4 == 0 {
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        bytes.append(UInt8(truncatingIfNeeded: group >> 8))
        bytes.append(UInt8(truncatingIfNeeded: group))
        group = 0
      }
    }
  }
  switch (digits % 4, padding) {
  case (0, 0): return bytes
  case (2, 2): bytes.append(UInt8(truncatingIfNeeded: group >> 4))
  case (3, 1):
    bytes.append(UInt8(truncatingIfNeeded: group >> 10))
    bytes.append(UInt8(truncatingIfNeeded: group >> 2))
  default: return nil
  }
  return bytes
}
