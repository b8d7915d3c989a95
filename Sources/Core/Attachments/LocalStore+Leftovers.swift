import Glibc
import Synchronization

/// A note on the disk that attachments are being written or removed, until it is ended.
///
/// One that outlives its process is found by the next: only then does anybody have to look through
/// all blobs for what no revision names.
package final class BlobNote: Sendable {
  private let path: String
  /// Keeps others from clearing up; nil for a note about blobs that are to go.
  private let lease: Mutex<BlobLease?>

  init(_ path: String, lease: BlobLease?) throws(StoreError) {
    self.path = path
    self.lease = Mutex(lease)
    _ = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL)
  }

  /// Takes the note away: nothing is left to clear up.
  package func end() {
    unlink(path)
    release()
  }

  /// What was written is in vain: it may be cleared up.
  package func release() { lease.withLock { $0 = nil } }
}

/// A blob that a revision named, or was about to.
package struct NamedBlob: Sendable, Hashable {
  let blob: BlobID
  let md5: [UInt8]

  init(blob: BlobID, md5: [UInt8]) {
    self.blob = blob
    self.md5 = md5
  }

  /// The blob of bytes that were written.
  package init(_ staged: StagedBlob) { self.init(blob: staged.blob, md5: staged.md5) }
}

/// Clearing up after single documents: a compaction of the whole store takes as long as it is large.
extension LocalStore {
  /// Notes that attachments are being written; nobody clears up while the note is held.
  package func noteWriting() throws -> BlobNote {
    let lease = try blobs.lease()
    return try BlobNote(try newNote(), lease: lease)
  }

  /// Notes that blobs are to go.
  package func noteRemoving() throws -> BlobNote {
    let lease = try blobs.lease()
    defer { withExtendedLifetime(lease) {} }
    return try BlobNote(try newNote(), lease: nil)
  }

  private func newNote() throws(StoreError) -> String {
    let incoming = blobs.incomingFolder
    try incoming.create()
    return incoming.appending("note-\(getpid())-\(RandomIdentifier.uuid())")
  }

  /// Drops what is stored of the documents' past revisions, and tells the blobs these named.
  package func forgetPast(of ids: [String]) throws -> [NamedBlob] {
    try write { connection in
      var named: Set<NamedBlob> = []
      for id in ids {
        named.formUnion(
          try connection.all("SELECT blob, md5 FROM attachments WHERE id = ?", .text(id)) {
            NamedBlob(blob: BlobID(digest: $0.array(0)), md5: $0.array(1))
          })
        _ = try dropOldRevisions(of: id, in: connection)
      }
      return Array(named)
    }
  }

  /// Removes those of some blobs that no revision names.
  ///
  /// - Returns: false when somebody was writing attachments, so that nothing was done.
  package func removeUnnamed(_ candidates: [NamedBlob]) throws -> Bool {
    guard !candidates.isEmpty, blobs.folder.exists else { return true }
    guard let lease = try blobs.tryExclusiveLease() else { return false }
    defer { withExtendedLifetime(lease) {} }
    try read { connection in
      for candidate in candidates {
        let isNamed = try connection.first(
          "SELECT 1 FROM attachments WHERE md5 = ? AND blob = ? LIMIT 1", .blob(candidate.md5),
          .blob(candidate.blob.digest)
        ) { _ in true }
        if isNamed == nil { unlink(blobs.path(of: candidate.blob)) }
      }
    }
    return true
  }

  /// Clears up after processes that ended in the middle, if there are any: past revisions of the
  /// documents whose ids begin with `prefix`, and blobs that no revision names.
  ///
  /// - Returns: false when somebody was writing attachments, so that blobs were left alone.
  package func sweepLeftovers(ofDocuments prefix: String) throws -> Bool {
    let incoming = blobs.incomingFolder
    guard incoming.exists, try !incoming.names().isEmpty else { return true }
    guard try isNobodyWriting() else { return false }
    var last = prefix
    while true {
      let ids = try read { connection in
        try connection.all(
          """
          SELECT DISTINCT id FROM attachments WHERE id > ?1 AND substr(id, 1, length(?2)) = ?2
          ORDER BY id LIMIT 500
          """, .text(last), .text(prefix)
        ) { $0.text(0) }
      }
      guard let end = ids.last else { break }
      _ = try forgetPast(of: ids)
      last = end
    }
    return try blobs.removeUnnamed(keeping: namedBlobs) != nil
  }

  private func isNobodyWriting() throws -> Bool { try blobs.tryExclusiveLease() != nil }
}
