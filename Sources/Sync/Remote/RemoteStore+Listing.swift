public import Core
import HTTP

extension RemoteStore {
  /// Lists documents by id.
  public func allDocuments(_ request: ListRequest) async throws -> DocumentList {
    var query: [(name: String, value: String)] = []
    func add(_ name: String, _ json: JSON) { query.append((name, json.serialized())) }
    if let start = request.start ?? request.prefix { add("startkey", .string(start)) }
    if let end = request.end ?? request.prefix.map({ $0 + "\u{fff0}" }) {
      add("endkey", .string(end))
    }
    if !request.includesEnd { query.append(("inclusive_end", "false")) }
    if request.descending { query.append(("descending", "true")) }
    if let limit = request.limit { query.append(("limit", String(limit))) }
    if request.skip > 0 { query.append(("skip", String(request.skip))) }
    if let options = request.documents {
      query.append(("include_docs", "true"))
      query += Self.parameters(options)
    }
    let json = try await rethrowing {
      if let ids = request.ids {
        let keys: JSON = ["keys": .array(ids.map { .string($0) })]
        return try await connection.json(.post, ["_all_docs"], query: query, .json(keys))
      }
      return try await connection.json(.get, ["_all_docs"], query: query)
    }
    return DocumentList(
      totalRows: json["total_rows"]?.integerValue.map(Int.init) ?? 0,
      offset: json["offset"]?.integerValue.map(Int.init),
      rows: try (json["rows"]?.arrayValue ?? []).map { row in
        ListRow(
          id: row["id"]?.stringValue ?? row["key"]?.stringValue ?? "",
          revision: try row["value"]?["rev"].map { try RevisionID(json: $0) },
          isDeleted: row["value"]?["deleted"] == .bool(true),
          document: try row["doc"].flatMap { $0.isNull ? nil : try Document(answer: $0) })
      })
  }
}
