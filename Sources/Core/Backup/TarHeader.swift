/// The 512-byte header before each member of a tar archive (POSIX.1-1988 `ustar`).
///
/// Sizes above 8 GiB use GNU's base-256 form, which every tar of this century reads.
struct TarHeader {
  /// Path inside the archive, at most 100 bytes.
  var name: String
  /// Bytes of the member.
  var size: Int
  /// Seconds since 1970.
  var modified: Int

  /// Archives are made of blocks of this size.
  static let blockSize = 512

  /// Bytes to fill up a member's last block.
  static func padding(after size: Int) -> Int {
    (blockSize - size % blockSize) % blockSize
  }

  var bytes: [UInt8] {
    precondition(name.utf8.count <= 100, "names of members are ours, and short")
    var block = [UInt8](repeating: 0, count: Self.blockSize)
    func put(_ text: String, at offset: Int) {
      for (index, byte) in text.utf8.enumerated() { block[offset + index] = byte }
    }
    put(name, at: 0)
    put("0000600\0", at: 100)
    put("0000000\0", at: 108)
    put("0000000\0", at: 116)
    if size < 1 << 33 {
      put(octal(size, digits: 11), at: 124)
    } else {
      block[124] = 0x80
      for index in 0..<8 {
        block[128 + index] = UInt8(truncatingIfNeeded: size >> (56 - 8 * index))
      }
    }
    put(octal(modified, digits: 11), at: 136)
    put("        ", at: 148)
    put("0", at: 156)
    put("ustar\0", at: 257)
    put("00", at: 263)
    let sum = block.reduce(0) { $0 + Int($1) }
    put(octal(sum, digits: 6) + "\0 ", at: 148)
    return block
  }

  init(name: String, size: Int, modified: Int) {
    self.name = name
    self.size = size
    self.modified = modified
  }

  /// Reads a header; nil when its checksum is wrong or it is not a plain file.
  init?(_ block: [UInt8]) {
    var counted = block
    for index in 148..<156 { counted[index] = 0x20 }
    let sum = counted.reduce(0) { $0 + Int($1) }
    guard block.count == Self.blockSize, Self.number(block[148..<156]) == sum,
      block[156] == UInt8(ascii: "0") || block[156] == 0
    else { return nil }
    name = String(decoding: block[0..<100].prefix { $0 != 0 }, as: UTF8.self)
    modified = Self.number(block[136..<148]) ?? 0
    if block[124] == 0x80 {
      let bytes = block[128..<136]
      guard let first = bytes.first, first < 0x80 else { return nil }
      size = bytes.reduce(0) { $0 << 8 | Int($1) }
    } else {
      guard let number = Self.number(block[124..<136]) else { return nil }
      size = number
    }
  }

  private static func number(_ field: ArraySlice<UInt8>) -> Int? {
    let digits = field.drop { $0 == 0x20 }.prefix { $0 >= 0x30 && $0 <= 0x37 }
    return Int(String(decoding: digits, as: UTF8.self), radix: 8)
  }

  private func octal(_ value: Int, digits: Int) -> String {
    let text = String(value, radix: 8)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
