import Core
import Synchronization

/// The bytes that were staged for one photo, so that they can be taken back.
final class Drafts: Sendable {
  private let store: any DocumentStore
  private let state = Mutex(State())

  private struct State {
    var staged: [StagedBlob] = []
    var note: BlobNote?
  }

  init(_ store: any DocumentStore) { self.store = store }

  /// Notes on the disk that bytes follow.
  func begin() throws {
    guard let store = store as? LocalStore else { return }
    let note = try store.noteWriting()
    state.withLock { $0.note = note }
  }

  /// Starts the bytes of a picture.
  func writer() throws -> BlobWriter { try store.makeAttachment() }

  /// Keeps what a writer made.
  func keep(_ blob: StagedBlob) { state.withLock { $0.staged.append(blob) } }

  /// The note, for who clears up.
  var note: BlobNote? { state.withLock { $0.note } }

  /// The photo is written.
  func end() {
    state.withLock { state in
      state.note?.end()
      state = State()
    }
  }

  /// Lets go of the bytes and tells which they are.
  func abandon() -> [NamedBlob] {
    state.withLock { state in
      defer { state.staged = [] }
      state.note?.release()
      return state.staged.map(NamedBlob.init)
    }
  }
}

/// The pictures of a photo that is about to be written, their bytes on the disk.
struct PhotoDraft: Sendable {
  let processed: ProcessedPhoto
  let attachments: [Core.Attachment]
  let drafts: Drafts

  /// Makes the pictures of a file; blocks.
  init(_ source: PhotoSource, _ options: PhotoOptions, _ drafts: Drafts) throws {
    self.drafts = drafts
    try drafts.begin()
    let writer = try drafts.writer()
    var failure: (any Error)?
    do {
      processed = try PhotoPipeline.process(source, options) { bytes in
        do {
          try writer.append(bytes)
        } catch {
          failure = error
          throw error
        }
      }
    } catch {
      // The store knows better than the pipeline why it could not be written.
      throw failure ?? error
    }
    var staged = [(PictureSize.full, try writer.finish())]
    drafts.keep(staged[0].1)
    for (size, picture) in [
      (PictureSize.thumb, processed.thumbnail as EncodedPicture?),
      (.view, processed.view),
    ] {
      guard let picture else { continue }
      let writer = try drafts.writer()
      try writer.append(picture.bytes)
      staged.append((size, try writer.finish()))
      drafts.keep(staged[staged.count - 1].1)
    }
    attachments = staged.map { size, blob in
      Core.Attachment(
        name: size.attachmentName, contentType: PhotoDocument.contentType, digest: blob.digest,
        length: blob.length, content: .staged(blob))
    }
  }

  /// The pictures as the photo will tell them.
  var pictures: [PictureSize: Photo.Picture] {
    var pictures: [PictureSize: Photo.Picture] = [:]
    for attachment in attachments {
      guard let size = PictureSize.allCases.first(where: { $0.attachmentName == attachment.name })
      else { continue }
      pictures[size] = Photo.Picture(
        length: Int64(attachment.length), digest: attachment.digest)
    }
    return pictures
  }
}
