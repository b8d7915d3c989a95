import Core
import Glibc
import Synchronization

/// Where attachments that come over the network are kept until a store names them: the blobs of the
/// store they go to, or a temporary folder.
final class AttachmentSpool: Sendable {
  private let store: LocalStore?
  private let temporary: Mutex<BlobStore?> = Mutex(nil)

  init(_ store: LocalStore?) { self.store = store }

  deinit {
    if let folder = temporary.withLock({ $0?.folder }) { try? folder.removeTree() }
  }

  /// Starts a new attachment's bytes.
  func writer() throws -> BlobWriter {
    if let store { return try store.makeAttachment() }
    return try temporary.withLock { blobs in
      if let blobs { return try blobs.writer() }
      let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
      let made = BlobStore(Folder("\(folder)/tote-\(RandomIdentifier.uuid())"))
      try made.folder.create()
      blobs = made
      return try made.writer()
    }
  }
}
