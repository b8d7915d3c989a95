/// Seals the content of a new blob while it comes; the form is that of `SealedBlob`.
final class BlobSealer {
  private let keys: BlobKeys
  private let contentKey: SecretBytes
  private let cipher: SegmentCipher
  /// Content that is not sealed yet; a full segment waits until it is known whether it is the last.
  private let pending = UnsafeMutableRawBufferPointer.allocate(
    byteCount: SealedBlob.segmentSize, alignment: 16)
  private var pendingCount = 0
  private let sealed = UnsafeMutableRawBufferPointer.allocate(
    byteCount: SealedBlob.sealedSize, alignment: 16)
  private var segment = 0

  init(keys: BlobKeys) throws(StoreError) {
    self.keys = keys
    contentKey = try SecretBytes.random(count: 32)
    cipher = SegmentCipher(key: contentKey)
  }

  deinit {
    wipe(pending)
    pending.deallocate()
    sealed.deallocate()
  }

  /// Leaves room for the head, which needs the content's name.
  func start(_ file: borrowing OpenFile) throws(StoreError) {
    try file.write([UInt8](repeating: 0, count: SealedBlob.contentStart), at: 0)
    try file.seek(to: SealedBlob.contentStart)
  }

  func append(
    _ bytes: UnsafeRawBufferPointer, to file: borrowing OpenFile
  ) throws(StoreError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if pendingCount == pending.count {
        try flush(UnsafeRawBufferPointer(pending), isLast: false, file)
        pendingCount = 0
      }
      if pendingCount == 0, rest.count > pending.count {
        let whole = rest.prefix(pending.count)
        try flush(UnsafeRawBufferPointer(rebasing: whole), isLast: false, file)
        rest = rest.dropFirst(whole.count)
        continue
      }
      let part = rest.prefix(pending.count - pendingCount)
      UnsafeMutableRawBufferPointer(rebasing: pending[pendingCount...])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
      pendingCount += part.count
      rest = rest.dropFirst(part.count)
    }
  }

  /// Writes the last segment and the head.
  func finish(as blob: BlobID, in file: borrowing OpenFile) throws(StoreError) {
    try flush(UnsafeRawBufferPointer(rebasing: pending[..<pendingCount]), isLast: true, file)
    try file.write(
      SealedBlob.head + keys.wrapped(contentKey, for: keys.name(of: blob)), at: 0)
  }

  private func flush(
    _ plain: UnsafeRawBufferPointer, isLast: Bool, _ file: borrowing OpenFile
  ) throws(StoreError) {
    let target = UnsafeMutableRawBufferPointer(
      rebasing: sealed[..<(plain.count + SegmentCipher.tagSize)])
    cipher.seal(
      plain, into: target, nonce: SealedBlob.nonce(segment: segment, isLast: isLast),
      associated: SealedBlob.head)
    segment += 1
    try file.write(UnsafeRawBufferPointer(target))
  }
}
