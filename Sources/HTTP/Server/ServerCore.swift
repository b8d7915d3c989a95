import CMicroHTTPD
import Glibc
import Synchronization

/// The running server: libmicrohttpd's daemon, its connections, and the clock that watches them.
final class ServerCore: Sendable {
  private struct State {
    var connections: [ObjectIdentifier: ServerConnection] = [:]
    /// libmicrohttpd's daemon and the shim's copy of the options; nil once stopping has begun.
    var daemon: (handle: OpaquePointer, state: UnsafeMutableRawPointer?)?
  }

  // The pointers in `State` are only used under its lock, or by the one caller that took them out.
  private struct Guarded: @unchecked Sendable { var state = State() }

  let options: HTTPServer.Options
  let handler: HTTPServer.Handler
  let port: UInt16
  private let listening: ListeningSocket
  private let guarded = Mutex(Guarded())
  /// Answers carry `Connection: close`.
  let isStopping = Atomic(false)
  /// Nothing may be suspended any more: the library aborts the process when it stops with a
  /// suspended connection.
  let isClosing = Atomic(false)

  init(_ options: HTTPServer.Options, handler: @escaping HTTPServer.Handler) throws(HTTPError) {
    self.options = options
    self.handler = handler
    listening = try ListeningSocket(address: options.address, port: options.port)
    port = listening.port
    try startDaemon()
    startThread { [weak self] in
      while let core = self, !core.isClosing.load(ordering: .relaxed) {
        core.watch()
        usleep(250_000)
      }
    }
  }

  func load() -> (connections: Int, requests: Int) {
    let connections = connections()
    return (connections.count, connections.count { $0.exchange != nil })
  }

  private func connections() -> [ServerConnection] {
    guarded.withLock { Array($0.state.connections.values) }
  }

  // MARK: Stopping

  func stop(draining: Duration) async {
    guard let daemon = takeDaemon() else { return }
    await wait(atMost: draining.milliseconds) { self.load().requests == 0 }
    await withCheckedContinuation { continuation in
      startThread { [self] in
        end(daemon)
        continuation.resume()
      }
    }
  }

  /// Stops without waiting, when the server is let go.
  func abandon() {
    guard let daemon = takeDaemon() else { return }
    startThread { [self] in end(daemon) }
  }

  /// Cuts what is left and stops the library; blocks.
  ///
  /// After `isClosing` is set nothing is suspended any more, and cutting resumes what is.
  private func end(_ daemon: Daemon) {
    isClosing.store(true, ordering: .sequentiallyConsistent)
    for _ in 0..<500 {
      for connection in connections() { connection.exchange?.cut() }
      if load().requests == 0 { break }
      usleep(10_000)
    }
    tote_mhd_stop(daemon.handle, daemon.state)
  }

  private struct Daemon: @unchecked Sendable {
    var handle: OpaquePointer
    var state: UnsafeMutableRawPointer?
  }

  /// Closes the listening socket and hands the daemon to the one caller that stops it.
  private func takeDaemon() -> Daemon? {
    let taken = guarded.withLock { guarded -> Daemon? in
      defer { guarded.state.daemon = nil }
      return guarded.state.daemon.map { Daemon(handle: $0.handle, state: $0.state) }
    }
    guard let taken else { return nil }
    isStopping.store(true, ordering: .relaxed)
    listening.fallSilent()
    return taken
  }

  private func wait(atMost milliseconds: Int64, until isDone: () -> Bool) async {
    let deadline = monotonicMilliseconds() + milliseconds
    while !isDone(), monotonicMilliseconds() < deadline {
      // A cancelled caller goes on to the end at once.
      guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { return }
    }
  }

  // MARK: Watching

  /// Cuts what has passed a limit of time, and tells handlers whose clients have gone.
  ///
  /// libmicrohttpd neither times suspended connections nor sees their clients leave.
  private func watch() {
    let now = monotonicMilliseconds()
    var polls: [pollfd] = []
    var waiting: [Exchange] = []
    for connection in connections() {
      if let exchange = connection.exchange {
        if exchange.checkTime(now) {
          polls.append(
            pollfd(fd: connection.descriptor, events: Self.goneEvents, revents: 0))
          waiting.append(exchange)
        }
      } else if let idle = connection.idleTime(at: now), idle > idleLimit {
        connection.shutDown()
      }
    }
    guard !polls.isEmpty, poll(&polls, nfds_t(polls.count), 0) > 0 else { return }
    for (index, item) in polls.enumerated()
    where item.revents & Self.goneEvents != 0 {
      var unread: Int32 = 0
      _ = ioctl(item.fd, UInt(FIONREAD), &unread)
      waiting[index].clientLeft(hasUnread: unread > 0)
    }
  }

  /// POLLRDHUP, which glibc's headers show to GNU sources only, POLLERR and POLLHUP.
  private static let goneEvents: Int16 = 0x2000 | Int16(POLLERR | POLLHUP)

  /// Longer than the library's own limit, which each byte renews: this one is for senders of a byte
  /// now and then before there is a request.
  private var idleLimit: Int64 {
    options.limits.idle.milliseconds + options.limits.head.milliseconds
  }

  // MARK: The daemon

  private func startDaemon() throws(HTTPError) {
    let limits = options.limits
    // Unretained: `stop` and `abandon` end the daemon before the core goes away.
    let context = Unmanaged.passUnretained(self).toOpaque()
    var state: UnsafeMutableRawPointer?
    let handle = withOptionalCString(options.identity?.keyPEM) { key in
      withOptionalCString(options.identity?.certificatePEM) { certificate in
        Self.priorities.withCString { priorities in
          var daemon = tote_mhd_options()
          daemon.listen_socket = listening.descriptor
          daemon.threads = UInt32(max(1, options.threads))
          daemon.connection_limit = UInt32(max(limits.connections, options.threads))
          daemon.address_limit = UInt32(max(0, limits.connectionsPerAddress))
          daemon.idle_seconds = UInt32(max(1, (limits.idle.milliseconds + 999) / 1000))
          daemon.connection_memory = max(8 << 10, limits.connectionMemory)
          daemon.key_pem = key
          daemon.certificate_pem = certificate
          daemon.priorities = priorities
          daemon.context = context
          Self.setCallbacks(&daemon)
          return withoutSignals { tote_mhd_start(&daemon, &state) }
        }
      }
    }
    guard let handle else {
      let code = errno
      close(listening.descriptor)
      throw .cannotListen(
        address: options.address, port: port, code: Int(code),
        text: "libmicrohttpd did not start: \(systemText(code))")
    }
    let daemon = Daemon(handle: handle, state: state)
    guarded.withLock { $0.state.daemon = (daemon.handle, daemon.state) }
  }

  /// AES first: GnuTLS's ChaCha20 is slower by more than half on machines with AES instructions.
  private static let priorities =
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-CIPHER-ALL:+AES-256-GCM:+AES-128-GCM"
    + ":+CHACHA20-POLY1305"

  private static func setCallbacks(_ daemon: inout tote_mhd_options) {
    daemon.begin = { context, target, connection in
      guard let core = ServerCore.from(context), let connection else { return nil }
      let text = target.map { String(validatingCString: $0) } ?? ""
      let exchange = Exchange(core: core, handle: connection, target: text)
      exchange.connection?.begin(exchange)
      return Unmanaged.passRetained(exchange).toOpaque()
    }
    daemon.handle = { _, _, method, version, data, size, exchange in
      guard let context = exchange?.pointee, let method, let version, let size else { return 0 }
      return Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
        .handle(method: method, version: version, data: data, size: size)
    }
    daemon.complete = { _, _, exchange, reason in
      guard let context = exchange?.pointee else { return }
      exchange?.pointee = nil
      Unmanaged<Exchange>.fromOpaque(context).takeRetainedValue().complete(reason: reason)
    }
    daemon.connected = { context, connection, socketContext, isClosed in
      guard let core = ServerCore.from(context), let connection, let socketContext else { return }
      core.connectionChanged(connection, socketContext, isClosed: isClosed != 0)
    }
  }

  private func connectionChanged(
    _ handle: OpaquePointer, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
    isClosed: Bool
  ) {
    if isClosed {
      guard let pointer = context.pointee else { return }
      context.pointee = nil
      let connection = Unmanaged<ServerConnection>.fromOpaque(pointer).takeRetainedValue()
      connection.close()
      guarded.withLock {
        _ = $0.state.connections.removeValue(forKey: ObjectIdentifier(connection))
      }
      return
    }
    let descriptor = tote_mhd_socket(handle)
    var on: Int32 = 1
    // Small answers must not wait for the client's acknowledgement of the last one.
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
    // A peer that vanished without a word is noticed when its feed's heartbeats go unanswered.
    var patience = UInt32(clamping: options.limits.idle.milliseconds)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &patience, 4)
    let peer = tote_mhd_address(handle).map { addressText($0).host } ?? ""
    let connection = ServerConnection(descriptor: descriptor, peer: peer)
    guarded.withLock { $0.state.connections[ObjectIdentifier(connection)] = connection }
    context.pointee = Unmanaged.passRetained(connection).toOpaque()
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
    context.map { Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
  }
}

private func withOptionalCString<Result>(
  _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
  guard let text else { return body(nil) }
  return text.withCString { body($0) }
}
