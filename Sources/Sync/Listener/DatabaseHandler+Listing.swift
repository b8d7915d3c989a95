import Core
import HTTP

/// `_all_docs` and its relatives.
extension DatabaseHandler {
  func allDocuments(_ segments: [String]) async throws -> HTTPResponse {
    try require(.read)
    if segments.count == 2, segments[1] == "queries" { return try await queries() }
    var members = JSONObject()
    switch request.method {
    case .get, .head: break
    case .post: members = try await request.object(mayBeEmpty: true)
    default: throw Refusal.method(allowed: "GET,HEAD,POST")
    }
    return try list(members)
  }

  func designDocuments() async throws -> HTTPResponse {
    try require(.read)
    try request.allow(.get, .head, .post)
    let members: JSONObject =
      request.method == .post
      ? try await request.object(mayBeEmpty: true) : [:]
    return try list(members, prefix: DocumentID.designPrefix)
  }

  private func queries() async throws -> HTTPResponse {
    guard request.method == .post else { throw Refusal.method(allowed: "POST") }
    guard case .array(let queries)? = try await request.object()["queries"] else {
      throw Refusal.badRequest("`queries` must be an array.")
    }
    let results = try queries.map { query -> JSON in
      let (wanted, keys) = try listRequest(query.objectValue ?? [:])
      return try answer(wanted, keys: keys)
    }
    return .json(200, ["results": .array(results)])
  }

  private func list(_ members: JSONObject, prefix: String? = nil) throws -> HTTPResponse {
    var (wanted, keys) = try listRequest(members)
    if let prefix { wanted.prefix = prefix }
    return .json(200, try answer(wanted, keys: keys))
  }

  private func answer(_ wanted: ListRequest, keys: [JSON]?) throws -> JSON {
    var wanted = wanted
    // A key that is no string finds nothing, but has its row.
    wanted.ids = keys?.map { $0.stringValue ?? "" }
    let list = try store.allDocuments(wanted)
    var members: JSONObject = [
      "total_rows": .integer(Int64(list.totalRows)),
      "offset": list.offset.map { .integer(Int64($0)) } ?? .null,
    ]
    if try parameters.flag("update_seq") {
      members["update_seq"] = sequence(UpdateSequence(try store.lastSequence()))
    }
    let asked = keys.map { window($0, wanted) }
    members["rows"] = .array(
      list.rows.enumerated().map { index, row in
        self.row(row, key: asked?[index] ?? .string(row.id), wanted)
      })
    return .object(members)
  }

  /// The keys that the rows stand for, in the rows' order.
  private func window(_ keys: [JSON], _ wanted: ListRequest) -> [JSON] {
    let ordered = wanted.descending ? Array(keys.reversed()) : keys
    return Array(ordered.dropFirst(wanted.skip).prefix(wanted.limit ?? .max))
  }

  private func row(_ row: ListRow, key: JSON, _ wanted: ListRequest) -> JSON {
    guard let revision = row.revision else { return ["key": key, "error": "not_found"] }
    var value: JSONObject = ["rev": .string(revision.description)]
    if row.isDeleted { value["deleted"] = true }
    var members: JSONObject = ["id": .string(row.id), "key": key, "value": .object(value)]
    if wanted.documents != nil { members["doc"] = row.document?.json ?? .null }
    return .object(members)
  }

  /// Reads the parameters, in the query or in the body; the body wins.
  private func listRequest(_ members: JSONObject) throws -> (ListRequest, keys: [JSON]?) {
    func value(_ names: String...) throws -> JSON? {
      for name in names {
        if let value = members[name] { return value }
        if let value = try parameters.json(name) { return value }
      }
      return nil
    }
    func flag(_ name: String, default value: Bool = false) throws -> Bool {
      try members[name]?.boolValue ?? parameters.flag(name, default: value)
    }
    var wanted = ListRequest()
    try refuseReducing()
    if let key = try value("key") {
      wanted.start = Self.bound(key, isStart: true)
      wanted.end = Self.bound(key, isStart: false)
      if key.stringValue == nil { wanted.limit = 0 }
    } else {
      wanted.start = try value("startkey", "start_key").flatMap { Self.bound($0, isStart: true) }
      wanted.end = try value("endkey", "end_key").flatMap { Self.bound($0, isStart: false) }
    }
    wanted.start = wanted.start ?? parameters.first("startkey_docid", "start_key_doc_id")
    wanted.includesEnd = try flag("inclusive_end", default: true)
    wanted.descending = try flag("descending")
    wanted.skip = try members["skip"]?.integerValue.map(Int.init) ?? parameters.count("skip") ?? 0
    if let limit = try members["limit"]?.integerValue.map(Int.init) ?? parameters.count("limit") {
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

  /// Ids are strings; a key of another type lies before or after all of them.
  private static func bound(_ key: JSON, isStart: Bool) -> String? {
    switch key {
    case .string(let text): text
    case .array, .object: isStart ? "\u{10ffff}" : nil
    default: isStart ? nil : ""
    }
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
        (wanted.start.map { !utf8Less(document.id, $0) } ?? true)
          && (wanted.end.map { !utf8Less($0, document.id) } ?? true)
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
