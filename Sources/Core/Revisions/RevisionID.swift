/// The name of one revision: its generation and its hash, written `N-hash`.
///
/// Revisions order as CouchDB orders them: by generation, then by the bytes of the hash. A hash of
/// 32 hexadecimal digits counts as the 16 bytes it spells and is written in lower case; any other
/// hash counts as its own UTF-8 bytes, so `1-zz` beats `1-1111…` and loses to `1-aaaa…`.
public struct RevisionID: Hashable, Sendable {
  /// How many edits lead to this revision, from 1; `_local` documents use 0.
  public let generation: Int

  /// What follows the dash.
  package let hash: Hash

  package enum Hash: Hashable, Sendable {
    /// 32 hexadecimal digits, as two big-endian halves.
    case digest(UInt64, UInt64)
    /// Any other text.
    case text(UTF8Key)
  }

  package init(generation: Int, hash: Hash) {
    self.generation = generation
    self.hash = hash
  }

  /// Makes the revision of a generation from its hash as it is written.
  public init(generation: Int, hash text: String) {
    self.init(generation: generation, hash: Hash(text))
  }

  /// The greatest generation that is read from outside: what JSON numbers hold exactly.
  ///
  /// It leaves room for edits on top of it.
  package static let maximumGeneration = 1 << 53

  /// Reads `N-hash`; nil unless N is a number without sign and the hash is not empty.
  public init?(_ text: String) {
    let bytes = text.utf8
    guard let dash = bytes.firstIndex(of: UInt8(ascii: "-")), dash != bytes.startIndex,
      bytes.index(after: dash) != bytes.endIndex,
      bytes[..<dash].allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      let generation = Int(text[..<dash]), generation <= Self.maximumGeneration
    else { return nil }
    self.init(generation: generation, hash: Hash(String(text[bytes.index(after: dash)...])))
  }

  /// The hash as it is written after the dash.
  public var hashText: String {
    switch hash {
    case .text(let key): key.string
    case .digest(let high, let low):
      String(unsafeUninitializedCapacity: 32) { buffer in
        writeHex(high, to: buffer, at: 0)
        writeHex(low, to: buffer, at: 16)
        return 32
      }
    }
  }
}

extension RevisionID: CustomStringConvertible {
  /// `N-hash`.
  public var description: String { "\(generation)-\(hashText)" }
}

extension RevisionID: Comparable {
  /// Tells whether `left` loses against `right` when both are leaves of one document.
  public static func < (left: RevisionID, right: RevisionID) -> Bool {
    if left.generation != right.generation { return left.generation < right.generation }
    switch (left.hash, right.hash) {
    case (.digest(let a, let b), .digest(let c, let d)):
      return a == c ? b < d : a < c
    default:
      return left.hash.bytes.lexicographicallyPrecedes(right.hash.bytes)
    }
  }
}

extension RevisionID.Hash {
  init(_ text: String) {
    var text = text
    let parsed = text.withUTF8 { bytes -> (UInt64, UInt64)? in
      guard bytes.count == 32 else { return nil }
      var halves: (UInt64, UInt64) = (0, 0)
      for index in 0..<32 {
        guard let digit = hexDigit(bytes[index]) else { return nil }
        if index < 16 {
          halves.0 = halves.0 << 4 | UInt64(digit)
        } else {
          halves.1 = halves.1 << 4 | UInt64(digit)
        }
      }
      return halves
    }
    if let (high, low) = parsed {
      self = .digest(high, low)
    } else {
      self = .text(UTF8Key(text))
    }
  }

  /// The bytes that hashes are ordered by.
  var bytes: [UInt8] {
    switch self {
    case .text(let key): Array(key.string.utf8)
    case .digest(let high, let low):
      withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }
  }
}

private func writeHex(_ value: UInt64, to buffer: UnsafeMutableBufferPointer<UInt8>, at start: Int)
{
  for index in 0..<16 {
    let digit = UInt8(truncatingIfNeeded: value >> UInt64(60 - index * 4) & 15)
    buffer[start + index] = digit < 10 ? 0x30 + digit : 0x61 + digit - 10
  }
}
