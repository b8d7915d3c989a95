public import Core
import HTTP

extension RemoteStore {
  /// Reads revisions of many documents; the answers stand in the order asked.
  ///
  /// By `_bulk_get`, or document by document where a server does not know it. Documents with
  /// attachments to bring along are asked for again, each by itself: in JSON their bytes would come
  /// in base 64.
  public func openRevisions(
    ofEach asked: [(id: String, choice: RevisionChoice)], _ options: ReadOptions
  ) async throws -> [[OpenRevision]] {
    guard let found = try await bulkGet(asked, options) else {
      var answers: [[OpenRevision]] = []
      for one in asked {
        answers.append(try await openRevisions(of: one.id, one.choice, options))
      }
      return answers
    }
    guard options.attachmentBlobs else { return found }
    var answers = found
    for (index, revisions) in found.enumerated() {
      let wanting = revisions.compactMap { answer -> RevisionID? in
        guard case .found(let document) = answer, !document.attachments.isEmpty else { return nil }
        return document.revision
      }
      guard !wanting.isEmpty else { continue }
      var blobs: [RevisionID: OpenRevision] = [:]
      for answer in try await openRevisionsWithBlobs(of: asked[index].id, .named(wanting), options)
      {
        if case .found(let document) = answer, let revision = document.revision {
          blobs[revision] = answer
        }
      }
      answers[index] = revisions.map { answer in
        guard case .found(let document) = answer, let revision = document.revision else {
          return answer
        }
        return blobs[revision] ?? answer
      }
    }
    return answers
  }

  /// Asks `_bulk_get`; nil when the server has none.
  private func bulkGet(
    _ asked: [(id: String, choice: RevisionChoice)], _ options: ReadOptions
  ) async throws -> [[OpenRevision]]? {
    var rows: [JSON] = []
    var owners: [Int] = []
    for (index, one) in asked.enumerated() {
      let revisions: [RevisionID?]
      switch one.choice {
      case .leaves: revisions = [nil]
      case .named(let names), .latest(let names): revisions = names
      }
      for revision in revisions {
        var row: JSONObject = ["id": .string(one.id)]
        if let revision { row["rev"] = .string(revision.description) }
        rows.append(.object(row))
        owners.append(index)
      }
    }
    var query: [(name: String, value: String)] = [("revs", options.history ? "true" : "false")]
    if asked.contains(where: { if case .latest = $0.choice { true } else { false } }) {
      query.append(("latest", "true"))
    }
    query.append(("attachments", options.attachmentBytes ? "true" : "false"))
    let json: JSON
    do {
      json = try await connection.json(
        .post, ["_bulk_get"], query: query, .json(["docs": .array(rows)]))
    } catch RemoteError.status(let status, _, let reason, _)
      where [400, 404, 405, 500, 501].contains(status) && reason != "Database does not exist."
    {
      return nil
    }
    let results = json["results"]?.arrayValue ?? []
    guard results.count == rows.count else {
      throw RemoteError.unexpected(detail: "_bulk_get answered other documents", url: url)
    }
    var answers = [[OpenRevision]](repeating: [], count: asked.count)
    for (owner, result) in zip(owners, results) {
      for entry in result["docs"]?.arrayValue ?? [] {
        if let document = entry["ok"] {
          answers[owner].append(.found(try Document(answer: document)))
        } else if let text = entry["error"]?["rev"], let revision = try? RevisionID(json: text) {
          answers[owner].append(.missing(revision))
        }
      }
    }
    return answers.map { Self.unique($0) }
  }

  /// Two revisions asked for may have the same leaf.
  private static func unique(_ answers: [OpenRevision]) -> [OpenRevision] {
    var seen: Set<RevisionID> = []
    return answers.filter { answer in
      switch answer {
      case .found(let document): document.revision.map { seen.insert($0).inserted } ?? true
      case .missing(let revision): seen.insert(revision).inserted
      }
    }
  }

  /// Longer lists are split: servers and proxies refuse longer addresses (414).
  private static let revisionsPerRequest = 40

  /// Reads revisions with the bytes of their attachments, streamed into blobs.
  func openRevisionsWithBlobs(
    of id: String, _ choice: RevisionChoice, _ options: ReadOptions
  ) async throws -> [OpenRevision] {
    var answers: [OpenRevision] = []
    for part in Self.parts(choice) {
      var query = Self.parameters(options).filter { $0.name != "latest" }
      query += Self.parameters(part)
      let wanted = query
      let response = try await rethrowing(id: id) {
        try await connection.send(
          .get, [id], query: wanted, headers: ["Accept": "multipart/mixed"])
      }
      do {
        answers += try await MultipartRevisions.read(
          response.body, type: response.headers["Content-Type"].map { MediaType($0) },
          spool: spool)
      } catch let error as HTTPError {
        throw RemoteError.transport(error, url: response.url)
      }
    }
    return answers
  }

  private static func parts(_ choice: RevisionChoice) -> [RevisionChoice] {
    func split(_ revisions: [RevisionID]) -> [[RevisionID]] {
      stride(from: 0, to: revisions.count, by: revisionsPerRequest).map {
        Array(revisions[$0..<min($0 + revisionsPerRequest, revisions.count)])
      }
    }
    switch choice {
    case .leaves: return [.leaves]
    case .named(let revisions): return split(revisions).map { .named($0) }
    case .latest(let revisions): return split(revisions).map { .latest($0) }
    }
  }

  /// Writes a document with the bytes of its attachments.
  func writeMultipart(_ document: Document, _ mode: WriteMode) async throws -> WriteResult {
    let body = try MultipartDocument(document).body()
    let query = mode == .revisions ? [(name: "new_edits", value: "false")] : []
    do {
      let json = try await rethrowing(id: document.id) {
        try await connection.json(
          .put, [document.id], query: query,
          .stream(body.body, type: body.frame.contentType("related")))
      }
      return .written(id: document.id, try RevisionID(json: json["rev"] ?? .null))
    } catch let error as StoreError {
      guard case .conflict = error else { throw error }
      return .refused(id: document.id, error)
    }
  }
}
