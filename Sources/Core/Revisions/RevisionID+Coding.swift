/// The form of revisions in the store's file.
///
/// A variable-length number holds the generation doubled, plus one when the hash is text rather than
/// a digest; then come 16 bytes of digest, or the text. The whole value is the column's length, so a
/// text needs no length of its own; inside a tree it gets one.
extension RevisionID {
  /// The bytes of the `rev` columns.
  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(18)
    switch hash {
    case .digest:
      bytes.appendVariableLength(UInt64(generation) << 1)
    case .text:
      bytes.appendVariableLength(UInt64(generation) << 1 | 1)
    }
    bytes.append(contentsOf: hash.bytes)
    return bytes
  }

  /// Reads the bytes of a `rev` column; nil when they are not a revision.
  package init?(encoded bytes: UnsafeRawBufferPointer) {
    var reader = ByteReader(bytes)
    guard let head = reader.variableLength(), head >> 1 <= UInt64(Int.max) else { return nil }
    let generation = Int(head >> 1)
    if head & 1 == 0 {
      guard reader.remaining == 16, let high = reader.bigEndian(), let low = reader.bigEndian()
      else { return nil }
      self.init(generation: generation, hash: .digest(high, low))
    } else {
      guard let text = reader.text(count: reader.remaining) else { return nil }
      self.init(generation: generation, hash: .text(UTF8Key(text)))
    }
  }
}

extension [UInt8] {
  /// Appends an unsigned number seven bits at a time, lowest first (LEB128).
  package mutating func appendVariableLength(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}

/// Reads the small binary forms of the store's columns; every read is checked against the end.
package struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  package var remaining: Int { bytes.count - offset }

  package mutating func byte() -> UInt8? {
    guard remaining > 0 else { return nil }
    defer { offset += 1 }
    return bytes[offset]
  }

  package mutating func variableLength() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 64, let next = byte() {
      value |= UInt64(next & 0x7f) << shift
      if next & 0x80 == 0 { return value }
      shift += 7
    }
    return nil
  }

  package mutating func bigEndian() -> UInt64? {
    guard remaining >= 8 else { return nil }
    defer { offset += 8 }
    return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  package mutating func text(count: Int) -> String? {
    guard count >= 0, remaining >= count else { return nil }
    defer { offset += count }
    return String(
      decoding: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]), as: UTF8.self)
  }
}
