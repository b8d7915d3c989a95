import Core
import Glibc
import Synchronization

/// One offered file on its way: what has come of it, and who may go on.
///
/// The bytes lie in a part file of the hidden folder; the digest is taken as they come. Both stay
/// when a connection breaks, so that the next one goes on where it ended.
final class IncomingFile: Sendable {
  enum Status: Sendable {
    /// The person has not said yes yet.
    case asking
    case open
    case saved(DropSaved)
    case refused(code: String, reason: String)
  }

  /// Why bytes are not taken.
  enum Fault: Error {
    /// Another request has taken over, or the file is not open.
    case superseded
    /// More than the sender said.
    case tooLong(limit: Int64)
    /// Less than the sender said.
    case tooShort
    /// Not the bytes that the digest was of: once more, please.
    case damaged
    /// The same again.
    case wrongDigest
  }

  private struct State: ~Copyable {
    var status = Status.asking
    var offset: Int64 = 0
    /// The number of the request that may write.
    var turn = 0
    var isReceiving = false
    /// The file is complete and gets its name.
    var isFinishing = false
    var hasBegun = false
    /// All its bytes came, and were not those of the digest.
    var hasMismatched = false
    var began = ContinuousClock.now
    var digest = SHA256()
    var part: OpenFile?
  }

  let file: DropFile
  private let partName: String
  private let folder: TargetFolder
  private let state = Mutex(State())

  init(_ file: DropFile, number: Int, folder: TargetFolder) {
    self.file = file
    self.folder = folder
    partName = "\(number).part"
  }

  var status: Status { state.withLock { $0.status } }
  var offset: Int64 { state.withLock { $0.offset } }
  var isReceiving: Bool { state.withLock { $0.isReceiving } }
  /// It is complete and gets its name.
  var isGettingName: Bool { state.withLock { $0.isFinishing } }
  var hasMismatched: Bool { state.withLock { $0.hasMismatched } }

  static let mismatch = "the bytes are not those that the digest is of"

  /// Bytes that are still to come, as far as is known.
  var missing: Int64 { max(0, (file.size ?? 0) - offset) }

  /// Lets the sender begin; false when it is decided already.
  func open() -> Bool {
    state.withLock { state in
      guard case .asking = state.status else { return false }
      state.status = .open
      return true
    }
  }

  /// Will not be received; what has come of it goes.
  ///
  /// - Returns: false when it is decided already.
  func refuse(code: String, reason: String) -> Bool {
    state.withLock { state in
      switch state.status {
      case .saved, .refused: return false
      case .asking, .open: break
      }
      guard !state.isFinishing else { return false }
      state.status = .refused(code: code, reason: reason)
      state.turn += 1
      state.isReceiving = false
      if state.hasBegun {
        state.part = nil
        folder.hidden.removeFile(partName)
      }
      return true
    }
  }

  // MARK: Receiving

  /// What a request gets that wants to send from a position.
  enum Beginning {
    /// It may, with this number; `isFirst` when nothing has come before.
    case turn(Int, isFirst: Bool)
    /// From here, not from there.
    case elsewhere(Int64)
    case closed(Status)
  }

  /// Gives the turn to a request; an older one, whose connection may be dead, loses it.
  ///
  /// - Parameter start: where the request begins; nil starts the file anew.
  /// - Returns: the turn, or why there is none.
  /// - Throws: `StoreError` when the part cannot be made or opened.
  func begin(at start: Int64?) throws(StoreError) -> Beginning {
    try result { (state: inout State) throws(StoreError) -> Beginning in
      guard case .open = state.status else { return .closed(state.status) }
      if state.isFinishing { return .elsewhere(state.offset) }
      if let start, start != state.offset { return .elsewhere(state.offset) }
      let restarts = start == nil
      if restarts {
        state.offset = 0
        state.digest = SHA256()
      }
      let isFirst = !state.hasBegun
      state.part =
        isFirst
        ? try folder.hidden.makeFile(partName)
        : try folder.hidden.openFile(partName, O_RDWR | (restarts ? O_TRUNC : 0))
      if isFirst { state.began = .now }
      state.hasBegun = true
      state.isReceiving = true
      state.turn += 1
      return .turn(state.turn, isFirst: isFirst)
    }
  }

  /// Takes bytes.
  ///
  /// - Throws: `Fault`, `StoreError`.
  func append(_ bytes: [UInt8], turn: Int) throws {
    try result { (state: inout State) throws -> Void in
      guard state.turn == turn else { throw Fault.superseded }
      if let size = file.size, Int64(bytes.count) > size - state.offset {
        throw Fault.tooLong(limit: size)
      }
      guard try state.part?.write(bytes, at: Int(state.offset)) != nil else {
        throw Fault.superseded
      }
      state.digest.update(bytes)
      state.offset += Int64(bytes.count)
    }
  }

  /// The request is over; what has come stays for the next one.
  func pause(turn: Int) {
    state.withLock { state in
      guard state.turn == turn else { return }
      state.part = nil
      state.isReceiving = false
    }
  }

  /// Ends the turn of a request that is on its way: its sender asks where to go on, so it has given
  /// that request up, and what still trickles in would only make the answer wrong.
  func interrupt() {
    state.withLock { state in
      guard state.isReceiving else { return }
      state.turn += 1
      state.part = nil
      state.isReceiving = false
    }
  }

  /// Whether all bytes are there; never known for a file of unknown size.
  var isComplete: Bool { state.withLock { file.size == $0.offset } }

  /// Checks a complete file and gives it its name.
  ///
  /// - Parameters:
  ///   - turn: of the request that sent the last bytes.
  ///   - sha256: a digest that the request named, beside the document's.
  /// - Returns: where it is.
  /// - Throws: `Fault`, `StoreError`.
  func finish(turn: Int, sha256: String?) throws -> DropSaved {
    // Outside of the lock: waiting for the disk must not hold up who only asks how far it is.
    let complete = try take(turn: turn)
    defer { state.withLock { $0.isFinishing = false } }
    let digest = complete.digest
    for expected in [file.sha256, sha256?.lowercased()] where expected ?? digest != digest {
      throw startOver()
    }
    let place = try folder.save(part: partName, content: complete.part, of: file)
    let saved = DropSaved(
      file: file, name: place.relativePath, path: folder.root.path + "/" + place.relativePath,
      size: complete.size, sha256: digest, duration: .now - complete.began,
      wasThere: place.wasThere)
    state.withLock { $0.status = .saved(saved) }
    return saved
  }

  /// Bytes that were damaged on the way may come once more, from the first one on.
  private func startOver() -> Fault {
    state.withLock { state in
      defer { state.hasMismatched = true }
      state.offset = 0
      return state.hasMismatched ? .wrongDigest : .damaged
    }
  }

  /// A file whose bytes are all there.
  private struct Complete: ~Copyable {
    let part: OpenFile
    let digest: String
    let size: Int64
    let began: ContinuousClock.Instant
  }

  /// Takes the complete part from the request whose turn it is.
  private func take(turn: Int) throws(Fault) -> Complete {
    try state.withLock { state throws(Fault) in
      guard state.turn == turn, case .open = state.status, !state.isFinishing else {
        throw Fault.superseded
      }
      if let size = file.size, size != state.offset { throw Fault.tooShort }
      guard let part = state.part.take() else { throw Fault.superseded }
      state.isReceiving = false
      state.isFinishing = true
      state.turn += 1
      // The hasher starts anew with this.
      return Complete(
        part: part, digest: hexadecimal(state.digest.finish()), size: state.offset,
        began: state.began)
    }
  }

  /// `Mutex.withLock` with typed and untyped errors alike.
  private func result<Value: Sendable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try state.withLock { state throws(Failure) in try body(&state) }
  }
}
