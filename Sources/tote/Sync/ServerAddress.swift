import Core
import Glibc
import HTTP
import Sync

/// Where a command's server listens and with which key: what `sync serve` and `photo serve` share.
struct ServerAddress {
  /// As it was typed.
  private let bind: String
  /// The numeric address that is listened on.
  let address: String
  /// The key for TLS; nil for plain HTTP.
  let identity: TLSIdentity?

  /// - Parameters:
  ///   - options: what the command line says.
  ///   - folder: where the stores are, and the key that is made when none is given.
  /// - Throws: `CommandError` when the address or the certificate cannot be used.
  init(_ options: ServerOptions, folder: String) throws {
    bind = options.bind
    address = try Self.numericAddress(
      bind, hint: "give one such as 127.0.0.1, 0.0.0.0 or '::' with '--bind'")
    identity =
      options.tls
      ? try Self.identity(
        certificate: options.cert, key: options.key, address: address, folder: folder) : nil
  }

  /// Whether only this machine can connect.
  var isLoopback: Bool { address.hasPrefix("127.") || address == "::1" }

  /// The URL of the server's root, as it was named.
  private func url(port: UInt16) -> String {
    let host = bind.contains(":") ? "[\(bind)]" : bind
    return "\(identity != nil ? "https" : "http")://\(host):\(port)/"
  }

  /// How long running requests may take to end after a signal.
  private static let drainSeconds = 10

  /// Serves until the command is cancelled, then lets running requests end.
  ///
  /// - Parameters:
  ///   - context: the command's.
  ///   - log: finished at the end.
  ///   - start: starts the server and gives its port.
  ///   - announce: tells the server's URL.
  ///   - stop: ends what was started.
  /// - Throws: `CommandError` when it cannot listen, and what the closures throw.
  func serve(
    in context: Context, log: AccessLog?, start: () throws -> UInt16,
    announce: (_ url: String) async throws -> Void, stop: @escaping @Sendable () async -> Void
  ) async throws {
    SignalWatch.allowDraining(seconds: Self.drainSeconds, endsNormally: true)
    let port: UInt16
    do {
      port = try start()
    } catch let error as HTTPError {
      throw CommandError.cannotListen(error) ?? error
    }
    try await announce(url(port: port))
    while !Task.isCancelled {
      // Cancellation ends the sleep; there is nothing else to wait for.
      try? await Task.sleep(for: .seconds(3600))
    }
    // A task of its own: this one is cancelled, and would not wait.
    await Task { await stop() }.value
    if context.mode == .jsonLines { try context.emit(json: ["event": "stopped"]) }
    try log?.finish()
  }

  /// A numeric address; `localhost` is one, too.
  ///
  /// - Throws: `CommandError` with status 64 and the hint when it is none.
  static func numericAddress(_ text: String, hint: String) throws(CommandError) -> String {
    if text == "localhost" { return "127.0.0.1" }
    var bytes = in6_addr()
    guard inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1 else {
      throw .usage("'\(text)' is not a numeric address", hint: hint)
    }
    return text
  }

  private static func identity(
    certificate: String?, key: String?, address: String, folder: String
  ) throws -> TLSIdentity {
    do {
      guard let certificate, let key else {
        return try ListenerIdentity(folder: folder).identity(address: address)
      }
      return try TLSIdentity(
        certificatePEM: String(decoding: try readFile(certificate), as: UTF8.self),
        keyPEM: String(decoding: try readFile(key), as: UTF8.self))
    } catch HTTPError.identity(_, let text) {
      throw CommandError.invalidInput(
        "certificate or key cannot be used: \(text)",
        hint: "give a certificate and its own key, both as PEM")
    }
  }
}

extension CommandError {
  /// Words what keeps a server from listening.
  ///
  /// - Parameters:
  ///   - error: what the server threw.
  ///   - taken: what to do when the port is taken.
  /// - Returns: nil for other errors.
  static func cannotListen(
    _ error: HTTPError, taken: String = "choose another one with '--port', 0 for a free one"
  ) -> CommandError? {
    guard case .cannotListen(let address, let port, let code, _) = error else { return nil }
    let (status, word, hint): (ExitClass, String, String) =
      switch Int32(code) {
      case EADDRINUSE: (.cannotCreate, "cannot_create", taken)
      case EACCES, EPERM:
        (.notPermitted, "forbidden", "ports below 1024 are for root: choose another '--port'")
      default:
        (.cannotCreate, "cannot_create", "give an address of this machine with '--bind'")
      }
    return CommandError(
      status, word,
      "cannot listen on '\(address)' port \(port): \(systemMessage(Int32(code)))", hint: hint)
  }
}
