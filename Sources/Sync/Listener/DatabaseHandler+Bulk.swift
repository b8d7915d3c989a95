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
    guard members["all_or_nothing"] != .bool(true) else {
      throw Refusal(417, "not_implemented", "all_or_nothing is not supported")
    }
    let mode = try writeMode(members["new_edits"])
    var documents = try docs.map { try Document(json: $0) }
    for document in documents { try DocumentID.check(document.id) }
    guard !documents.isEmpty else { return .json(201, []) }
    var refusals = try authorize(documents)
    if isUsers { try await prepare(&documents, &refusals) }
    let allowed = zip(documents, refusals).filter { $0.1 == nil }.map(\.0)
    var results = try store.write(allowed, mode: mode)[...]
    let rows = zip(documents, refusals).compactMap { document, refusal -> JSON? in
      if let refusal { return Self.row(document.id, refusal) }
      switch results.removeFirst() {
      case .written(let id, let revision):
        // Merged revisions are the sender's own: only what failed is answered.
        guard mode == .edits else { return nil }
        return ["ok": true, "id": .string(id), "rev": .string(revision.description)]
      case .refused(let id, let error): return Self.row(id, Refusal(error))
      }
    }
    return .json(201, .array(rows))
  }

  private func writeMode(_ value: JSON?) throws -> WriteMode {
    switch value {
    case nil, .bool(true): return .edits
    case .bool(false): return .revisions
    default: throw Refusal.badRequest("`new_edits` must be a boolean.")
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

  private static func row(_ id: String, _ refusal: Refusal) -> JSON {
    ["id": .string(id), "error": .string(refusal.error), "reason": .string(refusal.reason)]
  }

  // MARK: Reading

  func bulkGet() async throws -> HTTPResponse {
    guard request.method == .post else { throw Refusal.method(allowed: "POST") }
    try require(.read)
    let members = try await request.object()
    guard let value = members["docs"] else {
      throw Refusal.badRequest("Missing JSON list of 'docs'.")
    }
    guard case .array(let asked) = value else {
      throw Refusal.badRequest("'docs' must be an array of objects.")
    }
    var options = try readOptions()
    options.revision = nil
    let store = store
    let latest = try parameters.flag("latest")
    let plain = options
    // Answered document by document: many large ones never are in memory together.
    return HTTPResponse(
      headers: ["Content-Type": "application/json", "Cache-Control": "must-revalidate"],
      body: .stream(length: nil) { writer in
        try await writer.write("{\"results\":[")
        var buffer: [UInt8] = []
        for (index, entry) in asked.enumerated() {
          if index > 0 { buffer.append(UInt8(ascii: ",")) }
          buffer += Self.bulkAnswer(entry, store, plain, latest: latest)
          if buffer.count > 1 << 16 {
            try await writer.write(buffer)
            buffer.removeAll(keepingCapacity: true)
          }
        }
        try await writer.write(buffer + Array("]}\n".utf8))
      })
  }

  private static func bulkAnswer(
    _ entry: JSON, _ store: LocalStore, _ options: ReadOptions, latest: Bool
  ) -> [UInt8] {
    let id = entry["id"]?.stringValue
    var answer = Array("{\"id\":".utf8)
    answer += (entry["id"] ?? .null).serializedBytes()
    answer += Array(",\"docs\":[".utf8)
    do {
      guard let id else { throw Refusal(400, "bad_request", "document id missed") }
      var options = options
      var choice = RevisionChoice.leaves
      if let text = entry["rev"] {
        let revision = try RevisionID(json: text)
        choice = latest ? .latest([revision]) : .named([revision])
      }
      if case .array(let since)? = entry["atts_since"], options.attachmentBytes {
        options.attachmentsSince = try since.map { try RevisionID(json: $0) }
      }
      let found = try store.openRevisions(of: id, choice, options)
      for (index, revision) in found.enumerated() {
        if index > 0 { answer.append(UInt8(ascii: ",")) }
        switch revision {
        case .found(let document):
          answer += Array("{\"ok\":".utf8) + document.jsonBytes + Array("}".utf8)
        case .missing(let revision):
          answer += bulkError(entry, rev: revision.description, "not_found", "missing")
        }
      }
    } catch {
      let refusal = Refusal(error)
      let rev = entry["rev"]?.stringValue ?? "undefined"
      answer += bulkError(entry, rev: rev, refusal.error, refusal.reason)
    }
    return answer + Array("]}".utf8)
  }

  private static func bulkError(
    _ entry: JSON, rev: String, _ error: String, _ reason: String
  ) -> [UInt8] {
    let json: JSON = [
      "error": [
        "id": entry["id"] ?? .null, "rev": .string(rev), "error": .string(error),
        "reason": .string(reason),
      ]
    ]
    return json.serializedBytes()
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
