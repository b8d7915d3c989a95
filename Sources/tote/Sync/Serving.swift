import Core
import HTTP
import Sync

/// A run of `sync serve`: from the options to the listener, and to its end.
struct Serving {
  private let context: Context
  private let command: SyncServe
  private let log: AccessLog?
  private let place: ServerAddress
  private let listener: Listener
  private let hasUsers: Bool

  init(_ command: SyncServe, in context: Context) throws {
    self.command = command
    self.context = context
    let directory = try context.stores()
    for name in command.stores where !directory.contains(name) {
      try StoreDirectory.check(name)
      throw context.storeNotFound(name)
    }
    hasUsers = try UserRegistry(in: directory).isEnforcing()
    let place = try ServerAddress(command.listening, folder: directory.path)
    self.place = place
    guard hasUsers || command.allowAnonymous || place.isLoopback else {
      throw CommandError(
        .usage, "usage",
        "without users only this machine is served, and '\(place.address)' is more",
        hint: "make users with 'tote perms user add', or give '--allow-anonymous'")
    }
    log = try command.listening.log.map { try AccessLog($0, in: context) }
    var options = Listener.Options(stores: directory)
    options.names = command.stores.isEmpty ? nil : Set(command.stores)
    options.isReadOnly = command.readOnly
    options.allowedOrigins = command.cors
    options.hosts = HostNames(command.host)
    options.server.address = place.address
    options.server.port = command.port
    options.server.identity = place.identity
    if let log { options.log = { log.add($0, user: $1.name, status: $2) } }
    listener = Listener(options)
  }

  /// Serves until the command is cancelled, then lets running requests end.
  func run() async throws {
    let listener = listener
    try await place.serve(
      in: context, log: log, start: listener.start, announce: announce, stop: listener.stop)
  }

  // MARK: What is said

  private func announce(_ url: String) throws {
    guard context.mode == .human else {
      try context.emit(json: [
        "event": "listening", "url": .string(url),
        "pin": place.identity.map { .string($0.pin.description) } ?? .null,
        "stores": command.stores.isEmpty ? .null : .array(command.stores.map { .string($0) }),
        "read_only": .bool(command.readOnly), "users": .bool(hasUsers),
      ])
      return try context.streams.output.flush()
    }
    try context.streams.output.writeLine("listening on \(url)")
    if let identity = place.identity { try context.streams.output.writeLine("pin \(identity.pin)") }
    try context.streams.output.flush()
    if !hasUsers {
      try context.note(
        command.allowAnonymous
          ? "there are no users: everybody who can connect may do everything"
          : "there are no users: only this machine is served, and may do everything")
    }
  }
}
