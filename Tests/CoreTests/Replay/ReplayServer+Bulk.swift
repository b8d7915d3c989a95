import Core
import TestSupport

extension ReplayServer {
  func bulkDocs(_ request: ReplayRequest, _ store: LocalStore) throws -> ReplayAnswer {
    let members = try request.object()
    guard let given = members["docs"] else {
      throw ReplayRefusal(400, "bad_request", "POST body must include `docs` parameter.")
    }
    guard case .array(let list) = given else {
      throw ReplayRefusal(400, "bad_request", "`docs` parameter must be an array.")
    }
    guard case .bool(let isEdit) = members["new_edits"] ?? true else {
      throw ReplayRefusal(400, "bad_request", "`new_edits` must be a boolean")
    }
    let documents = try list.map { try Document(json: $0) }
    let results = try store.write(documents, mode: isEdit ? .edits : .revisions)
    return ReplayAnswer(201, .array(results.compactMap { json($0, isEdit: isEdit) }))
  }

  /// Merges are answered only when they failed.
  private func json(_ result: WriteResult, isEdit: Bool) -> JSON? {
    switch result {
    case .written(let id, let revision): return isEdit ? .written(id, revision) : nil
    case .refused(let id, let error):
      let (_, word, reason) = error.couchDB
      return ["id": .string(id), "error": .string(word), "reason": .string(reason)]
    }
  }

  // MARK: _bulk_get

  func bulkGet(_ request: ReplayRequest, _ store: LocalStore) throws -> ReplayAnswer {
    for name in ["rev", "open_revs"] where request.query[name] != nil {
      throw ReplayRefusal(400, "bad_request", "\"\(name)\" query parameter is not acceptable")
    }
    guard let given = try request.object()["docs"] else {
      throw ReplayRefusal(400, "bad_request", "Missing JSON list of 'docs'.")
    }
    guard case .array(let items) = given else {
      throw ReplayRefusal(400, "bad_request", "'docs' must be a list")
    }
    let results = try items.map { try bulkGetRow($0, request, store) }
    return ReplayAnswer(200, ["results": .array(results)])
  }

  private func bulkGetRow(
    _ item: JSON, _ request: ReplayRequest, _ store: LocalStore
  ) throws -> JSON {
    func row(_ id: JSON, _ docs: [JSON]) -> JSON { ["id": id, "docs": .array(docs)] }
    func failure(_ id: JSON, _ revision: JSON, _ word: String, _ reason: String) -> JSON {
      ["error": ["id": id, "rev": revision, "error": .string(word), "reason": .string(reason)]]
    }
    guard case .object(let members) = item else {
      return row(.null, [failure(.null, .null, "bad_request", "document must be a JSON object")])
    }
    guard let name = members["id"] else {
      return row(.null, [failure(.null, .null, "bad_request", "document id missed")])
    }
    guard let id = name.stringValue else {
      throw ReplayRefusal(400, "illegal_docid", "Document id must be a string")
    }
    do {
      try DocumentID.check(id)
    } catch {
      let (_, word, reason) = error.couchDB
      return row(name, [failure(name, .null, word, reason)])
    }
    var options = try readOptions(request)
    if let since = members["atts_since"] {
      options.attachmentsSince = try ReplayRequest.revisions(since)
    }
    var choice = RevisionChoice.leaves
    if let text = members["rev"] {
      guard let revision = text.stringValue.flatMap({ RevisionID($0) }) else {
        return row(name, [failure(name, text, "bad_request", "Invalid rev format")])
      }
      choice = request.flag("latest") ? .latest([revision]) : .named([revision])
    }
    let answers: [OpenRevision]
    do {
      answers = try store.openRevisions(of: id, choice, options)
    } catch StoreError.documentNotFound {
      return row(name, [failure(name, "undefined", "not_found", "missing")])
    }
    return row(
      name,
      answers.map { answer in
        switch answer {
        case .found(let document): ["ok": document.json]
        case .missing(let revision):
          failure(name, .string(revision.description), "not_found", "missing")
        }
      })
  }

  // MARK: _revs_diff

  private func difference(
    _ request: ReplayRequest, _ store: LocalStore
  ) throws -> [(id: String, MissingRevisions)] {
    let asked = try request.object().map { id, list in
      guard case .array(let texts) = list else {
        throw ReplayRefusal(400, "bad_request", "revisions must be a list")
      }
      return (id: id, revisions: try ReplayRequest.revisions(.array(texts)))
    }
    return try store.missingRevisions(asked)
  }

  func revsDiff(_ request: ReplayRequest, _ store: LocalStore) throws -> ReplayAnswer {
    var answer = JSONObject()
    for (id, lacking) in try difference(request, store) {
      var row: JSONObject = ["missing": .revisions(lacking.missing)]
      if !lacking.possibleAncestors.isEmpty {
        row["possible_ancestors"] = .revisions(lacking.possibleAncestors)
      }
      answer[id] = .object(row)
    }
    return ReplayAnswer(200, .object(answer))
  }

  func missingRevs(_ request: ReplayRequest, _ store: LocalStore) throws -> ReplayAnswer {
    var answer = JSONObject()
    for (id, lacking) in try difference(request, store) {
      answer[id] = .revisions(lacking.missing)
    }
    return ReplayAnswer(200, ["missing_revs": .object(answer)])
  }
}

extension ReplayServer {
  func purge(_ request: ReplayRequest, _ store: LocalStore) throws -> ReplayAnswer {
    let asked = try request.object().map { id, list in
      (id: id, revisions: try ReplayRequest.revisions(list))
    }
    let purged = try store.purge(asked).map { ($0.id, JSON.revisions($0.purged)) }
    return ReplayAnswer(201, ["purge_seq": .null, "purged": .object(JSONObject(purged))])
  }
}

extension JSON {
  static func revisions(_ revisions: [RevisionID]) -> JSON {
    .array(revisions.map { .string($0.description) })
  }
}
