import Glibc

/// The attachments' part in a change of a store's key.
struct BlobChange {
  let folder: Folder
  /// The keys of the store as it was; nil when it was plain.
  let old: BlobKeys?
  /// The keys of the store as it is to be; nil when it is to be plain.
  let new: BlobKeys?
  let lease: BlobLease
  let report: (KeyChangeProgress.Step, _ done: Int, _ total: Int) -> Void

  /// Makes every blob readable with the new keys, and leaves it readable with the old ones.
  func run(_ blobs: [BlobID]) throws -> KeyChangeReport {
    var result = KeyChangeReport()
    for (index, blob) in blobs.enumerated() {
      report(.attachments, index, blobs.count)
      let isDone = try old != nil && new != nil ? rewrap(blob) : rewrite(blob)
      if isDone { result.blobs += 1 } else { result.resumed += 1 }
    }
    return result
  }

  /// Writes a blob in its other form; false when that is there already.
  private func rewrite(_ blob: BlobID) throws -> Bool {
    let source = BlobStore(folder, keys: old)
    let target = BlobStore(folder, keys: new)
    // A blob gets its name when it is complete, so its presence says all.
    if access(target.path(of: blob), F_OK) == 0 { return false }
    // What is missing already is missing afterwards too; 'verify' tells.
    guard source.size(of: blob) != nil else { return false }
    let writer = try target.writer(holding: lease)
    try source.open(blob).forEachPiece { try writer.append($0) }
    guard try writer.finish(expecting: blob) else {
      throw StoreError.damaged(
        path: source.path(of: blob), detail: "its content does not match its name")
    }
    return true
  }

  // MARK: Wrapped keys

  /// Wraps a blob's key by the new keys, beside what the old ones wrapped; false when it is there.
  private func rewrap(_ blob: BlobID) throws -> Bool {
    guard let old, let new else { return false }
    let store = BlobStore(folder, keys: old)
    let name = store.fileName(of: blob)
    let path = store.path(ofFile: name)
    guard access(path, F_OK) == 0 else { return false }
    let file = try OpenFile(path, O_RDWR)
    let slots = try slots(of: file)
    if slots.contains(where: { new.unwrapped($0, for: name) != nil }) { return false }
    for (index, slot) in slots.enumerated() {
      guard let key = old.unwrapped(slot, for: name) else { continue }
      var wrap = try new.wrapped(key, for: name)
      wrap += [UInt8](repeating: 0, count: SealedBlob.slotSize - wrap.count)
      try file.write(wrap, at: SealedBlob.slots[1 - index])
      try file.synchronize()
      return true
    }
    throw StoreError.damaged(
      path: path, detail: "its key does not match its authentication code")
  }

  private func slots(of file: borrowing OpenFile) throws -> [[UInt8]] {
    var head = [UInt8](repeating: 0, count: SealedBlob.contentStart)
    let count = try head.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    guard count == head.count, head.starts(with: SealedBlob.head) else {
      throw StoreError.damaged(path: file.path, detail: "it is not an encrypted attachment")
    }
    return SealedBlob.slots.map { Array(head[$0..<($0 + SealedBlob.slotSize)]) }
  }

  // MARK: Afterwards

  /// Removes files and wrapped keys that the store, as it is now, does not use.
  func clean(_ blobs: [BlobID]) throws {
    let store = BlobStore(folder, keys: new)
    let names = Set(blobs.map(store.fileName(of:)))
    var done = 0
    try store.forEachFile { path, name in
      report(.cleaning, done, blobs.count)
      done += 1
      guard let name, names.contains(name) else { return try overwrite(path) }
      if new != nil { try dropOtherWrap(path, name) }
    }
  }

  private func dropOtherWrap(_ path: String, _ name: BlobID) throws {
    guard let new else { return }
    let file = try OpenFile(path, O_RDWR)
    let slots = try slots(of: file)
    guard let index = slots.firstIndex(where: { new.unwrapped($0, for: name) != nil }) else {
      return
    }
    guard slots[1 - index].contains(where: { $0 != 0 }) else { return }
    let zeros = [UInt8](repeating: 0, count: SealedBlob.slotSize)
    try file.write(zeros, at: SealedBlob.slots[1 - index])
    try file.synchronize()
  }
}
