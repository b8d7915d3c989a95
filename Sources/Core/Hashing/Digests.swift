import CNettle

/// MD5, as revision ids and CouchDB's attachment digests use it; not for secrets.
package struct MD5: ~Copyable {
  private var context = md5_ctx()

  package init() { nettle_md5_init(&context) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    nettle_md5_update(&context, bytes.count, base.assumingMemoryBound(to: UInt8.self))
  }

  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  package mutating func update(_ text: StaticString) {
    update(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// The digest as two big-endian halves; the hasher starts anew.
  package mutating func finish() -> (UInt64, UInt64) {
    var digest: (UInt64, UInt64) = (0, 0)
    withUnsafeMutableBytes(of: &digest) { buffer in
      nettle_md5_digest(&context, 16, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
    return (UInt64(bigEndian: digest.0), UInt64(bigEndian: digest.1))
  }
}

/// SHA-256, which names blobs and proves exports complete.
package struct SHA256: ~Copyable {
  private var context = sha256_ctx()

  package init() { nettle_sha256_init(&context) }

  /// A hasher that goes on from what another has taken in.
  package init(from snapshot: Snapshot) { context = snapshot.context }

  /// What a hasher has taken in so far, to go on from there more than once.
  package struct Snapshot: Sendable { fileprivate let context: sha256_ctx }

  /// What was taken in so far.
  package var snapshot: Snapshot { Snapshot(context: context) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    nettle_sha256_update(&context, bytes.count, base.assumingMemoryBound(to: UInt8.self))
  }

  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// The 32 bytes of the digest; the hasher starts anew.
  package mutating func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      nettle_sha256_digest(&context, 32, buffer.baseAddress)
      count = 32
    }
  }
}

/// Writes bytes as lower-case hexadecimal digits.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  var text: [UInt8] = []
  for byte in bytes {
    for digit in [byte >> 4, byte & 15] { text.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
  }
  return String(decoding: text, as: UTF8.self)
}
