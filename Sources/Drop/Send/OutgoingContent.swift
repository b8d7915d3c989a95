import Core
import Glibc
import Synchronization

/// The bytes of an open file as they are sent, with their digest, which grows while they are read.
///
/// Reading can go back to where a receiver stands after a connection broke, without reading the file
/// from its start again.
final class OutgoingContent: Sendable {
  private struct State: ~Copyable {
    var hash = SHA256()
    /// Bytes that `hash` has taken in.
    var position: Int64 = 0
    /// Earlier states, by their positions.
    var marks: [(position: Int64, state: SHA256.Snapshot)] = []
  }

  private let file: OutgoingFile
  private let descriptor: Int32
  private let state = Mutex(State())

  /// Bytes read at once: a quarter of what may wait to be sent, so that reading and sending overlap.
  private static let chunk = 64 << 10
  /// Bytes between two states that can be gone back to.
  private static let markInterval: Int64 = 4 << 20
  /// Such states that are kept: what is on its way in a connection is less than these are apart.
  private static let markLimit = 32

  /// Opens a file.
  ///
  /// - Throws: `FileFailure` also when it is not what was found any more.
  init(_ file: OutgoingFile) throws(FileFailure) {
    self.file = file
    descriptor = try file.open()
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
  }

  deinit { close(descriptor) }

  /// The next bytes, hashed.
  ///
  /// - Parameter end: where to stop.
  /// - Returns: nil when reading stands there.
  /// - Throws: `FileFailure` when the file has become shorter or cannot be read.
  func next(before end: Int64) throws(FileFailure) -> [UInt8]? {
    try read(before: end)
  }

  /// Reads up to `end` in one piece.
  func rest(before end: Int64) throws(FileFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    while let more = try next(before: end) {
      if bytes.isEmpty { bytes = more } else { bytes += more }
    }
    return bytes
  }

  /// Goes to an offset; what was not hashed before it is read for that.
  func move(to offset: Int64) throws(FileFailure) {
    state.withLock { state in
      guard offset < state.position else { return }
      state.marks.removeAll { $0.position > offset }
      let last = state.marks.last
      state.hash = last.map { SHA256(from: $0.state) } ?? SHA256()
      state.position = last?.position ?? 0
    }
    while try next(before: offset) != nil {}
  }

  /// The digest of everything up to where reading stands, as hexadecimal digits.
  var digest: String {
    state.withLock { state in
      var copy = SHA256(from: state.hash.snapshot)
      return hexadecimal(copy.finish())
    }
  }

  /// Checks that the file is still the one that was offered.
  func check() throws(FileFailure) { try file.check(descriptor) }

  private func read(before end: Int64) throws(FileFailure) -> [UInt8]? {
    let result = state.withLock { state -> Result<[UInt8]?, FileFailure> in
      guard state.position < end else { return .success(nil) }
      let wanted = Int(min(Int64(Self.chunk), end - state.position))
      let bytes: [UInt8]
      switch file.read(descriptor, at: state.position, count: wanted) {
      case .success(let read): bytes = read
      case .failure(let failure): return .failure(failure)
      }
      state.hash.update(bytes)
      state.position += Int64(wanted)
      Self.mark(&state)
      return .success(bytes)
    }
    return try result.get()
  }

  private static func mark(_ state: inout State) {
    let last = state.marks.last?.position ?? 0
    guard state.position - last >= markInterval else { return }
    if state.marks.count == markLimit { state.marks.removeFirst() }
    state.marks.append((state.position, state.hash.snapshot))
  }
}
