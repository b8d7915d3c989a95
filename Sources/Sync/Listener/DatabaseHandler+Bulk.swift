import Core
import HTTP

/// Many documents at once.
extension DatabaseHandler {
  func bulkDocuments() async throws -> HTTPResponse {
    guard request.method == .post else { throw Refusal.method(allowed: "POST") }
    try require(.read)
    let members = try await request.object()
    guard let value = members["docs"] else {
      throw Refusal.badRequest("POST body must include `docs` parameter.")
    }
    guard case .array(let docs) = value else {
      throw Refusal.badRequest("`docs` parameter must be an array.")
    }
    guard members["all_or_nothing"] != .bool(true) else { return Self.allOrNothing(docs) }
    let mode = try writeMode(members["new_edits"])
    var documents = try docs.map { try Document(json: $0) }
    for document in documents { try store.check(document.id) }
    guard !documents.isEmpty else { return .json(201, []) }
    var refusals = try authorize(documents)
    if isUsers { try await prepare(&documents, &refusals) }
    let allowed = zip(documents, refusals).filter { $0.1 == nil }.map(\.0)
    var results = try store.write(allowed, mode: mode)[...]
    let rows = zip(documents, refusals).compactMap { document, refusal -> JSON? in
      let named = mode == .revisions ? document.revision : nil
      if let refusal { return Self.row(document.id, named, refusal) }
      switch results.removeFirst() {
      case .written(let id, let revision):
        // Merged revisions are the sender's own: only what failed is answered.
        guard mode == .edits else { return nil }
        return ["ok": true, "id": .string(id), "rev": .string(revision.description)]
      case .refused(let id, let error): return Self.row(id, named, Refusal(error))
      }
    }
    return .json(201, .array(rows))
  }

  private static func allOrNothing(_ docs: [JSON]) -> HTTPResponse {
    .json(
      417,
      .array(
        docs.map { document in
          [
            "id": document["_id"] ?? .null, "rev": "0-", "error": "not_implemented",
            "reason": "all_or_nothing is not supported",
          ]
        }))
  }

  private func writeMode(_ value: JSON?) throws -> WriteMode {
    switch value {
    case nil, .bool(true): return .edits
    case .bool(false): return .revisions
    default: throw Refusal.badRequest("`new_edits` parameter must be a boolean.")
    }
  }

  /// Design documents in a batch are refused one by one; a user who may not write at all is refused
  /// as a whole.
  private func authorize(_ documents: [Document]) throws -> [Refusal?] {
    try documents.map { document in
      do {
        try requireWriting(document.id)
        return nil
      } catch let refusal as Refusal where DocumentID.isDesign(document.id) {
        try require(.write)
        return refusal
      }
    }
  }

  /// Hashes the passwords of users' documents; a broken rule refuses its document only.
  private func prepare(_ documents: inout [Document], _ refusals: inout [Refusal?]) async throws {
    for index in documents.indices where refusals[index] == nil {
      do {
        documents[index] = try await prepared(documents[index])
      } catch let refusal as Refusal where refusal.status == 403 {
        refusals[index] = refusal
      }
    }
  }

  private static func row(_ id: String, _ revision: RevisionID?, _ refusal: Refusal) -> JSON {
    var members: JSONObject = ["id": .string(id)]
    if let revision { members["rev"] = .string(revision.description) }
    members["error"] = .string(refusal.error)
    members["reason"] = .string(refusal.reason)
    return .object(members)
  }

  // MARK: Differences

  func revisionsDiff() async throws -> HTTPResponse {
    let missing = try await missing()
    let answer = missing.map { id, found -> (String, JSON) in
      var members: JSONObject = ["missing": .array(found.missing.map { .string("\($0)") })]
      if !found.possibleAncestors.isEmpty {
        members["possible_ancestors"] = .array(found.possibleAncestors.map { .string("\($0)") })
      }
      return (id, .object(members))
    }
    return .json(200, .object(JSONObject(answer)))
  }

  func missingRevisions() async throws -> HTTPResponse {
    let answer = try await missing().map { id, found in
      (id, JSON.array(found.missing.map { .string("\($0)") }))
    }
    return .json(200, ["missing_revs": .object(JSONObject(answer))])
  }

  private func missing() async throws -> [(id: String, MissingRevisions)] {
    guard request.method == .post else { throw Refusal.method(allowed: "POST") }
    try require(.read)
    return try store.missingRevisions(try Self.revisionLists(try await request.object()))
  }
}
