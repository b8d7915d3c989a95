import Glibc
import Synchronization

/// Reads away what clients still send after an early refusal, for a bounded time and amount.
///
/// Closing a socket with unread bytes makes the kernel send a reset, and the client, still sending,
/// loses the answer that was on its way (RFC 9112 §9.6).
final class LingeringClose: Sendable {
  static let shared = LingeringClose()

  private static let milliseconds: Int64 = 2000
  private static let bytes = 16 << 20
  private static let sockets = 256

  private struct Entry {
    var descriptor: Int32
    var deadline: Int64
    var left: Int
  }

  private struct State {
    var added: [Entry] = []
    var isRunning = false
    var count = 0
  }

  private let state = Mutex(State())

  /// Takes over a descriptor whose sending side is closed or about to be.
  func add(_ descriptor: Int32) {
    guard descriptor >= 0 else { return }
    let entry = Entry(
      descriptor: descriptor, deadline: monotonicMilliseconds() + Self.milliseconds,
      left: Self.bytes)
    let (isTaken, starts) = state.withLock { state in
      guard state.count < Self.sockets else { return (false, false) }
      state.count += 1
      state.added.append(entry)
      defer { state.isRunning = true }
      return (true, !state.isRunning)
    }
    if !isTaken { close(descriptor) }
    if starts { startThread { [self] in run() } }
  }

  /// Runs until no socket is left.
  private func run() {
    var entries: [Entry] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let isDone = state.withLock { state in
        entries += state.added
        state.added = []
        state.count = entries.count
        if entries.isEmpty { state.isRunning = false }
        return entries.isEmpty
      }
      if isDone { return }
      var polls = entries.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      // Short, so that newly added sockets are looked after soon.
      _ = poll(&polls, nfds_t(polls.count), 20)
      let now = monotonicMilliseconds()
      for index in entries.indices.reversed() {
        if polls[index].revents != 0 {
          let count = recv(entries[index].descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
          entries[index].left -= max(0, count)
          if count == 0 || count < 0 && errno != EAGAIN { entries[index].left = 0 }
        }
        if entries[index].left <= 0 || entries[index].deadline <= now {
          close(entries[index].descriptor)
          entries.remove(at: index)
        }
      }
    }
  }
}
