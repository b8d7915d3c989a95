import ArgumentParser
import Core
import HTTP
import Sync

/// Whose users a command means: those of this machine's stores, or of a server.
enum UserPlace: Sendable {
  case local(Users)
  case remote(RemoteUsers)

  func list() async throws -> [Users.User] {
    switch self {
    case .local(let users): try users.list()
    case .remote(let users): try await users.list()
    }
  }

  func add(_ user: Users.User, password: String) async throws {
    let (name, roles, isAdmin) = (user.name, user.roles, user.isAdmin)
    switch self {
    case .local(let users):
      try users.add(name, password: password, roles: roles, isAdmin: isAdmin)
    case .remote(let users):
      try await users.add(name, password: password, roles: roles, isAdmin: isAdmin)
    }
  }

  func remove(_ name: String) async throws {
    switch self {
    case .local(let users): try users.remove(name)
    case .remote(let users): try await users.remove(name)
    }
  }

  func setPassword(_ password: String, of name: String) async throws {
    switch self {
    case .local(let users): try users.setPassword(password, of: name)
    case .remote(let users): try await users.setPassword(password, of: name)
    }
  }

  func roles(of name: String) async throws -> [String]? {
    switch self {
    case .local(let users): try users.account(name)?.roles
    case .remote(let users): try await users.user(name)?.roles
    }
  }

  func setRoles(_ roles: [String], of name: String) async throws {
    switch self {
    case .local(let users): try users.setRoles(roles, of: name)
    case .remote(let users): try await users.setRoles(roles, of: name)
    }
  }

  /// Says of a user what the store says of a document.
  func naming<Result: Sendable>(
    _ name: String, _ body: (UserPlace) async throws -> Result
  ) async throws -> Result {
    do {
      return try await body(self)
    } catch StoreError.conflict(_, nil) {
      throw CommandError(
        .cannotCreate, "exists", "user '\(name)' exists already",
        hint: "change it with 'tote perms user passwd' or 'tote perms user roles'")
    } catch StoreError.documentNotFound {
      throw Self.notFound(name)
    }
  }

  static func notFound(_ name: String) -> CommandError {
    CommandError(
      .notFound, "not_found", "user '\(name)' not found",
      hint: "run 'tote perms user list' to see all", details: [("user", .string(name))])
  }
}

extension Context {
  /// The users a command means.
  ///
  /// - Parameter server: a server's URL, with or without a database, or a saved remote; nil for this
  ///   machine's.
  /// - Returns: the users; nothing was sent to a server yet.
  /// - Throws: `HTTPError.invalidURL`, `RemoteDirectoryError.notFound`, `CommandError` without a home.
  func users(of server: String?) throws -> UserPlace {
    guard let server else { return .local(Users.make(in: try stores())) }
    guard isURL(server) || server == "-" else {
      guard case .remote(let store, _, _) = try savedRemote(server) else {
        throw CommandError.usage("'\(server)' is no server")
      }
      return .remote(RemoteUsers(of: store))
    }
    let typed = server == "-" ? try streams.input.readLine()?.trimmingSpaces() ?? "" : server
    let url = try WebURL(typed)
    // Any database will do: its server is meant.
    let isServer = url.segments.allSatisfy(\.isEmpty)
    let store = try opener.open(isServer ? url.appending(Users.storeName) : url)
    return .remote(RemoteUsers(of: store))
  }
}
