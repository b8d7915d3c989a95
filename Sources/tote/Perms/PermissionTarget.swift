import Core
import HTTP
import Sync

/// A store whose permissions are read or changed: here or on a server.
struct PermissionTarget: Sendable {
  /// The store as the person named it, without secrets.
  let name: String
  private let place: Place

  private enum Place: Sendable {
    case local(LocalStore)
    case remote(RemoteStore)
  }

  /// Reads the permissions.
  func permissions() async throws -> StorePermissions {
    switch place {
    case .local(let store): try StorePermissions(try store.security(), dialect: .tote)
    case .remote(let store): try await store.permissions()
    }
  }

  /// The database on a server; nil for a local store.
  var remote: RemoteStore? {
    if case .remote(let store) = place { store } else { nil }
  }

  /// Replaces permissions that are still as they were read.
  ///
  /// - Throws: `CommandError` with status 75 when they changed meanwhile.
  func write(_ new: StorePermissions, over old: StorePermissions) async throws {
    switch place {
    case .local(let store):
      try store.updateSecurity { present in
        guard JSON.object(present) == JSON.object(old.security) else { throw changedMeanwhile }
        present = new.security
      }
    case .remote(let store):
      // A server has no such transaction: a second look keeps the time short.
      guard try await store.permissions().security == old.security else { throw changedMeanwhile }
      try await store.setSecurity(new.security)
    }
  }

  private var changedMeanwhile: CommandError {
    CommandError(
      .conflict, "conflict", "the permissions of '\(name)' were changed by someone else",
      hint: "try again", details: [("store", .string(name))])
  }

  /// Refuses new permissions under which the caller could not change them back.
  func checkCaller(_ new: StorePermissions, over old: StorePermissions) async throws {
    guard let remote else { return }
    let caller = try await remote.caller()
    guard old.allows(.administer, to: caller), !new.allows(.administer, to: caller) else { return }
    throw CommandError(
      .notPermitted, "lockout",
      "this takes the administration of '\(name)' from '\(caller.name ?? "everyone")', which is you",
      hint: "grant it to yourself as well, or pass --force", details: [("store", .string(name))])
  }
}

extension Context {
  /// Opens the store whose permissions a person means.
  func permissionTarget(_ name: String) throws -> PermissionTarget {
    if isURL(name) || name == "-" { return PermissionTarget(try remote(url: name)) }
    if try !stores().contains(name), try remotes().contains(name) {
      return PermissionTarget(try savedRemote(name))
    }
    return PermissionTarget(.local(try store(name)))
  }
}

extension PermissionTarget {
  fileprivate init(_ endpoint: Endpoint) {
    name = endpoint.label
    switch endpoint {
    case .local(let store): place = .local(store)
    case .remote(let store, _, _): place = .remote(store)
    case .bundle: preconditionFailure("names of bundles are not resolved here")
    }
  }
}
