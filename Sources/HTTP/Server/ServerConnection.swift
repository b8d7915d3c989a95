import Glibc
import Synchronization

/// One accepted connection: its socket, its peer, and the exchange that is going on over it.
final class ServerConnection: Sendable {
  private struct State {
    /// -1 once the library closes it: the number may be another connection's by then.
    var descriptor: Int32
    var exchange: Exchange?
    var idleSince: Int64
  }

  let peer: String
  private let state: Mutex<State>

  init(descriptor: Int32, peer: String) {
    self.peer = peer
    state = Mutex(
      State(descriptor: descriptor, exchange: nil, idleSince: monotonicMilliseconds()))
  }

  var exchange: Exchange? { state.withLock(\.exchange) }

  var descriptor: Int32 { state.withLock(\.descriptor) }

  func begin(_ exchange: Exchange) {
    state.withLock { $0.exchange = exchange }
  }

  func endExchange() {
    state.withLock { state in
      state.exchange = nil
      state.idleSince = monotonicMilliseconds()
    }
  }

  func close() {
    state.withLock { $0.descriptor = -1 }
  }

  /// How long there has been no exchange, in milliseconds; nil while there is one.
  func idleTime(at now: Int64) -> Int64? {
    state.withLock { $0.exchange == nil ? now - $0.idleSince : nil }
  }

  /// Ends both directions; the library then sees an end and closes.
  func shutDown() {
    state.withLock { state in
      if state.descriptor >= 0 { _ = shutdown(state.descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// A second descriptor of the socket, which keeps it open past the library's close; -1 if none.
  func duplicate() -> Int32 {
    state.withLock { $0.descriptor >= 0 ? fcntl($0.descriptor, F_DUPFD_CLOEXEC, 0) : -1 }
  }
}
