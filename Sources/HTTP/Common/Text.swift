/// Byte-wise text rules of HTTP, free of Unicode case and equivalence.

@inline(__always)
func asciiLower(_ byte: UInt8) -> UInt8 {
  byte &- 65 < 26 ? byte | 0x20 : byte
}

/// Whether two texts are the same but for the case of ASCII letters.
func equalIgnoringCase(_ left: String, _ right: String) -> Bool {
  let left = left.utf8
  let right = right.utf8
  guard left.count == right.count else { return false }
  return zip(left, right).allSatisfy { asciiLower($0) == asciiLower($1) }
}

/// Whether two texts are the same bytes.
func sameBytes(_ left: String, _ right: String) -> Bool {
  left.utf8.elementsEqual(right.utf8)
}

func asciiLowercased(_ bytes: some Sequence<UInt8>) -> String {
  String(decoding: bytes.map(asciiLower), as: UTF8.self)
}

func asciiLowercased(_ text: String) -> String { asciiLowercased(text.utf8) }

/// The bytes without blanks and tabs at both ends.
func trimmingBlanks<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
  var slice = bytes[...]
  while let first = slice.first, first == 0x20 || first == 0x09 { slice.removeFirst() }
  while let last = slice.last, last == 0x20 || last == 0x09 { slice.removeLast() }
  return slice
}

func trimmingBlanks(_ text: String) -> String {
  String(decoding: trimmingBlanks(text.utf8), as: UTF8.self)
}

/// Whether a byte may stand in a token (RFC 9110 §5.6.2).
func isTokenByte(_ byte: UInt8) -> Bool {
  switch byte {
  case 48...57, 65...90, 97...122: true
  case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x5e, 0x5f, 0x60, 0x7c, 0x7e:
    true
  default: false
  }
}

func isToken(_ text: String) -> Bool {
  !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
}

/// Whether a header value has no byte that would end or split its line.
func isFieldValue(_ text: String) -> Bool {
  text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
}

/// The value with every byte that would end or split its line turned into a blank.
func cleanFieldValue(_ text: String) -> String {
  isFieldValue(text)
    ? text
    : String(
      decoding: text.utf8.map { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 ? $0 : 0x20 },
      as: UTF8.self)
}

func hexValue(_ byte: UInt8) -> UInt8? {
  switch byte {
  case 48...57: byte - 48
  case 65...70: byte - 55
  case 97...102: byte - 87
  default: nil
  }
}

/// A non-negative decimal number of digits only; nil otherwise and past Int64.
func decimalNumber(_ text: some Sequence<UInt8>) -> Int64? {
  var value: Int64 = 0
  var isEmpty = true
  for byte in text {
    guard byte &- 48 < 10 else { return nil }
    let (product, overflows) = value.multipliedReportingOverflow(by: 10)
    let (sum, overflowsToo) = product.addingReportingOverflow(Int64(byte - 48))
    guard !overflows, !overflowsToo else { return nil }
    value = sum
    isEmpty = false
  }
  return isEmpty ? nil : value
}
