import Core
import HTTP

/// `_all_docs` and its relatives.
extension DatabaseHandler {
  func allDocuments(_ segments: [String]) async throws -> HTTPResponse {
    try require(.read)
    if segments.count == 2, segments[1] == "queries" { return try await queries() }
    return try await list(prefix: nil)
  }

  func designDocuments(_ segments: [String]) async throws -> HTTPResponse {
    try require(.read)
    if segments.count == 2, segments[1] == "queries" {
      return try await queries(prefix: DocumentID.designPrefix)
    }
    return try await list(prefix: DocumentID.designPrefix)
  }

  private func queries(prefix: String? = nil) async throws -> HTTPResponse {
    guard request.method == .post else { throw Refusal.method(allowed: "POST") }
    guard case .array(let queries)? = try await request.object()["queries"] else {
      throw Refusal.badRequest("`queries` must be an array.")
    }
    let answers = try queries.map { query in
      guard case .object(let members) = query else {
        throw Refusal.badRequest("`queries` must be an array of objects.")
      }
      return try listing(members, prefix: prefix)
    }
    return HTTPResponse(
      headers: ["Content-Type": "application/json", "Cache-Control": "must-revalidate"],
      body: .stream(length: nil) { writer in
        try await writer.write("{\"results\":[")
        for (index, answer) in answers.enumerated() {
          if index > 0 { try await writer.write(",") }
          try await answer.write { try await writer.write($0) }
        }
        try await writer.write("]}\n")
      })
  }

  /// Lists the documents whose ids begin with a text, or all; `limit` is how many rows at most the
  /// settings allow.
  func list(prefix: String?, limit: Int? = nil) async throws -> HTTPResponse {
    try request.allow(.get, .head, .post)
    let members: JSONObject =
      request.method == .post ? try await request.object(mayBeEmpty: true) : [:]
    return try await listing(members, prefix: prefix, limit: limit).response()
  }

  private func listing(
    _ members: JSONObject, prefix: String?, limit: Int? = nil
  ) throws -> Listing {
    var (wanted, keys) = try listRequest(members)
    wanted.prefix = prefix
    // So that the offset counts what lies before them.
    if let prefix, wanted.start == nil, !wanted.descending { wanted.start = prefix }
    if let limit { try restrict(&wanted, to: limit) }
    var sequence: JSON?
    if try parameters.flag("update_seq") {
      sequence = self.sequence(UpdateSequence(try store.lastSequence()))
    }
    return Listing(
      store: store, wanted: wanted, keys: keys, updateSequence: sequence,
      totalRows: try prefix.map { try store.documentCount(prefix: $0) })
  }

  /// The keys that the rows stand for, in the rows' order.
  private func window(_ keys: [JSON], _ wanted: ListRequest) -> [JSON] {
    let ordered = wanted.descending ? Array(keys.reversed()) : keys
    return Array(ordered.dropFirst(wanted.skip).prefix(wanted.limit ?? .max))
  }

  /// Reads the parameters, in the query or in the body; the query wins.
  private func listRequest(_ members: JSONObject) throws -> (ListRequest, keys: [JSON]?) {
    func value(_ names: String...) throws -> JSON? {
      for name in names {
        if let value = try parameters.json(name) ?? members[name] { return value }
      }
      return nil
    }
    func flag(_ name: String, default value: Bool = false) throws -> Bool {
      if parameters[name] != nil { return try parameters.flag(name) }
      switch members[name] {
      case nil: return value
      case .bool(true), "true": return true
      case .bool(false), "false": return false
      case .some(let other):
        throw Refusal(
          400, "query_parse_error", "Invalid boolean parameter: \(other.serialized())")
      }
    }
    var wanted = ListRequest()
    try refuseReducing()
    wanted.descending = try flag("descending")
    func bound(_ key: JSON, isStart: Bool) -> String? {
      Self.bound(key, isStart: isStart != wanted.descending)
    }
    if let key = try value("key") {
      wanted.start = bound(key, isStart: true)
      wanted.end = bound(key, isStart: false)
      if key.stringValue == nil { wanted.limit = 0 }
    } else {
      wanted.start = try value("startkey", "start_key").flatMap { bound($0, isStart: true) }
      wanted.end = try value("endkey", "end_key").flatMap { bound($0, isStart: false) }
    }
    wanted.start = wanted.start ?? parameters.first("startkey_docid", "start_key_doc_id")
    wanted.includesEnd = try flag("inclusive_end", default: true)
    wanted.skip =
      try parameters.count("skip")
      ?? members["skip"].map { try QueryParameters.count($0.text) } ?? 0
    if let limit = try parameters.count("limit")
      ?? members["limit"].map({ try QueryParameters.count($0.text) })
    {
      wanted.limit = min(limit, wanted.limit ?? limit)
    }
    if try flag("include_docs") { wanted.documents = try readOptions() }
    guard let keys = try value("keys") else { return (wanted, nil) }
    guard case .array(let entries) = keys else {
      throw Refusal.badRequest("`keys` body member must be an array.")
    }
    guard try value("key") == nil else {
      throw Refusal(
        400, "query_parse_error",
        "`keys` is incompatible with `key`, `start_key` and `end_key`")
    }
    wanted.start = nil
    wanted.end = nil
    return (wanted, entries)
  }

  /// Ids are strings; a key of any other type lies before all of them.
  ///
  /// `isStart` means the bound that is the lesser one.
  private static func bound(_ key: JSON, isStart: Bool) -> String? {
    key.stringValue ?? (isStart ? nil : "")
  }

  private func refuseReducing() throws {
    if try parameters.flag("group") {
      throw Refusal(400, "query_parse_error", "Invalid use of grouping on a map view.")
    }
    if try parameters.flag("reduce") {
      throw Refusal(400, "query_parse_error", "Reduce is invalid for map-only views.")
    }
  }

  // MARK: Local documents

  func localDocuments() async throws -> HTTPResponse {
    try require(.read)
    try request.allow(.get, .head, .post)
    let members: JSONObject =
      request.method == .post
      ? try await request.object(mayBeEmpty: true) : [:]
    let (wanted, keys) = try listRequest(members)
    let all = try store.localDocuments()
    let rows: [JSON]
    if let keys {
      rows = window(keys, wanted).map { key in
        let found = all.first { $0.id == key.stringValue }
        return found.map { localRow($0, wanted) } ?? ["key": key, "error": "not_found"]
      }
    } else {
      var listed = all.filter { document in
        let (low, high) =
          wanted.descending ? (wanted.end, wanted.start) : (wanted.start, wanted.end)
        return (low.map { !utf8Less(document.id, $0) } ?? true)
          && (high.map { !utf8Less($0, document.id) } ?? true)
      }
      if wanted.descending { listed.reverse() }
      rows = listed.dropFirst(wanted.skip).prefix(wanted.limit ?? .max)
        .map { localRow($0, wanted) }
    }
    return .json(200, ["total_rows": .null, "offset": .null, "rows": .array(rows)])
  }

  private func localRow(_ document: Document, _ wanted: ListRequest) -> JSON {
    var members: JSONObject = [
      "id": .string(document.id), "key": .string(document.id),
      "value": ["rev": .string(document.revision?.description ?? "0-0")],
    ]
    if wanted.documents != nil { members["doc"] = document.json }
    return .object(members)
  }
}
