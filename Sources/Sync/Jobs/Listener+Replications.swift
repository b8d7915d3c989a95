import Core
import HTTP

/// `_replicate` and `_scheduler`: replications that this server runs for others.
extension Listener {
  func replicate(_ request: ListenerRequest) async throws -> HTTPResponse {
    try request.allow(.post)
    try requireAdmin(request)
    let members = try await request.object()
    try requireWritable()
    if members["cancel"] == true { return try await cancel(members) }
    let wanted = try ReplicationRequest(members)
    let job = try jobs.start(try await jobs.prepare(wanted, owner: request.user.name))
    if wanted.options.isContinuous {
      return .json(202, ["ok": true, "_local_id": .string(job.id)])
    }
    return .json(200, .object(try await job.result()))
  }

  private func cancel(_ members: JSONObject) async throws -> HTTPResponse {
    let named = members["replication_id"] ?? members["_local_id"] ?? members["id"]
    let id: String
    if let name = named?.stringValue {
      id = name
    } else {
      id = try await jobs.id(of: ReplicationRequest(members))
    }
    guard let job = jobs[id] else { throw Refusal(404, "not_found", "missing") }
    job.cancel()
    _ = try? await job.result()
    return .json(200, ["ok": true, "_local_id": .string(id)])
  }

  /// Answers `_scheduler/jobs` and `_scheduler/docs`, each of which may name one; `path` is what
  /// follows `_scheduler`.
  func scheduler(_ path: [String], _ request: ListenerRequest) throws -> HTTPResponse {
    try request.allow(.get, .head)
    try requireAdmin(request)
    switch (path.first, path.count) {
    case ("jobs", 1): return try rows(jobs.running.map(\.schedulerRow), "jobs", request)
    case ("jobs", 2):
      guard let job = jobs[path[1]] else { throw Refusal(404, "not_found", "missing") }
      return .json(200, job.schedulerRow)
    case ("docs", 1): return try rows(try orders.rows().map { .object($0) }, "docs", request)
    case ("docs", 2) where path[1] == ReplicationOrders.storeName:
      return try rows(try orders.rows().map { .object($0) }, "docs", request)
    case ("docs", 3) where path[1] == ReplicationOrders.storeName:
      let row = try orders.rows().first { $0["doc_id"] == .string(path[2]) }
      guard let row else { throw Refusal(404, "not_found", "missing") }
      return .json(200, .object(row))
    default: throw Refusal(404, "not_found", "missing")
    }
  }

  private func rows(
    _ rows: [JSON], _ name: String, _ request: ListenerRequest
  ) throws -> HTTPResponse {
    let skip = try request.parameters.count("skip") ?? 0
    let limit = try request.parameters.count("limit") ?? rows.count
    return .json(
      200,
      [
        "total_rows": .integer(Int64(rows.count)), "offset": .integer(Int64(skip)),
        name: .array(Array(rows.dropFirst(skip).prefix(limit))),
      ])
  }
}
