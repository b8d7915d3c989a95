import Core
import Glibc
import HTTP
import Sync

/// A run of `sync serve`: from the options to the listener, and to its end.
struct Serving {
  private let context: Context
  private let command: SyncServe
  private let log: AccessLog?
  private let identity: TLSIdentity?
  private let listener: Listener
  private let hasUsers: Bool

  /// How long running requests may take to end after a signal.
  private static let drainSeconds = 10

  init(_ command: SyncServe, in context: Context) throws {
    self.command = command
    self.context = context
    let directory = try context.stores()
    for name in command.stores where !directory.contains(name) {
      try StoreDirectory.check(name)
      throw context.storeNotFound(name)
    }
    hasUsers = try UserRegistry(in: directory).isEnforcing()
    let address = try Self.numericAddress(command.bind)
    guard hasUsers || command.allowAnonymous || Self.isLoopback(address) else {
      throw CommandError(
        .usage, "usage", "without users only this machine is served, and '\(address)' is more",
        hint: "make users with 'tote perms user add', or give '--allow-anonymous'")
    }
    log = try command.log.map { try AccessLog($0, in: context) }
    identity =
      command.tls
      ? try Self.identity(command, address: address, folder: directory.path) : nil
    var options = Listener.Options(stores: directory)
    options.names = command.stores.isEmpty ? nil : Set(command.stores)
    options.isReadOnly = command.readOnly
    options.allowedOrigins = command.cors
    options.hosts = HostNames(command.host)
    options.server.address = address
    options.server.port = command.port
    options.server.identity = identity
    if let log { options.log = { log.add($0, $1, $2) } }
    listener = Listener(options)
  }

  /// Serves until the command is cancelled, then lets running requests end.
  func run() async throws {
    SignalWatch.allowDraining(seconds: Self.drainSeconds, endsNormally: true)
    let port = try start()
    try announce(url: url(port))
    while !Task.isCancelled {
      // Cancellation ends the sleep; there is nothing else to wait for.
      try? await Task.sleep(for: .seconds(3600))
    }
    let listener = listener
    // A task of its own: this one is cancelled, and would not wait.
    await Task { await listener.stop() }.value
    if context.mode == .jsonLines { try context.emit(json: ["event": "stopped"]) }
    try log?.finish()
  }

  private func start() throws -> UInt16 {
    do {
      return try listener.start()
    } catch let HTTPError.cannotListen(address, port, code, _) {
      let (status, word, hint): (ExitClass, String, String) =
        switch Int32(code) {
        case EADDRINUSE:
          (.cannotCreate, "cannot_create", "choose another one with '--port', 0 for a free one")
        case EACCES, EPERM:
          (.notPermitted, "forbidden", "ports below 1024 are for root: choose another '--port'")
        default:
          (.cannotCreate, "cannot_create", "give an address of this machine with '--bind'")
        }
      throw CommandError(
        status, word,
        "cannot listen on '\(address)' port \(port): \(systemMessage(Int32(code)))", hint: hint)
    }
  }

  // MARK: What is said

  private func announce(url: String) throws {
    guard context.mode == .human else {
      try context.emit(json: [
        "event": "listening", "url": .string(url),
        "pin": identity.map { .string($0.pin.description) } ?? .null,
        "stores": command.stores.isEmpty ? .null : .array(command.stores.map { .string($0) }),
        "read_only": .bool(command.readOnly), "users": .bool(hasUsers),
      ])
      return try context.streams.output.flush()
    }
    try context.streams.output.writeLine("listening on \(url)")
    if let identity { try context.streams.output.writeLine("pin \(identity.pin)") }
    try context.streams.output.flush()
    if !hasUsers {
      try context.note(
        command.allowAnonymous
          ? "there are no users: everybody who can connect may do everything"
          : "there are no users: only this machine is served, and may do everything")
    }
  }

  private func url(_ port: UInt16) -> String {
    let host = command.bind.contains(":") ? "[\(command.bind)]" : command.bind
    return "\(command.tls ? "https" : "http")://\(host):\(port)/"
  }

  // MARK: Addresses and keys

  private static func numericAddress(_ text: String) throws(CommandError) -> String {
    if text == "localhost" { return "127.0.0.1" }
    var bytes = in6_addr()
    guard inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1 else {
      throw .usage(
        "'\(text)' is not a numeric address",
        hint: "give one such as 127.0.0.1, 0.0.0.0 or '::' with '--bind'")
    }
    return text
  }

  private static func isLoopback(_ address: String) -> Bool {
    address.hasPrefix("127.") || address == "::1"
  }

  private static func identity(
    _ command: SyncServe, address: String, folder: String
  ) throws -> TLSIdentity {
    do {
      guard let certificate = command.cert, let key = command.key else {
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
