import Core
import Synchronization

/// Where attachments that come over the network are kept until a store names them: the blobs of the
/// store they go to, or a temporary folder.
final class AttachmentSpool: Sendable {
  private let store: LocalStore?
  private let temporaryFolder: String
  private let temporary: Mutex<BlobStore?> = Mutex(nil)

  /// - Parameters:
  ///   - store: takes the bytes; nil for a folder that is removed with the spool.
  ///   - temporaryFolder: where that folder is made.
  init(_ store: LocalStore?, temporaryFolder: String = "/tmp") {
    self.store = store
    self.temporaryFolder = temporaryFolder
  }

  deinit {
    if let folder = temporary.withLock({ $0?.folder }) { try? folder.removeTree() }
  }

  /// Starts a new attachment's bytes.
  func writer() throws -> BlobWriter {
    if let store { return try store.makeAttachment() }
    return try temporary.withLock { blobs in
      if let blobs { return try blobs.writer() }
      let made = BlobStore(Folder("\(temporaryFolder)/tote-\(RandomIdentifier.uuid())"))
      try made.folder.create()
      blobs = made
      return try made.writer()
    }
  }
}
