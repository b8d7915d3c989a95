import Glibc

/// An open attachment: what is known about it, and its bytes as stored.
public struct AttachmentReader: ~Copyable, Sendable {
  /// The description.
  public let attachment: Attachment
  private let file: BlobReader
  package let blob: BlobID

  /// The file that holds just the bytes as stored; nil for an encrypted store's.
  public let plainPath: String?

  init(_ stored: StoredAttachment, blobs: BlobStore) throws {
    let description = stored.description
    let file = try Self.open(stored, blobs)
    let size = file.size
    guard size == description.storedLength else {
      throw StoreError.damagedAttachment(
        name: description.name,
        detail: "it has \(size) bytes instead of \(description.storedLength)")
    }
    self.file = file
    attachment = description
    blob = stored.blob
    plainPath = blobs.keys != nil ? nil : blobs.path(of: stored.blob)
  }

  /// Opens an attachment that waits to be named by a revision.
  package init(staged attachment: Attachment) throws {
    guard case .staged(let staged) = attachment.content else {
      throw StoreError.damagedAttachment(name: attachment.name, detail: "its bytes are gone")
    }
    try self.init(
      StoredAttachment(description: attachment, blob: staged.blob), blobs: staged.store)
  }

  private static func open(_ stored: StoredAttachment, _ blobs: BlobStore) throws -> BlobReader {
    do {
      return try blobs.open(stored.blob)
    } catch StoreError.io(_, _, ENOENT) {
      throw StoreError.damagedAttachment(
        name: stored.description.name, detail: "its bytes are gone")
    } catch StoreError.damaged(_, let detail) {
      throw StoreError.damagedAttachment(name: stored.description.name, detail: detail)
    }
  }

  /// Bytes as stored: those of the file, or of its gzip form when `attachment.encoding` says so.
  public var count: Int { attachment.storedLength }

  /// Reads up to the buffer's size from an offset.
  ///
  /// - Returns: bytes read; 0 at the end.
  public borrowing func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws -> Int {
    do {
      return try file.read(into: buffer, at: offset)
    } catch StoreError.damaged(_, let detail) {
      throw StoreError.damagedAttachment(name: attachment.name, detail: detail)
    }
  }

  /// Reads all bytes; for attachments known to be small.
  package borrowing func bytes() throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < bytes.count {
      let read = try bytes.withUnsafeMutableBytes { buffer in
        try self.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), at: filled)
      }
      guard read > 0 else {
        throw StoreError.damagedAttachment(name: attachment.name, detail: "it is cut short")
      }
      filled += read
    }
    return bytes
  }
}
