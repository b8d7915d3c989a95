/// Decodes the body of a valid JSON string that holds escapes.
///
/// The text is never longer than the body: `\uXXXX` is six bytes for at most three, a pair twelve for
/// four.
///
/// - Parameters:
///   - source: the bytes between the quotes, validated by the scanner.
///   - count: how many.
///   - target: room for `count` bytes.
/// - Returns: the bytes written.
func decodeJSONEscapes(
  _ source: UnsafePointer<UInt8>, count: Int, into target: UnsafeMutablePointer<UInt8>
) -> Int {
  var read = source
  let end = source + count
  var write = target
  while read < end {
    let byte = read.pointee
    guard byte == UInt8(ascii: "\\") else {
      write.pointee = byte
      write += 1
      read += 1
      continue
    }
    let kind = read[1]
    read += 2
    switch kind {
    case UInt8(ascii: "b"): write.pointee = 0x08
    case UInt8(ascii: "f"): write.pointee = 0x0C
    case UInt8(ascii: "n"): write.pointee = 0x0A
    case UInt8(ascii: "r"): write.pointee = 0x0D
    case UInt8(ascii: "t"): write.pointee = 0x09
    case UInt8(ascii: "u"):
      var scalar = hexUnit(read)
      read += 4
      if scalar & 0xFC00 == 0xD800 {
        // The low half follows its own `\u`.
        scalar = 0x10000 + (scalar & 0x3FF) << 10 + (hexUnit(read + 2) & 0x3FF)
        read += 6
      }
      write += encodeUTF8(scalar, into: write)
      continue
    default: write.pointee = kind
    }
    write += 1
  }
  return write - target
}

private func hexUnit(_ place: UnsafePointer<UInt8>) -> UInt32 {
  var unit: UInt32 = 0
  for index in 0..<4 { unit = unit << 4 | UInt32(hexDigit(place[index]) ?? 0) }
  return unit
}

private func encodeUTF8(_ scalar: UInt32, into target: UnsafeMutablePointer<UInt8>) -> Int {
  func tail(_ shift: UInt32) -> UInt8 {
    0x80 | UInt8(truncatingIfNeeded: (scalar >> shift) & 0x3F)
  }
  switch scalar {
  case 0..<0x80:
    target[0] = UInt8(truncatingIfNeeded: scalar)
    return 1
  case 0x80..<0x800:
    target[0] = 0xC0 | UInt8(truncatingIfNeeded: scalar >> 6)
    target[1] = tail(0)
    return 2
  case 0x800..<0x10000:
    target[0] = 0xE0 | UInt8(truncatingIfNeeded: scalar >> 12)
    target[1] = tail(6)
    target[2] = tail(0)
    return 3
  default:
    target[0] = 0xF0 | UInt8(truncatingIfNeeded: scalar >> 18)
    target[1] = tail(12)
    target[2] = tail(6)
    target[3] = tail(0)
    return 4
  }
}
