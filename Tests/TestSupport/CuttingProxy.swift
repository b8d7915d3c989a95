import Glibc
import Synchronization

/// Hands bytes on between clients and a server, and breaks connections as a test wants it.
public final class CuttingProxy: Sendable {
  private struct State {
    var cuts: [Int]
    var forwarded = 0
    var open: [Int32] = []
    var connections = 0
    var isStopped = false
  }

  private let listener: Int32
  private let upstream: UInt16
  private let state: Mutex<State>
  /// The port, on the loopback.
  public let port: UInt16

  /// Listens on a free port, in front of a server on another one.
  ///
  /// - Parameters:
  ///   - upstream: the server's port.
  ///   - address: a loopback address to listen at.
  ///   - port: the port to listen on; 0 takes a free one.
  ///   - cuts: after so many bytes from all clients together, every connection is cut; in order.
  /// - Throws: ``SupportError`` if there is no port.
  public init(
    before upstream: UInt16, at address: String = "127.0.0.1", port: UInt16 = 0,
    cutting cuts: [Int] = []
  ) throws {
    self.upstream = upstream
    state = Mutex(State(cuts: cuts))
    (listener, self.port) = try ScriptedPeer.listen(at: address, port: port)
    let proxy = self
    ScriptedPeer.startThread { proxy.acceptAll() }
  }

  /// Bytes that came from clients so far.
  public var forwarded: Int { state.withLock(\.forwarded) }

  /// Connections that were made so far.
  public var connections: Int { state.withLock(\.connections) }

  /// Cuts that are still to come.
  public var cutsLeft: Int { state.withLock(\.cuts.count) }

  /// Stops listening and cuts what is open.
  public func stop() {
    state.withLock { state in
      state.isStopped = true
      Self.cut(&state)
    }
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private func acceptAll() {
    while true {
      let client = accept(listener, nil, nil)
      if client < 0 {
        if state.withLock(\.isStopped) { return }
        continue
      }
      guard let server = ScriptedPeer.connect(to: upstream) else {
        close(client)
        continue
      }
      state.withLock { state in
        state.open += [client, server]
        state.connections += 1
      }
      let remaining = Mutex(2)
      let shared = Pair(client: client, server: server, remaining: remaining)
      ScriptedPeer.startThread { [self] in pump(client, server, counts: true, shared) }
      ScriptedPeer.startThread { [self] in pump(server, client, counts: false, shared) }
    }
  }

  /// Two sockets, closed when both directions have ended.
  private final class Pair: Sendable {
    let client: Int32
    let server: Int32
    private let remaining: Mutex<Int>

    init(client: Int32, server: Int32, remaining: consuming Mutex<Int>) {
      self.client = client
      self.server = server
      self.remaining = remaining
    }

    /// Whether this was the last direction.
    func leave() -> Bool {
      remaining.withLock { remaining in
        remaining -= 1
        return remaining == 0
      }
    }
  }

  private func pump(_ source: Int32, _ target: Int32, counts: Bool, _ pair: Pair) {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = recv(source, &buffer, buffer.count, 0)
      guard count > 0, !counts || pass(count) else { break }
      var sent = 0
      while sent < count {
        let size = buffer.withUnsafeBytes {
          send(target, $0.baseAddress?.advanced(by: sent), count - sent, Int32(MSG_NOSIGNAL))
        }
        guard size > 0 else { break }
        sent += size
      }
      guard sent == count else { break }
    }
    shutdown(target, Int32(SHUT_RDWR))
    shutdown(source, Int32(SHUT_RDWR))
    guard pair.leave() else { return }
    state.withLock { state in
      state.open.removeAll { $0 == pair.client || $0 == pair.server }
      close(pair.client)
      close(pair.server)
    }
  }

  /// Counts bytes; false when they are where everything is cut.
  private func pass(_ count: Int) -> Bool {
    state.withLock { state in
      state.forwarded += count
      guard let cut = state.cuts.first, state.forwarded >= cut else { return true }
      state.cuts.removeFirst()
      Self.cut(&state)
      return false
    }
  }

  private static func cut(_ state: inout State) {
    for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
  }
}
