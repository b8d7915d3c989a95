import Core
import HTTP

/// The endpoints beside the databases.
extension Listener {
  /// What CouchDB clients ask first.
  func root(_ request: ListenerRequest) throws -> HTTPResponse {
    guard request.method == .get || request.method == .head else {
      throw Refusal.method(allowed: "GET,HEAD")
    }
    return .json(
      200,
      [
        "couchdb": "Welcome", "version": "3.5.0", "uuid": .string(uuid), "features": [],
        "vendor": ["name": "tote"],
      ])
  }

  func serverRoute(
    _ name: String, _ rest: [String], _ request: ListenerRequest
  ) async throws -> HTTPResponse {
    switch name {
    case "_up":
      try request.allow(.get, .head)
      return .json(200, ["status": "ok", "seeds": [:]])
    case "_all_dbs":
      try request.allow(.get, .head)
      try requireAdmin(request)
      return try allDatabases(request)
    case "_uuids":
      try request.allow(.get, .head)
      return try uuids(request)
    case "_active_tasks":
      try request.allow(.get, .head)
      try requireAdmin(request)
      return .json(200, .array(jobs.running.map(\.activeTask)))
    case "_dbs_info": return try await databasesInformation(request)
    case "_replicate": return try await replicate(request)
    case "_scheduler": return try scheduler(rest, request)
    case "_node": return try await node(rest, request)
    case "_membership":
      try request.allow(.get, .head)
      try requireAdmin(request)
      return .json(200, ["all_nodes": [.string(Self.node)], "cluster_nodes": [.string(Self.node)]])
    case "_session":
      return try await session(request)
    default:
      guard request.method == .put else {
        throw StoreError.storeNotFound(name: name)
      }
      throw StoreError.invalidStoreName(name: name, reason: "it must begin with a letter a-z")
    }
  }

  /// What stands where CouchDB names the node of a cluster.
  static let node = "nonode@nohost"

  /// At most so many databases are asked about at once, as in CouchDB.
  private static let informationLimit = 100

  private func databasesInformation(_ request: ListenerRequest) async throws -> HTTPResponse {
    try requireAdmin(request)
    let names: [String]
    switch request.method {
    case .get, .head:
      names = try databaseNames(request)
    case .post:
      guard case .array(let keys)? = try await request.object()["keys"] else {
        throw Refusal.badRequest("`keys` member must exist.")
      }
      guard keys.count <= Self.informationLimit else {
        throw Refusal.badRequest("`keys` array must have \(Self.informationLimit) or fewer entries")
      }
      names = keys.compactMap(\.stringValue)
    default: throw Refusal.method(allowed: "GET,HEAD,POST")
    }
    return .json(
      200,
      .array(
        names.map { name in
          guard let info = try? handler(of: name, request).facts() else {
            return ["key": .string(name), "error": "not_found"]
          }
          return ["key": .string(name), "info": info]
        }))
  }

  private func allDatabases(_ request: ListenerRequest) throws -> HTTPResponse {
    .json(200, .array(try databaseNames(request).map { .string($0) }))
  }

  /// The names in the range and window that are asked for.
  private func databaseNames(_ request: ListenerRequest) throws -> [String] {
    var names = try storeNames[...]
    if case .string(let start)? = try request.parameters.json("startkey", "start_key") {
      names = names.drop { utf8Less($0, start) }
    }
    if case .string(let end)? = try request.parameters.json("endkey", "end_key") {
      names = names.prefix { !utf8Less(end, $0) }
    }
    if try request.parameters.flag("descending") { names = Array(names.reversed())[...] }
    names = names.dropFirst(try request.parameters.count("skip") ?? 0)
    if let limit = try request.parameters.count("limit") { names = names.prefix(limit) }
    return Array(names)
  }

  /// At most so many ids are made at once, as in CouchDB.
  private static let uuidLimit = 1_000

  private func uuids(_ request: ListenerRequest) throws -> HTTPResponse {
    let count = try request.parameters.count("count") ?? 1
    guard count <= Self.uuidLimit else {
      throw Refusal.badRequest("count parameter too large")
    }
    let ids = (0..<count).map { _ in JSON.string(configuration.documentID()) }
    var response = HTTPResponse.json(200, ["uuids": .array(ids)]).tagged(RandomIdentifier.uuid())
    response.headers["Pragma"] = "no-cache"
    response.headers["Cache-Control"] = "must-revalidate, no-cache"
    return response
  }
}

extension ListenerRequest {
  /// Refuses other methods.
  func allow(_ methods: HTTPMethod...) throws {
    guard methods.contains(method) else {
      throw Refusal.method(allowed: methods.map(\.rawValue).joined(separator: ","))
    }
  }
}
