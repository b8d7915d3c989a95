import Glibc
import Synchronization

/// An open blob: its content, decrypted in an encrypted store.
package struct BlobReader: ~Copyable, Sendable {
  private let file: OpenFile
  private let unsealer: BlobUnsealer?
  /// Bytes of content.
  package let size: Int

  /// Opens a blob's file.
  ///
  /// - Throws: `StoreError.damaged` when it is none of an encrypted store, or what the disk says.
  init(_ path: String, name: BlobID, keys: BlobKeys?) throws {
    let file = try OpenFile(path, O_RDONLY)
    if let keys {
      let unsealer = try BlobUnsealer(file, name: name, keys: keys)
      size = unsealer.size
      self.unsealer = unsealer
    } else {
      size = try file.size()
      unsealer = nil
    }
    self.file = file
  }

  /// Reads up to the buffer's size from an offset.
  ///
  /// - Returns: bytes read; 0 at the end.
  /// - Throws: `StoreError.damaged` when what was asked for is not what was sealed, or what the disk
  ///   says.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    guard let unsealer else { return try file.read(into: buffer, at: offset) }
    return try unsealer.read(file, into: buffer, at: offset)
  }

  /// Hands over the whole content in pieces, lent for the call.
  package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    var offset = 0
    while true {
      let count = try read(into: buffer, at: offset)
      guard count > 0 else { return }
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += count
    }
  }
}

/// Decrypts segments of a sealed blob as they are asked for; one that is read in part is kept.
private final class BlobUnsealer {
  let size: Int
  private let segmentCount: Int
  private let lock = Mutex(())
  private let cipher: SegmentCipher
  private var sealed = [UInt8](repeating: 0, count: SealedBlob.sealedSize)
  private var plain = [UInt8](repeating: 0, count: SealedBlob.segmentSize)
  /// The segment whose content is in `plain`; -1 for none.
  private var kept = -1

  init(_ file: borrowing OpenFile, name: BlobID, keys: BlobKeys) throws {
    guard let size = SealedBlob.contentSize(fileSize: try file.size()) else {
      throw StoreError.damaged(path: file.path, detail: "it is cut short")
    }
    self.size = size
    segmentCount = max(1, (size + SealedBlob.segmentSize - 1) / SealedBlob.segmentSize)
    cipher = SegmentCipher(key: try Self.key(file, name, keys))
  }

  private static func key(
    _ file: borrowing OpenFile, _ name: BlobID, _ keys: BlobKeys
  ) throws -> SecretBytes {
    var head = [UInt8](repeating: 0, count: SealedBlob.contentStart)
    let count = try head.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    guard count == head.count, head.starts(with: SealedBlob.head) else {
      throw StoreError.damaged(path: file.path, detail: "it is not an encrypted attachment")
    }
    let slots = SealedBlob.slots.map { head[$0..<($0 + SealedBlob.slotSize)] }
    for (index, slot) in slots.enumerated() {
      guard let key = keys.unwrapped(slot, for: name) else { continue }
      let rest = [slots[1 - index], slot.dropFirst(SealedBlob.wrapSize)].joined()
      // Outside a change of keys nothing else may be there: a changed byte is damage everywhere.
      guard keys.isChanging || rest.allSatisfy({ $0 == 0 }) else { break }
      return key
    }
    throw StoreError.damaged(
      path: file.path, detail: "its key does not match its authentication code")
  }

  func read(
    _ file: borrowing OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws -> Int {
    let (descriptor, path) = (file.descriptor, file.path)
    return try lock.withLock { _ in
      // The only segment of an empty blob is checked too.
      if size == 0 { try keep(0, descriptor, path) }
      var filled = 0
      while filled < buffer.count, offset + filled < size {
        let segment = (offset + filled) / SealedBlob.segmentSize
        let start = (offset + filled) % SealedBlob.segmentSize
        let count = min(buffer.count - filled, contentCount(of: segment) - start)
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + count)])
        if count == contentCount(of: segment), segment != kept {
          try unseal(segment, into: target, descriptor, path)
        } else {
          try keep(segment, descriptor, path)
          plain.withUnsafeBytes {
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<(start + count)]))
          }
        }
        filled += count
      }
      return filled
    }
  }

  private func contentCount(of segment: Int) -> Int {
    min(SealedBlob.segmentSize, size - segment * SealedBlob.segmentSize)
  }

  private func keep(_ segment: Int, _ descriptor: Int32, _ path: String) throws {
    guard segment != kept else { return }
    kept = -1
    var bytes = plain
    plain = []
    defer { plain = bytes }
    let count = contentCount(of: segment)
    try bytes.withUnsafeMutableBytes {
      try unseal(
        segment, into: UnsafeMutableRawBufferPointer(rebasing: $0[..<count]), descriptor, path)
    }
    kept = segment
  }

  private func unseal(
    _ segment: Int, into plain: UnsafeMutableRawBufferPointer, _ descriptor: Int32, _ path: String
  ) throws {
    let count = plain.count + SegmentCipher.tagSize
    let offset = SealedBlob.contentStart + segment * SealedBlob.sealedSize
    let nonce = SealedBlob.nonce(segment: segment, isLast: segment == segmentCount - 1)
    let isIntact = try sealed.withUnsafeMutableBytes { buffer in
      let sealed = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
      guard try readFully(descriptor, into: sealed, at: offset, path) == count else {
        throw StoreError.damaged(path: path, detail: "it is cut short")
      }
      return cipher.open(
        UnsafeRawBufferPointer(sealed), into: plain, nonce: nonce, associated: SealedBlob.head)
    }
    guard isIntact else {
      throw StoreError.damaged(
        path: path, detail: "segment \(segment + 1) does not match its authentication code")
    }
  }
}

// What changes is used under the lock only.
extension BlobUnsealer: @unchecked Sendable {}

/// Reads until the buffer is full or the file ends.
private func readFully(
  _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int, _ path: String
) throws(StoreError) -> Int {
  var filled = 0
  while filled < buffer.count {
    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
    let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
    if count < 0 {
      if errno == EINTR { continue }
      throw StoreError(errno: errno, operation: "read", path: path)
    }
    if count == 0 { break }
    filled += count
  }
  return filled
}
