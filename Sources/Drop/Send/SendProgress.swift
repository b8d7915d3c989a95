import Synchronization

/// Adds up what the connections of a sender do, and tells it.
final class SendProgress: Sendable {
  private struct State {
    var done: [Int64]
    var bytes: Int64 = 0
    var sent: Int64 = 0
    var files = 0
  }

  private let files: [OutgoingFile]
  private let total: Int64
  private let events: @Sendable (DropSendEvent) -> Void
  private let state: Mutex<State>

  init(_ files: [OutgoingFile], events: @escaping @Sendable (DropSendEvent) -> Void) {
    self.files = files
    self.events = events
    total = files.reduce(0) { $0 + $1.size }
    state = Mutex(State(done: Array(repeating: 0, count: files.count)))
  }

  /// Bytes that went out, repeated ones too.
  var sentBytes: Int64 { state.withLock(\.sent) }

  /// Bytes of a file are on their way.
  func add(_ count: Int, to index: Int) {
    tell(index) { state in
      state.sent += Int64(count)
      state.bytes += Int64(count)
      state.done[index] += Int64(count)
    }
  }

  /// So many bytes of a file need not be sent, or must be sent again.
  func set(_ offset: Int64, of index: Int) {
    tell(index) { state in
      state.bytes += offset - state.done[index]
      state.done[index] = offset
    }
  }

  /// A file is done.
  func finish(_ result: DropSendReport.Result, _ index: Int) {
    events(.finished(result))
    tell(index) { state in
      state.files += 1
      guard !result.outcome.isSuccess else {
        state.bytes += files[index].size - state.done[index]
        state.done[index] = files[index].size
        return
      }
    }
  }

  private func tell(_ index: Int, _ change: (inout State) -> Void) {
    let (bytes, done, count) = state.withLock { state in
      change(&state)
      return (state.bytes, state.done[index], state.files)
    }
    let file = files[index]
    events(
      .progress(
        DropSendProgress(
          name: file.name, fileBytes: (done, file.size), files: (count, files.count),
          bytes: (bytes, total))))
  }
}
