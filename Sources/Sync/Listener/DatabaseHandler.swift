import Core
import HTTP

/// Answers one request to a database.
struct DatabaseHandler {
  let store: LocalStore
  let watch: ChangeWatch
  let pool: StorePool
  let request: ListenerRequest
  let isReadOnly: Bool

  var parameters: QueryParameters { request.parameters }

  /// Runs what reads through the whole store, over a connection of its own and when there is room.
  func scanning<Result: Sendable>(
    _ work: @escaping @Sendable (LocalStore) throws -> Result
  ) async throws -> Result {
    let (pool, name) = (pool, store.name)
    return try await pool.gate.run { try work(try pool.scanner(name)) }
  }

  // MARK: Routing

  func answer(_ segments: [String]) async throws -> HTTPResponse {
    try requireUsersRoute(segments)
    switch segments[0] {
    case "_all_docs": return try await allDocuments(segments)
    case "_design_docs": return try await designDocuments(segments)
    case "_local_docs": return try await localDocuments()
    case "_changes": return try await changes()
    case "_bulk_docs": return try await bulkDocuments()
    case "_bulk_get": return try await bulkGet()
    case "_revs_diff": return try await revisionsDiff()
    case "_missing_revs": return try await missingRevisions()
    case "_find", "_explain", "_index": return try await query(segments)
    case "_security": return try await security()
    case "_revs_limit": return try await revisionsLimit()
    case "_purged_infos_limit": return try await purgedInfosLimit()
    case "_partition": return try await partition(segments)
    case "_purge": return try await purge()
    case "_temp_view":
      try require(.read)
      throw Refusal(410, "gone", "Temporary views are not supported in CouchDB")
    case "_ensure_full_commit":
      try postOnly()
      try require(.read)
      try store.synchronize()
      return .json(201, ["ok": true, "instance_start_time": .string(startTime)])
    case "_compact", "_view_cleanup":
      try postOnly()
      try requireMaintenance()
      if segments[0] == "_compact", segments.count == 1 {
        _ = try await scanning { try $0.compact() }
      }
      return .json(202, ["ok": true])
    default: return try await documentRoute(segments)
    }
  }

  private func postOnly() throws {
    guard request.method == .post else { throw Refusal.method(allowed: "POST") }
    try request.requireJSONType()
  }

  private func documentRoute(_ segments: [String]) async throws -> HTTPResponse {
    let path = try DocumentPath(segments)
    if path.isDesignFunction {
      try require(.read)
      if path.attachment == "_info" { return try designInformation(path.id) }
      try checkFunction(segments)
      throw Refusal.notImplemented("Design functions")
    }
    guard let name = path.attachment else { return try await document(path.id) }
    guard !DocumentID.isLocal(path.id) else {
      throw Refusal.badRequest("_local documents do not accept attachments.")
    }
    return try await attachment(name, of: path.id)
  }

  // MARK: The database itself

  func information() throws -> HTTPResponse {
    try require(.read)
    return .json(200, try facts())
  }

  /// Tells two databases apart that had the same name one after the other: what CouchDB's replicator
  /// looks at.
  private var startTime: String {
    String(UInt32(store.identity.prefix(8), radix: 16) ?? 0)
  }

  /// What is known about the database.
  func facts() throws -> JSON {
    let info = try store.info()
    return [
      "instance_start_time": .string(startTime), "db_name": .string(info.name),
      "purge_seq": .string("\(info.purgeSequence)-\(store.identity.prefix(8))"),
      "update_seq": sequence(UpdateSequence(info.lastSequence)),
      "sizes": try sizes(info), "props": store.isPartitioned ? ["partitioned": true] : [:],
      "doc_del_count": .integer(Int64(info.deletedCount)),
      "doc_count": .integer(Int64(info.documentCount)), "disk_format_version": 8,
      "compact_running": false, "cluster": ["q": 1, "n": 1, "w": 1, "r": 1],
      "uuid": .string(info.uuid),
    ]
  }

  private func security() async throws -> HTTPResponse {
    switch request.method {
    case .get:
      try require(.read)
      return .json(200, .object(try store.security()))
    case .put:
      try require(.administer)
      if isUsers, !request.configuration.isUsersSecurityEditable {
        throw Refusal(
          403, "forbidden", "You can't edit the security object of the user database.")
      }
      let object = try SecurityObject(try await request.object())
      try store.setSecurity(object.json)
      return .json(200, ["ok": true])
    default: throw Refusal.method(allowed: "PUT,GET")
    }
  }

  private func revisionsLimit() async throws -> HTTPResponse {
    switch request.method {
    case .get:
      try require(.read)
      return .json(200, .integer(Int64(try store.revisionsLimit())))
    case .put:
      try require(.administer)
      guard case .integer(let limit) = try await request.json(), limit > 0 else {
        throw Refusal.badRequest("`revs_limit` must be a positive integer")
      }
      try store.setRevisionsLimit(Int(limit))
      return .json(200, ["ok": true])
    default: throw Refusal.method(allowed: "PUT,GET")
    }
  }

  private func purgedInfosLimit() async throws -> HTTPResponse {
    switch request.method {
    case .get:
      try require(.read)
      return .json(200, .integer(Int64(try store.purgedInfosLimit())))
    case .put:
      try require(.administer)
      guard case .integer(let limit) = try await request.json(), limit > 0 else {
        throw Refusal.badRequest("`purge_infos_limit` must be positive integer")
      }
      try store.setPurgedInfosLimit(Int(limit))
      return .json(200, ["ok": true])
    default: throw Refusal.method(allowed: "PUT,GET")
    }
  }

  /// Looks whether a function of a design document is there at all: only then it is the lack of
  /// JavaScript that matters.
  private func checkFunction(_ segments: [String]) throws {
    let members = try store.document("_design/\(segments[1])").body.members
    guard segments.count > 3, segments[2] == "_view" else { return }
    guard members["views"]?[segments[3]] != nil else {
      throw Refusal(404, "not_found", "missing_named_view")
    }
  }

  private func purge() async throws -> HTTPResponse {
    guard request.method == .post else { throw Refusal.method(allowed: "POST") }
    try requireServerAdmin()
    try require(.administer)
    let asked = try Self.revisionLists(try await request.object())
    if store.isPartitioned { for (id, _) in asked { try Partition.check(documentID: id) } }
    let purged = try store.purge(asked).map { id, revisions in
      (id, JSON.array(revisions.map { .string($0.description) }))
    }
    return .json(201, ["purge_seq": .null, "purged": .object(JSONObject(purged))])
  }

  // MARK: Shapes

  /// A sequence as clients see it: the number, and a mark that tells this store from another one
  /// that may have had the same name.
  func sequence(_ sequence: UpdateSequence) -> JSON {
    .string("\(sequence)-\(store.identity.prefix(8))")
  }

  /// Reads a sequence that a client gives back; one of another store is the beginning.
  func updateSequence(_ text: String) throws -> UpdateSequence {
    if text == "now" { return UpdateSequence(try store.lastSequence()) }
    // Some clients send it back as JSON.
    let plain = (try? JSON(parsing: text))?.stringValue ?? text
    let parts = plain.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let number = Int(parts[0]), number >= 0 else {
      throw Refusal.badRequest("Malformed sequence supplied in 'since' parameter.")
    }
    guard parts.count == 1 || parts[1] == store.identity.prefix(8) else { return .start }
    return UpdateSequence(number)
  }

  /// Reads `{"id": ["rev", …], …}`.
  static func revisionLists(_ json: JSONObject) throws -> [(id: String, revisions: [RevisionID])] {
    try json.map { id, value in
      guard case .array(let entries) = value else {
        throw Refusal.badRequest("Invalid list of revisions")
      }
      return (id, try entries.map { try RevisionID(json: $0) })
    }
  }
}
