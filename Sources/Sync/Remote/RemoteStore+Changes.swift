public import Core
import HTTP

extension RemoteStore {
  /// Lists documents by their last change.
  public func changes(_ request: ChangesRequest) async throws -> ChangesPage {
    let json = try await feed(request, [("feed", "normal")])
    return try page(json, request)
  }

  /// Waits for a change after a sequence; false when the time is over.
  public func waitForChange(
    after sequence: UpdateSequence, milliseconds: Int
  ) async throws -> Bool {
    var request = ChangesRequest()
    request.since = sequence
    request.limit = 1
    let json = try await feed(
      request, [("feed", "longpoll"), ("timeout", String(milliseconds))],
      waiting: .milliseconds(milliseconds))
    return !(json["results"]?.arrayValue ?? []).isEmpty
  }

  private func feed(
    _ request: ChangesRequest, _ form: [(name: String, value: String)],
    waiting: Duration = .zero
  ) async throws -> JSON {
    var query = form
    query.append(("since", request.since.json.stringValue ?? request.since.json.serialized()))
    if let limit = request.limit { query.append(("limit", String(limit))) }
    if request.descending { query.append(("descending", "true")) }
    if request.allLeaves { query.append(("style", "all_docs")) }
    if let options = request.documents {
      query.append(("include_docs", "true"))
      query += Self.parameters(options)
    }
    var timeouts = HTTPClient.Timeouts()
    // Servers may take long to look through a large feed before the first byte.
    timeouts.idle = waiting + .seconds(90)
    let body: RemoteConnection.Body
    if let ids = request.ids {
      query.append(("filter", "_doc_ids"))
      body = .json(["doc_ids": .array(ids.map { .string($0) })])
    } else if let selector = request.selector {
      query.append(("filter", "_selector"))
      body = .json(["selector": selector.json])
    } else if let filter = request.filter {
      query.append(("filter", filter.name))
      query += filter.parameters.map { ($0.key, $0.value) }
      body = .none
    } else {
      body = .none
    }
    let hasBody = if case .none = body { false } else { true }
    return try await rethrowing {
      try await connection.json(
        hasBody ? .post : .get, ["_changes"], query: query, body, timeouts: timeouts)
    }
  }

  private func page(_ json: JSON, _ request: ChangesRequest) throws -> ChangesPage {
    let rows = try (json["results"]?.arrayValue ?? []).compactMap { row -> Change? in
      // Sync Gateway lists users among the documents.
      guard let id = row["id"]?.stringValue, !id.utf8.starts(with: "_user/".utf8) else {
        return nil
      }
      return Change(
        sequence: UpdateSequence(row["seq"] ?? .null), id: id,
        revisions: try (row["changes"]?.arrayValue ?? []).map {
          try RevisionID(json: $0["rev"] ?? .null)
        },
        isDeleted: row["deleted"] == .bool(true),
        document: try row["doc"].flatMap { $0.isNull ? nil : try Document(answer: $0) })
    }
    guard let last = json["last_seq"] else {
      throw RemoteError.unexpected(detail: "a changes feed without 'last_seq'", url: url)
    }
    return ChangesPage(
      rows: rows, lastSequence: UpdateSequence(last),
      pending: json["pending"]?.integerValue.map(Int.init))
  }
}
