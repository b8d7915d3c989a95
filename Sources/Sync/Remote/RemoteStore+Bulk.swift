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

  /// Tells which of the given revisions the database lacks.
  public func missingRevisions(
    _ asked: [(id: String, revisions: [RevisionID])]
  ) async throws -> [(id: String, MissingRevisions)] {
    let body = JSONObject(
      asked.map { id, revisions in
        (id, JSON.array(revisions.map { .string($0.description) }))
      })
    let json = try await rethrowing {
      try await connection.json(.post, ["_revs_diff"], .json(.object(body)))
    }
    let answers = json.objectValue ?? [:]
    return try asked.compactMap { id, _ in
      guard let answer = answers[id] else { return nil }
      func revisions(_ key: String) throws -> [RevisionID] {
        try (answer[key]?.arrayValue ?? []).map { try RevisionID(json: $0) }
      }
      return (
        id,
        MissingRevisions(
          missing: try revisions("missing"),
          possibleAncestors: try revisions("possible_ancestors"))
      )
    }
  }

  /// Writes many documents; results stand in the documents' order.
  public func write(_ documents: [Document], mode: WriteMode) async throws -> [WriteResult] {
    let plain = documents.filter { !$0.attachments.contains { $0.isStaged } }
    var outcomes: [RevisionKey: WriteResult] = [:]
    if !plain.isEmpty {
      for (key, result) in try await writeBulk(plain, mode) { outcomes[key] = result }
    }
    for document in documents where document.attachments.contains(where: \.isStaged) {
      outcomes[RevisionKey(document)] = try await writeMultipart(document, mode)
    }
    return documents.map { document in
      outcomes[RevisionKey(document)]
        ?? .written(id: document.id, document.revision ?? RevisionID(generation: 0, hash: ""))
    }
  }

  /// Names one document of a write; a document may stand there with several revisions.
  struct RevisionKey: Hashable {
    let id: UTF8Key
    let revision: RevisionID?

    init(_ document: Document) {
      id = UTF8Key(document.id)
      revision = document.revision
    }
  }

  private func writeBulk(
    _ documents: [Document], _ mode: WriteMode
  ) async throws -> [(RevisionKey, WriteResult)] {
    var body = Array("{\"docs\":[".utf8)
    for (index, document) in documents.enumerated() {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      body += document.jsonBytes
    }
    body += Array(mode == .revisions ? "],\"new_edits\":false}".utf8 : "]}".utf8)
    let json: JSON
    do {
      let sent = body
      json = try await rethrowing {
        try await connection.json(
          .post, ["_bulk_docs"], .bytes(sent, type: "application/json"))
      }
    } catch RemoteError.status(417, _, _, _) {
      // Every document failed; each by itself tells why.
      throw StoreError.badRequest("the server refused every document")
    }
    let rows = json.arrayValue ?? []
    if mode == .edits {
      return try zip(documents, rows).map { (RevisionKey($0), try result($0.id, $1)) }
    }
    // With merged revisions only the failures are answered, by id.
    return try rows.filter { $0["error"] != nil }.flatMap { row in
      let id = row["id"]?.stringValue ?? ""
      return try documents.filter { utf8Equal($0.id, id) }
        .map { (RevisionKey($0), try result(id, row)) }
    }
  }

  private func result(_ id: String, _ row: JSON) throws -> WriteResult {
    guard let error = row["error"]?.stringValue else {
      return .written(id: id, try RevisionID(json: row["rev"] ?? .null))
    }
    let reason = row["reason"]?.stringValue ?? ""
    switch error {
    case "conflict": return .refused(id: id, .conflict(id: id, current: nil))
    default: return .refused(id: id, .badRequest("\(error): \(reason)"))
    }
  }
}
