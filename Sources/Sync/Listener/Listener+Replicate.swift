import Core
import Glibc
import HTTP

/// `_replicate` and what tells of it.
///
/// Documents of `_replicator` start nothing: a replication that outlives its request is started here
/// with `continuous`, or by `sync run`.
extension Listener {
  func replicate(_ request: ListenerRequest) async throws -> HTTPResponse {
    let members = try await request.object()
    let source = try ReplicationEnd(members["source"], "source")
    let target = try ReplicationEnd(members["target"], "target")
    let options = try Self.options(members)
    let id = Self.identifier(source, target, options)
    if try Self.flag(members, "cancel") { return try await cancel(id) }
    try requireWritable()
    let facts = ReplicationTable.Facts(
      id: id, source: source.shown, target: target.shown, isContinuous: options.isContinuous,
      user: request.user.name, started: Int64(time(nil)))
    let createsTarget = try Self.flag(members, "create_target")
    let from = try await open(source, creating: false)
    let to = try await open(target, creating: createsTarget)
    let replicator = Replicator(from: from, to: to, options: options)
    guard options.isContinuous else {
      return try await runOnce(replicator, facts, from: from)
    }
    let table = replications
    await table.start(facts) { number in
      // What ends a continuous replication is told nowhere else: it has no reader any more.
      _ = try? await replicator.run { Self.note($0, number, table) }
    }
    return .json(202, ["ok": true, "_local_id": .string(id)])
  }

  private func runOnce(
    _ replicator: Replicator, _ facts: ReplicationTable.Facts, from source: any DocumentStore
  ) async throws -> HTTPResponse {
    let table = replications
    let number = await table.add(facts)
    let began = HTTPDate.format(facts.started)
    let outcome: Result<ReplicationReport, any Error>
    do {
      outcome = .success(try await replicator.run { Self.note($0, number, table) })
    } catch {
      outcome = .failure(error)
    }
    await table.remove(number)
    do {
      return .json(200, Self.result(try outcome.get(), began: began))
    } catch let error as RemoteError {
      throw Refusal(500, "replication_failed", "\(error)")
    }
  }

  private static func note(
    _ event: ReplicationEvent, _ number: Int, _ table: ReplicationTable
  ) {
    switch event {
    case .progress(let report), .idle(let report):
      Task { await table.note(report, of: number, at: Int64(time(nil))) }
    case .started, .failed, .retrying, .active: break
    }
  }

  private func cancel(_ id: String) async throws -> HTTPResponse {
    guard await replications.cancel(id: id) else {
      throw Refusal(404, "not_found", "no such replication runs: \(id)")
    }
    return .json(200, ["ok": true, "_local_id": .string(id)])
  }

  // MARK: The result

  /// What CouchDB answers when a replication has ended.
  private static func result(_ report: ReplicationReport, began: String) -> JSON {
    func count(_ value: Int) -> JSON { .integer(Int64(value)) }
    let last = report.lastSequence.json
    let session: JSON = [
      "session_id": .string(report.session), "start_time": .string(began),
      "end_time": .string(HTTPDate.format(Int64(time(nil)))),
      "start_last_seq": report.startSequence.json, "end_last_seq": last, "recorded_seq": last,
      "missing_checked": count(report.checked), "missing_found": count(report.found),
      "docs_read": count(report.read), "docs_written": count(report.written),
      "doc_write_failures": count(report.failureCount),
    ]
    var answer: JSONObject = ["ok": true]
    if report.checked == 0, report.startSequence.json == last { answer["no_changes"] = true }
    answer["session_id"] = .string(report.session)
    answer["source_last_seq"] = last
    answer["replication_id_version"] = 4
    answer["history"] = [session]
    return .object(answer)
  }

  // MARK: The request

  private static func flag(_ members: JSONObject, _ name: String) throws -> Bool {
    switch members[name] {
    case nil, .null, .bool(false): return false
    case .bool(true): return true
    default: throw Refusal.badRequest("`\(name)` must be a boolean.")
    }
  }

  private static func options(_ members: JSONObject) throws -> ReplicationOptions {
    var options = ReplicationOptions()
    options.isContinuous = try flag(members, "continuous")
    if let value = members["doc_ids"], value != .null {
      guard case .array(let ids) = value else {
        throw Refusal.badRequest("`doc_ids` must be an array of strings.")
      }
      options.ids = ids.compactMap(\.stringValue)
    }
    if let value = members["selector"], value != .null { options.selector = try Selector(value) }
    if let value = members["filter"], value != .null {
      throw Refusal.notImplemented("Filter functions")
    }
    if let value = members["since_seq"], value != .null { options.since = UpdateSequence(value) }
    if members["use_checkpoints"] == .bool(false) { options.usesCheckpoints = false }
    return options
  }

  /// Names a replication by what it does, so that the same request can cancel it.
  private static func identifier(
    _ source: ReplicationEnd, _ target: ReplicationEnd, _ options: ReplicationOptions
  ) -> String {
    var hasher = SHA256()
    let meant: JSON = [.string(source.shown), .string(target.shown), options.filterJSON]
    hasher.update(meant.serializedBytes())
    let digits = Array("0123456789abcdef".utf8)
    let hex = hasher.finish().prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: hex, as: UTF8.self) + (options.isContinuous ? "+continuous" : "")
  }

  private func open(
    _ end: ReplicationEnd, creating: Bool
  ) async throws -> any DocumentStore {
    switch end {
    case .local(let name):
      do {
        return try store(name)
      } catch StoreError.storeNotFound where creating {
        return try createStore(name)
      } catch StoreError.storeNotFound {
        throw Refusal(404, "db_not_found", "could not open \(name)")
      }
    case .remote(let url, let credentials):
      let remote = RemoteStore(url, credentials: credentials, client: try replicationClient())
      do {
        if creating { try await remote.create() }
        guard try await remote.exists() else {
          throw Refusal(404, "db_not_found", "could not open \(end.shown)")
        }
      } catch let error as RemoteError {
        throw Refusal(500, "replication_failed", "could not open \(end.shown): \(error)")
      }
      return remote
    }
  }

  // MARK: The scheduler

  func scheduler(_ rest: [String], _ request: ListenerRequest) async throws -> HTTPResponse {
    try request.allow(.get, .head)
    try requireAdmin(request)
    switch rest.first {
    case "jobs" where rest.count == 1:
      let jobs = await replications.jobs()
      return .json(
        200,
        ["total_rows": .integer(Int64(jobs.count)), "offset": 0, "jobs": .array(jobs)])
    case "docs" where rest.count <= 2:
      return .json(200, ["total_rows": 0, "offset": 0, "docs": []])
    default: throw StoreError.documentNotFound(id: rest.joined(separator: "/"), .missing)
    }
  }
}

/// One side of a replication as `_replicate` names it.
enum ReplicationEnd {
  case local(String)
  case remote(WebURL, RemoteCredentials?)

  /// Reads a name, a URL, or an object with `url`, `headers` and `auth`.
  init(_ json: JSON?, _ side: String) throws {
    let text: String
    var credentials: RemoteCredentials?
    switch json {
    case .string(let url): text = url
    case .object(let members):
      guard let url = members["url"]?.stringValue else {
        throw Refusal.badRequest("`\(side)` has no `url`.")
      }
      text = url
      credentials = Self.credentials(members)
    default: throw Refusal.badRequest("`\(side)` must be a database's name or URL.")
    }
    guard text.hasPrefix("http://") || text.hasPrefix("https://") else {
      self = .local(text)
      return
    }
    do {
      self = .remote(try WebURL(text), credentials)
    } catch {
      throw Refusal.badRequest("`\(side)` is not a URL.")
    }
  }

  private static func credentials(_ members: JSONObject) -> RemoteCredentials? {
    if let basic = members["auth"]?["basic"], let user = basic["username"]?.stringValue {
      return .password(user: user, password: basic["password"]?.stringValue ?? "")
    }
    let header = members["headers"]?.objectValue?.first { $0.key.lowercased() == "authorization" }
    guard let text = header?.value.stringValue else { return nil }
    if let basic = BasicCredentials(authorization: text) {
      return .password(user: basic.user, password: basic.password)
    }
    return text.hasPrefix("Bearer ") ? .bearer(String(text.dropFirst("Bearer ".count))) : nil
  }

  /// What may be shown: no secrets.
  var shown: String {
    switch self {
    case .local(let name): name
    case .remote(let url, _): "\(url.withoutUserInfo)"
    }
  }
}
