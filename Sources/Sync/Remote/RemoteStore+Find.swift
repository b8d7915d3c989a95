public import Core
import HTTP

extension RemoteStore {
  /// Finds documents and hands them over one by one, in order.
  ///
  /// A condition that CouchDB's selectors cannot say is tested here, on every document of the
  /// database.
  ///
  /// - Parameters:
  ///   - request: what to look for.
  ///   - body: takes a document, lent for the call; returns whether to go on.
  /// - Returns: what is to be told beside the documents.
  /// - Throws: `QueryError` in CouchDB's words, `RemoteError`, and what `body` throws.
  public func find(
    _ request: FindRequest, _ body: (borrowing FoundDocument) throws -> Bool
  ) async throws -> FindSummary {
    guard request.selector.isMango else { return try await scan(request, body) }
    var summary = FindSummary()
    var page = request
    var rest = request.limit ?? .max
    while rest > 0 {
      page.limit = min(rest, Self.pageSize)
      let json = try await query("_find", page)
      let documents = json["docs"]?.arrayValue ?? []
      summary.take(json)
      for document in documents {
        summary.count += 1
        rest -= 1
        let found = FoundDocument(try Document(answer: document), fields: request.fields)
        guard try body(found) else { return summary }
      }
      guard documents.count == page.limit, let bookmark = summary.bookmark else { break }
      page.bookmark = bookmark
      page.skip = 0
    }
    return summary
  }

  /// How the server would answer a query.
  public func explanation(_ request: FindRequest) async throws -> JSON {
    try await query("_explain", request)
  }

  /// Documents asked for at a time.
  private static let pageSize = 1_000

  private func query(_ endpoint: String, _ request: FindRequest) async throws -> JSON {
    do {
      return try await rethrowing {
        try await connection.json(.post, [endpoint], .json(request.json))
      }
    } catch RemoteError.status(400, let error, let reason, _) {
      throw QueryError(code: error, reason: reason)
    }
  }

  /// Tests every document here.
  private func scan(
    _ request: FindRequest, _ body: (borrowing FoundDocument) throws -> Bool
  ) async throws -> FindSummary {
    guard request.sort.isEmpty, request.text == nil, request.bookmark == nil else {
      throw QueryError(
        code: "invalid_selector",
        reason: "The server cannot test this condition, and without it cannot sort or page.")
    }
    var summary = FindSummary()
    summary.warnings = ["The server cannot test this condition, so every document was fetched."]
    var list = ListRequest()
    list.documents = ReadOptions()
    list.limit = Self.pageSize
    var passed = 0
    while true {
      let page = try await allDocuments(list)
      for row in page.rows {
        guard let document = row.document, !DocumentID.isDesign(row.id) else { continue }
        summary.examined += 1
        guard request.selector.matches(document.json, collation: collation) else { continue }
        passed += 1
        guard passed > request.skip else { continue }
        if let limit = request.limit, summary.count >= limit { return summary }
        summary.count += 1
        guard try body(FoundDocument(document, fields: request.fields)) else { return summary }
      }
      guard page.rows.count == Self.pageSize, let last = page.rows.last else { return summary }
      list.start = last.id
      list.skip = 1
    }
  }
}

extension FindRequest {
  /// The request as `_find` takes it; fields are chosen here, since ids and revisions are needed.
  fileprivate var json: JSON {
    var selector = selector.json
    if let text { selector = ["$and": [selector, ["$text": .string(text)]]] }
    var members: JSONObject = ["selector": selector, "skip": .integer(Int64(skip))]
    if let limit { members["limit"] = .integer(Int64(limit)) }
    if !sort.isEmpty { members["sort"] = .array(sort.map(\.json)) }
    if let bookmark { members["bookmark"] = .string(bookmark) }
    if let useIndex {
      members["use_index"] = .array(
        ([useIndex.designDocument] + (useIndex.name.map { [$0] } ?? [])).map { .string($0) })
    }
    if conflicts { members["conflicts"] = true }
    if executionStatistics { members["execution_stats"] = true }
    return .object(members)
  }
}

extension FindSummary {
  /// Adds what a page of `_find` told beside its documents.
  fileprivate mutating func take(_ json: JSON) {
    bookmark = json["bookmark"]?.stringValue.flatMap { $0 == "nil" ? nil : $0 }
    if let warning = json["warning"]?.stringValue, !warnings.contains(where: { $0 == warning }) {
      warnings.append(warning)
    }
    let statistics = json["execution_stats"]
    func number(_ key: String) -> Int { statistics?[key]?.integerValue.map(Int.init) ?? 0 }
    examined += number("total_docs_examined")
    keysExamined += number("total_keys_examined")
    if case .double(let time)? = statistics?["execution_time_ms"] { milliseconds += time }
  }
}
