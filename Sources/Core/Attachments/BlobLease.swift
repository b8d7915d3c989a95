import Glibc

/// A lock on a store's blobs, held as long as the value lives.
package final class BlobLease: Sendable {
  private let file: OpenFile

  /// Waits for the lock.
  init(path: String, exclusive: Bool) throws(StoreError) {
    file = try OpenFile(path, O_RDWR | O_CREAT)
    while flock(file.descriptor, exclusive ? LOCK_EX : LOCK_SH) != 0 {
      guard errno == EINTR else { throw file.failure("lock") }
    }
  }

  /// Takes the lock only if nobody else has it; nil otherwise.
  init?(tryingExclusive path: String) throws(StoreError) {
    file = try OpenFile(path, O_RDWR | O_CREAT)
    guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
      guard errno == EWOULDBLOCK else { throw file.failure("lock") }
      return nil
    }
  }
}
