import Synchronization

/// Small pictures in memory, those that were asked for last.
///
/// A picture of an id never changes, so only its removal needs to be noticed: what is kept tells
/// when it was last known to be there.
final class PictureCache: Sendable {
  private let state = Mutex(State())
  private let capacity: Int

  struct Key: Hashable {
    var id: PhotoID
    var size: PictureSize
  }

  private struct Entry {
    var bytes: [UInt8]
    var picture: Photo.Picture
    var checked: Int64
    var used: Int
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var bytes = 0
    var uses = 0
  }

  /// - Parameter capacity: bytes at most.
  init(capacity: Int) { self.capacity = capacity }

  /// A picture, and when it was last known to be there in milliseconds.
  func picture(_ key: Key) -> (bytes: PictureBytes, checked: Int64)? {
    state.withLock { state in
      guard let entry = state.entries[key] else { return nil }
      state.uses += 1
      state.entries[key]?.used = state.uses
      return (PictureBytes(picture: entry.picture, content: .memory(entry.bytes)), entry.checked)
    }
  }

  /// Keeps a picture that is there at `now`.
  func keep(_ key: Key, _ bytes: [UInt8], _ picture: Photo.Picture, now: Int64) {
    guard bytes.count <= capacity / 8 else { return }
    state.withLock { state in
      if let old = state.entries.removeValue(forKey: key) { state.bytes -= old.bytes.count }
      state.uses += 1
      state.entries[key] = Entry(
        bytes: bytes, picture: picture, checked: now, used: state.uses)
      state.bytes += bytes.count
      if state.bytes > capacity { evict(&state) }
    }
  }

  /// A picture was there at `now`.
  func confirm(_ key: Key, now: Int64) { state.withLock { $0.entries[key]?.checked = now } }

  /// The photo is gone.
  func remove(_ id: PhotoID) {
    state.withLock { state in
      for size in PictureSize.allCases {
        if let old = state.entries.removeValue(forKey: Key(id: id, size: size)) {
          state.bytes -= old.bytes.count
        }
      }
    }
  }

  /// Bytes that are kept.
  var byteCount: Int { state.withLock { $0.bytes } }

  /// Drops the least recently used quarter at once, so that this is seldom done.
  private func evict(_ state: inout State) {
    let oldest = state.entries.sorted { $0.value.used < $1.value.used }
    for (key, entry) in oldest {
      guard state.bytes > capacity / 4 * 3 else { return }
      state.entries[key] = nil
      state.bytes -= entry.bytes.count
    }
  }
}
