/// Names a blob by the SHA-256 of its bytes.
package struct BlobID: Hashable, Sendable {
  /// 32 bytes.
  package let digest: [UInt8]

  package init(digest: [UInt8]) { self.digest = digest }

  package var hex: String { hexadecimal(digest) }
}

extension BlobID {
  /// Reads 64 hexadecimal digits.
  package init?(hex: String) {
    let digits = hex.utf8.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
    guard digits.count == 64, hex.utf8.count == 64 else { return nil }
    self.init(digest: stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }
}

/// Writes a digest as CouchDB does: `md5-` and base 64.
package func md5Text(_ digest: [UInt8]) -> String { "md5-" + base64(digest) }

/// Reads `md5-…`; nil when it is something else.
package func md5Bytes(_ text: String) -> [UInt8]? {
  guard text.utf8.starts(with: "md5-".utf8) else { return nil }
  guard let bytes = base64Decoded(String(text.dropFirst(4))), bytes.count == 16 else { return nil }
  return bytes
}
