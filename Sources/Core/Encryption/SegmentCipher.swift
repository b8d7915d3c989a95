import CNettle
import CPageCipher

/// AES-256-GCM with one key, for the segments of a blob and for the keys of blobs.
///
/// Not thread-safe.
package final class SegmentCipher {
  private let context: UnsafeMutablePointer<gcm_aes256_ctx>

  /// Bytes of the authentication code.
  package static let tagSize = 16
  /// Bytes of a nonce.
  package static let nonceSize = 12

  /// Prepares a key of 32 bytes.
  package init(key: SecretBytes) {
    precondition(key.count == 32)
    guard let memory = tote_secret_allocate(MemoryLayout<gcm_aes256_ctx>.size) else {
      preconditionFailure("out of memory")
    }
    context = memory.assumingMemoryBound(to: gcm_aes256_ctx.self)
    key.withBase { nettle_gcm_aes256_set_key(context, $0) }
  }

  deinit { tote_secret_free(context, MemoryLayout<gcm_aes256_ctx>.size) }

  /// Encrypts `plain` into `sealed`, whose last 16 bytes become the authentication code.
  ///
  /// - Parameters:
  ///   - plain: what is encrypted; may be empty.
  ///   - sealed: takes 16 bytes more than `plain` has.
  ///   - nonce: 12 bytes, never used twice with a key.
  ///   - associated: is authenticated too, and not encrypted.
  package func seal(
    _ plain: UnsafeRawBufferPointer, into sealed: UnsafeMutableRawBufferPointer, nonce: [UInt8],
    associated: [UInt8]
  ) {
    precondition(sealed.count == plain.count + Self.tagSize && nonce.count == Self.nonceSize)
    start(nonce, associated)
    let target = sealed.baseAddress?.assumingMemoryBound(to: UInt8.self)
    nettle_gcm_aes256_encrypt(
      context, plain.count, target, plain.baseAddress?.assumingMemoryBound(to: UInt8.self))
    nettle_gcm_aes256_digest(context, Self.tagSize, target?.advanced(by: plain.count))
  }

  /// Decrypts `sealed` into `plain`; false, with zeros in `plain`, when it is not what was sealed.
  package func open(
    _ sealed: UnsafeRawBufferPointer, into plain: UnsafeMutableRawBufferPointer, nonce: [UInt8],
    associated: [UInt8]
  ) -> Bool {
    precondition(sealed.count == plain.count + Self.tagSize && nonce.count == Self.nonceSize)
    start(nonce, associated)
    let source = sealed.baseAddress?.assumingMemoryBound(to: UInt8.self)
    nettle_gcm_aes256_decrypt(
      context, plain.count, plain.baseAddress?.assumingMemoryBound(to: UInt8.self), source)
    var tag: (UInt64, UInt64) = (0, 0)
    let isIntact = withUnsafeMutableBytes(of: &tag) { tag in
      nettle_gcm_aes256_digest(
        context, Self.tagSize, tag.baseAddress?.assumingMemoryBound(to: UInt8.self))
      return nettle_memeql_sec(tag.baseAddress, source?.advanced(by: plain.count), Self.tagSize)
        != 0
    }
    if !isIntact { tote_wipe(plain.baseAddress, plain.count) }
    return isIntact
  }

  private func start(_ nonce: [UInt8], _ associated: [UInt8]) {
    nettle_gcm_aes256_set_iv(context, nonce.count, nonce)
    if !associated.isEmpty { nettle_gcm_aes256_update(context, associated.count, associated) }
  }
}
