import Core
import HTTP
import Photos
import Sync

/// A run of `photo serve`: from the options to the server, and to its end.
struct PhotoServing {
  private let context: Context
  private let command: PhotoServe
  private let log: AccessLog?
  private let place: ServerAddress
  private let library: PhotoLibrary
  private let label: String
  private let server: PhotoServer
  private let registration: PhotoServer.Registration

  /// Where uploads wait, in the folder of the stores.
  private static let spoolName = ".uploads"

  init(_ command: PhotoServe, in context: Context) async throws {
    self.command = command
    self.context = context
    let folder = try context.paths.stores()
    place = try ServerAddress(command.listening, folder: folder)
    log = try command.listening.log.map { try AccessLog($0, in: context) }
    registration =
      command.openRegistration
      ? .open : command.invite ? .invite(code: RandomIdentifier.uuid()) : .closed
    var options = PhotoServer.Options(spoolFolder: folder + "/" + Self.spoolName)
    library = try await context.photoLibrary(command.library, makes: true, jobs: options.workers)
    label = library.store.name
    options.name = Self.name(of: label)
    options.version = Version.number
    options.registration = registration
    options.isPrivate = command.private
    options.hosts = command.host
    options.trustedProxies = try command.trustProxy.map {
      try ServerAddress.numericAddress($0, hint: "give the proxy's, such as 127.0.0.1")
    }
    options.sharesMetrics = command.shareMetrics
    options.tutorialPath = command.path.split(separator: "/").map(String.init)
    options.photo = command.photoOptions
    options.server.address = place.address
    options.server.port = command.port
    options.server.identity = place.identity
    options.server.limits = Self.limits(isProxied: !command.trustProxy.isEmpty)
    if let log {
      options.log = { log.add($0, user: $2, status: $3, address: $1) }
    }
    server = try PhotoServer(library, options)
  }

  /// Serves until the command is cancelled, then lets running requests end.
  func run() async throws {
    let (server, library) = (server, library)
    try await place.serve(
      in: context, log: log, start: { try server.start() }, announce: announce,
      stop: {
        await server.stop()
        await library.close()
      })
  }

  /// The last word of the library's name.
  private static func name(of label: String) -> String {
    label.split(separator: "/").last.map(String.init) ?? label
  }

  private static func limits(isProxied: Bool) -> HTTPServer.Limits {
    var limits = HTTPServer.Limits()
    limits.connectionsPerAddress = isProxied ? 0 : 1024
    limits.idle = .seconds(30)
    limits.head = .seconds(15)
    limits.bodyRate = 512
    return limits
  }

  // MARK: What is said

  private func announce(_ url: String) async throws {
    let users = try await library.users.list().count
    let photos = try await library.count()
    var invitation: String?
    if case .invite(let code) = registration { invitation = "\(url)#invite=\(code)" }
    guard context.mode == .human else {
      try context.emit(json: [
        "event": "listening", "url": .string(url),
        "pin": place.identity.map { .string($0.pin.description) } ?? .null,
        "library": .string(label),
        "registration": .string(
          command.openRegistration ? "open" : command.invite ? "invite" : "closed"),
        "invite": invitation.map { .string($0) } ?? .null,
        "private": .bool(command.private), "users": .integer(Int64(users)),
        "photos": photos.map { .integer(Int64($0)) } ?? .null,
      ])
      return try context.streams.output.flush()
    }
    let output = context.streams.output
    try output.writeLine("listening on \(url)")
    if let identity = place.identity { try output.writeLine("pin \(identity.pin)") }
    if let invitation { try output.writeLine("invite \(invitation)") }
    try output.flush()
    if let photos { try context.note(Self.there(photos, "photo")) }
    try context.note(accounts(users))
  }

  private static func there(_ count: Int, _ noun: String) -> String {
    if count == 0 { return "there are no \(noun)s yet" }
    return "there \(count == 1 ? "is" : "are") \(counted(count, noun))"
  }

  private func accounts(_ users: Int) -> String {
    let count = Self.there(users, "account")
    if command.openRegistration { return "\(count); everybody who can connect can make one" }
    if command.invite { return "\(count); who has the address after 'invite' can make one" }
    return "\(count); make one with 'tote photo user add NAME', or give '--invite'"
  }
}
