import Core
import HTTP

/// `_node`: this server as the node of a cluster, and its settings.
extension Listener {
  /// Answers `_node/{name}` and `_node/{name}/_config/…`; `path` is what follows `_node`.
  func node(_ path: [String], _ request: ListenerRequest) async throws -> HTTPResponse {
    try requireAdmin(request)
    guard let name = path.first else { throw StoreError.storeNotFound(name: "_node") }
    guard name == "_local" || name == Self.node else {
      throw Refusal(404, "not_found", "no such node: \(name)")
    }
    let rest = path.dropFirst()
    switch (rest.first, rest.count) {
    case (nil, _):
      try request.allow(.get, .head)
      return .json(200, ["name": .string(Self.node)])
    case ("_config", 1):
      try request.allow(.get, .head)
      return .json(200, configuration.json(section: nil))
    case ("_config", 2):
      if path[2] == "_reload" {
        try request.allow(.post)
        return .json(200, ["ok": true])
      }
      try request.allow(.get, .head)
      return .json(200, configuration.json(section: path[2]))
    case ("_config", 3): return try await setting(path[2], path[3], request)
    default: throw Refusal(404, "not_found", "missing")
    }
  }

  private func setting(
    _ section: String, _ key: String, _ request: ListenerRequest
  ) async throws -> HTTPResponse {
    // Here it would be a password in memory that makes nobody an administrator.
    guard section != "admins" else {
      throw Refusal(
        403, "forbidden", "Administrators are made on the machine that serves, not over HTTP.")
    }
    let present = configuration[section, key]
    switch request.method {
    case .get, .head:
      guard let present else { throw Refusal(404, "not_found", "unknown_config_value") }
      return .json(200, .string(present))
    case .put:
      try requireWritable()
      guard case .string(let value) = try await request.json() else {
        throw Refusal.badRequest("The value of a setting must be a JSON string.")
      }
      guard present != nil || configuration.hasRoom(for: section) else {
        throw Refusal(507, "insufficient_storage", "There are too many settings.")
      }
      configuration[section, key] = value
      return .json(200, .string(present ?? ""))
    case .delete:
      try requireWritable()
      guard let present else { throw Refusal(404, "not_found", "unknown_config_value") }
      configuration[section, key] = nil
      return .json(200, .string(present))
    default: throw Refusal.method(allowed: "GET,PUT,DELETE")
    }
  }
}
