import Core
import TestSupport

extension ReplayServer {
  func allDocs(_ request: ReplayRequest, _ store: LocalStore) throws -> ReplayAnswer {
    let members = request.method == "POST" ? try request.object() : [:]
    if request.segments.count > 2 {
      guard case .array(let queries)? = members["queries"] else { throw unsupported(request) }
      let answers = try queries.map { query in
        try listing(request, query.objectValue ?? [:], store)
      }
      return ReplayAnswer(200, ["results": .array(answers)])
    }
    return ReplayAnswer(200, try listing(request, members, store))
  }

  private func listing(
    _ request: ReplayRequest, _ members: JSONObject, _ store: LocalStore
  ) throws -> JSON {
    let list = try store.allDocuments(listRequest(request, members))
    var answer: JSONObject = ["total_rows": .integer(Int64(list.totalRows))]
    answer["offset"] = list.offset.map { .integer(Int64($0)) } ?? .null
    if request.flag("update_seq") { answer["update_seq"] = .sequence(try store.lastSequence()) }
    answer["rows"] = .array(list.rows.map { $0.replayJSON(request.flag("include_docs")) })
    return .object(answer)
  }

  func localDocs(_ request: ReplayRequest, _ store: LocalStore) throws -> ReplayAnswer {
    let members = request.method == "POST" ? try request.object() : [:]
    let rows = try store.localDocuments(listRequest(request, members))
    return ReplayAnswer(
      200,
      [
        "total_rows": .null, "offset": .null,
        "rows": .array(rows.map { $0.replayJSON(request.flag("include_docs")) }),
      ])
  }

  func designDocs(_ request: ReplayRequest, _ store: LocalStore) throws -> ReplayAnswer {
    var list = try listRequest(request, [:])
    list.prefix = DocumentID.designPrefix
    let rows = try store.allDocuments(list).rows
    return ReplayAnswer(200, ["rows": .array(rows.map { $0.replayJSON(false) })])
  }

  /// Parameters come from the query or from the members of a posted object.
  private func listRequest(
    _ request: ReplayRequest, _ members: JSONObject
  ) throws -> ListRequest {
    func value(_ names: String...) throws -> JSON? {
      for name in names {
        if let member = members[name] { return member }
        if let text = request.query[name] { return try JSON(parsing: text) }
      }
      return nil
    }
    var list = ListRequest()
    // A key that is no string is below every id; only as a start does that leave a sensible range.
    list.start = try value("startkey", "start_key")?.stringValue ?? request.query["startkey_docid"]
    list.end = try value("endkey", "end_key")?.stringValue
    if let key = try value("key") {
      guard let id = key.stringValue else { throw unsupported(request) }
      (list.start, list.end) = (id, id)
    }
    list.includesEnd = request.query["inclusive_end"] != "false"
    list.descending = request.flag("descending")
    list.limit = try value("limit")?.integerValue.map { Int($0) }
    list.skip = Int(try value("skip")?.integerValue ?? 0)
    if let keys = try value("keys") {
      guard case .array(let ids) = keys else {
        throw ReplayRefusal(400, "bad_request", "`keys` body member must be an array.")
      }
      list.ids = try ids.map { id in
        guard let id = id.stringValue else { throw unsupported(request) }
        return id
      }
    }
    if request.flag("include_docs") { list.documents = try readOptions(request) }
    return list
  }
}

extension ListRow {
  fileprivate func replayJSON(_ includesDocument: Bool) -> JSON {
    guard let revision else { return ["key": .string(id), "error": "not_found"] }
    var value: JSONObject = ["rev": .string(revision.description)]
    if isDeleted { value["deleted"] = true }
    var row: JSONObject = ["id": .string(id), "key": .string(id), "value": .object(value)]
    if includesDocument { row["doc"] = document?.json ?? .null }
    return .object(row)
  }
}
