import Core
import HTTP

/// Single documents.
extension DatabaseHandler {
  func document(_ id: String) async throws -> HTTPResponse {
    switch request.method {
    case .get, .head: return try await readDocument(id)
    case .put: return try await putDocument(id)
    case .delete: return try deleteDocument(id)
    case .copy: return try copyDocument(id)
    case .post: return try await receiveForm(id)
    default: throw Refusal.method(allowed: "DELETE,GET,HEAD,POST,PUT,COPY")
    }
  }

  // MARK: Reading

  func readOptions() throws -> ReadOptions {
    var options = ReadOptions(revision: try parameters.revision())
    options.history = try parameters.flag("revs")
    options.sequence = try parameters.flag("local_seq")
    options.revisionsInfo = try parameters.flag("revs_info")
    options.conflicts = try parameters.flag("conflicts")
    options.deletedConflicts = try parameters.flag("deleted_conflicts")
    options.attachmentBytes = try parameters.flag("attachments")
    options.attachmentEncoding = try parameters.flag("att_encoding_info")
    if try parameters.flag("meta") {
      options.revisionsInfo = true
      options.conflicts = true
      options.deletedConflicts = true
    }
    if let since = try parameters.revisions("atts_since") {
      options.attachmentsSince = since
      options.attachmentBytes = true
    }
    return options
  }

  private func readDocument(_ id: String) async throws -> HTTPResponse {
    try require(.read)
    if let text = parameters["open_revs"], text != "[]" { return try openRevisions(id, text) }
    var options = try readOptions()
    let asMultipart = options.attachmentBytes && acceptsMultipart("multipart/related")
    if asMultipart {
      options.attachmentBytes = false
      options.attachmentBlobs = true
    }
    let document = try read(id, options)
    // Only a plain read answers the same for the same revision.
    let isPlain = request.http.query.items.allSatisfy { $0.name == "rev" || $0.name == "_" }
    let tag = document.revision?.description ?? ""
    if isPlain, !DocumentID.isLocal(id), request.hasCurrent(tag: tag) {
      return HTTPResponse(status: 304, headers: ["ETag": "\"\(tag)\""])
    }
    let hasBlobs = document.attachments.contains { $0.isStaged }
    let response =
      asMultipart && hasBlobs
      ? try MultipartDocument(document).response
      : HTTPResponse.json(200, bytes: try document.expanded().jsonBytes)
    return response.tagged(tag)
  }

  /// With `latest` the leaf that a named revision grew into.
  private func read(_ id: String, _ options: ReadOptions) throws -> Document {
    guard let revision = options.revision, try parameters.flag("latest") else {
      return try store.document(id, options)
    }
    var options = options
    options.revision = nil
    if case .found(let document)? = try store.openRevisions(of: id, .latest([revision]), options)
      .first
    {
      return document
    }
    // The tree may have forgotten so old an ancestor; the winner is what came of it.
    let document = try store.document(id, options)
    guard let newest = document.revision, revision.generation < newest.generation else {
      throw StoreError.documentNotFound(id: id, .missing)
    }
    return document
  }

  /// CouchDB answers multipart where the client takes it, and takes no `Accept` for anything.
  func acceptsMultipart(_ type: String) -> Bool {
    request.http.headers["Accept"] == nil || HTTPAccept.accepts(type, in: request.http.headers)
  }

  private func openRevisions(_ id: String, _ text: String) throws -> HTTPResponse {
    var options = try readOptions()
    options.revision = nil
    let choice: RevisionChoice
    if text == "all" {
      choice = .leaves
    } else {
      let revisions = try parameters.revisions("open_revs") ?? []
      choice = try parameters.flag("latest") ? .latest(revisions) : .named(revisions)
    }
    let asMultipart = acceptsMultipart("multipart/mixed")
    if asMultipart {
      options.attachmentBytes = false
      options.attachmentBlobs = true
    }
    let answers = try store.openRevisions(of: id, choice, options)
    if asMultipart { return try MultipartRevisions(answers).response }
    let rows = try answers.map { answer -> JSON in
      switch answer {
      case .found(let document): ["ok": try document.expanded().json]
      case .missing(let revision): ["missing": .string(revision.description)]
      }
    }
    return .json(200, .array(rows))
  }

  // MARK: Writing

  /// A document in the body, with the revision that the request names in one of three places.
  private func sentDocument(_ id: String?) async throws -> Document {
    var document = try Document(json: try await request.json(), id: id)
    if let revision = try namedRevision() {
      guard document.revision == nil || document.revision == revision else {
        throw Refusal.badRequest(
          request.http.headers["If-Match"] == nil
            ? "Document rev from request body and query string have different values"
            : "Document rev and etag have different values")
      }
      document.revision = revision
    }
    return document
  }

  /// The revision named by `?rev=` or `If-Match`.
  func namedRevision() throws -> RevisionID? {
    if let revision = try parameters.revision() { return revision }
    guard let tag = request.http.headers["If-Match"] else { return nil }
    let text = tag.first == "\"" && tag.last == "\"" ? String(tag.dropFirst().dropLast()) : tag
    guard let revision = RevisionID(text) else { throw Refusal.badRequest("Invalid rev format") }
    return revision
  }

  /// A document as it may be stored: those of users lose their passwords.
  func prepared(_ document: Document) async throws -> Document {
    guard isUsers else { return document }
    var present: Document?
    do {
      present = try store.document(document.id)
    } catch StoreError.documentNotFound {
      present = nil
    }
    return try await UserDocument(document: document, user: request.user, present: present)
      .prepared()
  }

  func postDocument() async throws -> HTTPResponse {
    try require(.read)
    try request.requireJSONType()
    let document = try await sentDocument(nil)
    try requireWriting(document.id)
    return try await written(document, mode: .edits)
  }

  private func putDocument(_ id: String) async throws -> HTTPResponse {
    try requireWriting(id)
    try store.check(id)
    let mode = try writeMode()
    let document: Document
    if request.http.contentType?.value == "multipart/related" {
      document = try await MultipartDocument.read(request, id: id, into: store)
    } else {
      document = try await sentDocument(id)
    }
    if mode == .revisions, document.revision == nil, document.history == nil {
      throw Refusal.badRequest(
        "When `new_edits: false`, the document needs `_rev` or `_revisions` specified")
    }
    return try await written(document, mode: mode)
  }

  private func writeMode() throws -> WriteMode {
    switch parameters["new_edits"] {
    case nil, "true": return .edits
    case "false": return .revisions
    default: throw Refusal.badRequest("`new_edits` parameter must be a boolean.")
    }
  }

  func written(_ document: Document, mode: WriteMode) async throws -> HTTPResponse {
    let document = try await prepared(document)
    let isBatched = parameters["batch"] == "ok" && mode == .edits
    let revision: RevisionID
    switch mode {
    case .edits:
      do {
        revision = try store.put(document)
      } catch StoreError.conflict where isBatched {
        // CouchDB answers before it writes, so that nobody learns of the conflict.
        return .json(202, ["ok": true, "id": .string(document.id)])
      }
    case .revisions:
      switch try store.write([document], mode: .revisions)[0] {
      case .written(_, let written): revision = written
      case .refused(_, let error): throw error
      }
    }
    // Every write is durable when it is answered; who asked for less is told less, as in CouchDB.
    if isBatched {
      return .json(202, ["ok": true, "id": .string(document.id)])
    }
    return writtenAnswer(document.isDeleted ? 200 : 201, document.id, revision)
  }

  func writtenAnswer(_ status: Int, _ id: String, _ revision: RevisionID) -> HTTPResponse {
    var response = HTTPResponse.json(
      status, ["ok": true, "id": .string(id), "rev": .string(revision.description)])
    response = response.tagged(revision.description)
    if request.method != .delete { response.headers["Location"] = request.location(store.name, id) }
    return response
  }

  private func deleteDocument(_ id: String) throws -> HTTPResponse {
    try requireWriting(id)
    let revision = try store.delete(id, revision: try namedRevision())
    return writtenAnswer(200, id, revision)
  }

  private func copyDocument(_ id: String) throws -> HTTPResponse {
    guard let header = request.http.headers["Destination"] else {
      throw Refusal.badRequest("Destination header is mandatory for COPY.")
    }
    guard !header.hasPrefix("http://"), !header.hasPrefix("https://") else {
      throw Refusal.badRequest("Destination URL must be relative.")
    }
    let parts = header.split(separator: "?", maxSplits: 1)
    guard let target = parts.first.flatMap({ PercentEncoding.decodeText($0.utf8) }) else {
      throw Refusal.badRequest("Destination header is malformed.")
    }
    try require(.read)
    try requireOwn(target)
    try requireWriting(target)
    var options = ReadOptions(revision: try parameters.revision())
    options.attachmentBlobs = true
    var copy = try store.document(id, options)
    copy.id = target
    copy.revision = nil
    if parts.count > 1 {
      let query = HTTPQuery(parsing: parts[1]) ?? HTTPQuery()
      copy.revision = try QueryParameters(query).revision()
    }
    return writtenAnswer(201, target, try store.put(copy))
  }
}

extension Attachment {
  /// Whether its bytes lie in a blob that can be streamed.
  var isStaged: Bool {
    if case .staged = content { true } else { false }
  }
}
