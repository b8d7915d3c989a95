import Core
import Synchronization

extension PhotoLibrary {
  /// Adds a photo.
  ///
  /// The work is done on a thread of its own as soon as one is free. The photo and what finds it are
  /// written at once; when anything fails before, nothing is left.
  ///
  /// - Parameters:
  ///   - source: the file that was sent; it stays as it is until this returns.
  ///   - digest: the SHA-256 of the file, 32 bytes; counted from the bytes, never believed.
  ///   - title: what the user wrote; see ``PhotoText/title(_:)``.
  ///   - user: who adds it.
  ///   - pipeline: sizes, limits, and what to do with damage.
  /// - Returns: the photo, or that of an earlier call with the same file by the same user.
  /// - Throws: ``PhotoRefusal`` when the file is not taken, ``PhotoLibraryError``, `StoreError`,
  ///   `RemoteError`.
  public func add(
    _ source: PhotoSource, sentDigest digest: [UInt8], title: String, by user: String,
    _ pipeline: PhotoOptions = PhotoOptions()
  ) async throws -> AddedPhoto {
    precondition(digest.count == 32, "a SHA-256 has 32 bytes")
    let title = try PhotoText.title(title)
    let user = try PhotoText.userName(user)
    let sent = PhotoDocument.sentID(user: user, digest: digest)
    return try await uploads.withLock(sent) {
      try Task.checkCancellation()
      let (mapping, known) = try await settled(sent, by: user)
      if let known { return AddedPhoto(photo: known, isDuplicate: true) }
      let drafts = Drafts(store)
      let result: Result<AddedPhoto, any Error>
      do {
        let draft = try await draft(source, pipeline, drafts)
        let photo = photo(draft, number: try await numbers.next(), title: title, user: user)
        result = .success(try await write(photo, draft, sent: sent, over: mapping?.revision))
      } catch {
        result = .failure(error)
      }
      if case .success(let added) = result, !added.isDuplicate {
        drafts.end()
        tidier?.tidySoon()
      } else {
        await tidier?.remove(drafts.abandon(), pastOf: [], ending: drafts.note)
      }
      return try result.get()
    }
  }

  /// Looks up what a user made of a file, and waits for a photo that is just being written.
  ///
  /// A server gets what finds a photo before the photo itself, whose pictures take their time. One
  /// that does not come is that of an upload which was cut off.
  private func settled(
    _ sent: String, by user: String
  ) async throws -> (mapping: Document?, photo: Photo?) {
    while true {
      guard let mapping = try await document(sent) else { return (nil, nil) }
      if let photo = try await photo(of: mapping, by: user) { return (mapping, photo) }
      guard !(store is LocalStore), let id = PhotoDocument.target(of: mapping),
        abs(clock.read() - id.milliseconds) < Self.settlingTime
      else { return (mapping, nil) }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  /// Milliseconds that writing a photo to a server may take.
  private static let settlingTime: Int64 = 30_000

  // MARK: Pictures

  /// Makes the pictures, on a thread of the queue.
  private func draft(
    _ source: PhotoSource, _ pipeline: PhotoOptions, _ drafts: Drafts
  ) async throws -> PhotoDraft {
    let flag = CancellationFlag()
    var pipeline = pipeline
    let asked = pipeline.isCancelled
    pipeline.isCancelled = { flag.isSet || asked?() == true }
    let final = pipeline
    return try await withTaskCancellationHandler {
      try await decoding.run { try PhotoDraft(source, final, drafts) }
    } onCancel: {
      flag.set()
    }
  }

  private func photo(
    _ draft: PhotoDraft, number: Int32, title: String, user: String
  ) -> Photo {
    let now = clock.next()
    let made = draft.processed
    return Photo(
      id: PhotoID.make(at: now), number: number, title: title, user: user, width: made.full.width,
      height: made.full.height, created: PhotoDocument.timestamp(now),
      taken: made.captured.map { CaptureTime(local: $0.local).description },
      placeholder: made.placeholder, notes: made.notes, pictures: draft.pictures)
  }

  // MARK: Writing

  private func write(
    _ photo: Photo, _ draft: PhotoDraft, sent: String, over old: RevisionID?
  ) async throws -> AddedPhoto {
    var photo = photo
    var old = old
    for _ in 0..<16 {
      let documents = [
        try PhotoDocument.mapping(sent, type: "PhotoUpload", to: photo.id, over: old),
        try PhotoDocument.mapping(
          PhotoDocument.numberID(photo.number), type: "PhotoNumber", to: photo.id),
        Document(
          id: PhotoDocument.id(of: photo.id), body: try PhotoDocument.body(of: photo, sent: sent),
          attachments: draft.attachments),
      ]
      let results: [WriteResult]
      do {
        results = try await store.write(documents, mode: .edits)
      } catch {
        // Whether a server took it is not known.
        await takeBack(documents.map { ($0.id, nil) }, of: photo.id)
        throw error
      }
      let refusals = results.enumerated().compactMap { index, result -> (Int, StoreError)? in
        guard case .refused(_, let error) = result else { return nil }
        return (index, error)
      }
      guard let (_, error) = refusals.first else {
        return AddedPhoto(photo: photo, isDuplicate: false)
      }
      await takeBack(
        results.compactMap {
          guard case .written(let id, let revision) = $0 else { return nil }
          return (id, revision)
        }, of: photo.id)
      guard refusals.allSatisfy({ $0.0 < 2 && $0.1.isConflict }) else { throw error }
      // Somebody was faster with the same file, or a copy of the library gave the same number.
      let (mapping, other) = try await settled(sent, by: photo.user)
      if let other { return AddedPhoto(photo: other, isDuplicate: true) }
      old = mapping?.revision
      photo.number = try await numbers.next()
      photo.id = PhotoID.make(at: clock.next())
      photo.created = PhotoDocument.timestamp(photo.id.milliseconds)
    }
    throw PhotoLibraryError.contended
  }

  /// Deletes documents that were written in vain for a photo; without a revision, those that are
  /// there.
  private func takeBack(
    _ written: [(id: String, revision: RevisionID?)], of photo: PhotoID
  ) async {
    // A cancelled task could not ask a server any more.
    await Task {
      for (id, revision) in written {
        if let revision {
          _ = try? await store.delete(id, revision: revision)
        } else if let current = try? await document(id),
          PhotoDocument.photoID(of: id) == photo || PhotoDocument.target(of: current) == photo
        {
          _ = try? await store.delete(id, revision: current.revision)
        }
      }
    }.value
    await tidier?.remove([], pastOf: [PhotoDocument.id(of: photo)], ending: nil)
  }
}

extension StoreError {
  fileprivate var isConflict: Bool {
    if case .conflict = self { true } else { false }
  }
}

/// Set from one task, read by the thread that works for it.
private final class CancellationFlag: Sendable {
  private let flag = Atomic(false)
  var isSet: Bool { flag.load(ordering: .relaxed) }
  func set() { flag.store(true, ordering: .relaxed) }
}
