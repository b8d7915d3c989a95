import Glibc

/// The form of an attachment's file in an encrypted store.
///
/// - 16 bytes: `toteblob`, the version 1, the binary logarithm of a segment's size, zeros.
/// - 64 bytes: the blob's own key, wrapped by the store's key for attachments: nonce (12), key (32),
///   code (16), zeros (4).
/// - 64 bytes: zeros. While the store's key is changed, the key wrapped by the new one.
/// - Segments of 65,536 bytes, the last of 0 to 65,536, each followed by its code (16). The nonce of
///   a segment is a byte that is 1 for the last one, three zeros, and the segment's number in eight
///   big-endian bytes: so none can be cut off, exchanged or moved (the STREAM construction of Hoang,
///   Reyhanitabar, Rogaway and Vizár, 2015). The first 16 bytes of the file are authenticated with
///   each of them, and the file's name with the wrapped key.
///
/// The cipher is AES-256-GCM throughout. The name of the file is HMAC-SHA256 of the content's SHA-256
/// under a key of the store, so that it does not tell whether some known content is there.
enum SealedBlob {
  /// Bytes of content in a segment.
  static let segmentSize = 1 << 16
  /// Bytes of a whole segment on the disk.
  static let sealedSize = segmentSize + SegmentCipher.tagSize
  /// The first bytes of a file.
  static let head = Array("toteblob".utf8) + [1, 16, 0, 0, 0, 0, 0, 0]
  /// Where the wrapped key lies, and the one it is replaced by.
  static let slots = [16, 80]
  /// Bytes of a wrapped key: nonce, key, code.
  static let wrapSize = SegmentCipher.nonceSize + 32 + SegmentCipher.tagSize
  /// Bytes kept for a wrapped key.
  static let slotSize = 64
  /// Where the first segment begins.
  static let contentStart = 144

  /// Bytes of content in a file; nil when no file of that size holds any.
  static func contentSize(fileSize: Int) -> Int? {
    let sealed = fileSize - contentStart
    guard sealed >= SegmentCipher.tagSize else { return nil }
    let rest = sealed % sealedSize
    // Only the one segment of an empty blob is empty.
    guard rest == 0 || rest > SegmentCipher.tagSize || sealed == SegmentCipher.tagSize else {
      return nil
    }
    return sealed - segmentCount(sealed: sealed) * SegmentCipher.tagSize
  }

  static func segmentCount(sealed: Int) -> Int { (sealed + sealedSize - 1) / sealedSize }

  static func nonce(segment: Int, isLast: Bool) -> [UInt8] {
    var nonce = [UInt8](repeating: 0, count: SegmentCipher.nonceSize)
    nonce[0] = isLast ? 1 : 0
    for index in 0..<8 { nonce[11 - index] = UInt8(truncatingIfNeeded: segment >> (8 * index)) }
    return nonce
  }
}
