import Core
import TestSupport

extension ReplayServer {
  func readOptions(_ request: ReplayRequest) throws -> ReadOptions {
    // With `latest` CouchDB reads the winner, whatever revision is named beside it.
    var options = ReadOptions(revision: try request.flag("latest") ? nil : request.revision("rev"))
    let isMeta = request.flag("meta")
    options.history = request.flag("revs")
    options.revisionsInfo = isMeta || request.flag("revs_info")
    options.conflicts = isMeta || request.flag("conflicts")
    options.deletedConflicts = isMeta || request.flag("deleted_conflicts")
    options.sequence = request.flag("local_seq")
    options.attachmentBytes = request.flag("attachments")
    options.attachmentEncoding = request.flag("att_encoding_info")
    if let since = request.query["atts_since"] {
      options.attachmentBytes = true
      options.attachmentsSince = try ReplayRequest.revisions(JSON(parsing: since))
    }
    return options
  }

  func read(_ request: ReplayRequest, _ store: LocalStore, _ id: String) throws -> ReplayAnswer {
    let options = try readOptions(request)
    if let choice = try choice(request) {
      let answers = try store.openRevisions(of: id, choice, options)
      return ReplayAnswer(200, .array(answers.map(\.replayJSON)))
    }
    let document = try store.document(id, options)
    return ReplayAnswer(200, document.json, tag: document.revision?.description)
  }

  /// What `open_revs` asks for; nil for an empty list, which CouchDB takes for a plain read.
  private func choice(_ request: ReplayRequest) throws -> RevisionChoice? {
    guard let text = request.query["open_revs"] else { return nil }
    if text == "all" { return .leaves }
    let revisions = try ReplayRequest.revisions(JSON(parsing: text))
    guard !revisions.isEmpty else { return nil }
    return request.flag("latest") ? .latest(revisions) : .named(revisions)
  }

  func write(_ request: ReplayRequest, _ store: LocalStore, _ id: String) throws -> ReplayAnswer {
    var document = try body(request, store, id)
    let fromQuery = try request.revision("rev")
    let fromHeader = try request.matchedRevision()
    if let named = document.revision, fromQuery.map({ $0 != named }) == true {
      throw ReplayRefusal(
        400, "bad_request",
        "Document rev from request body and query string have different values")
    }
    if let named = document.revision, fromHeader.map({ $0 != named }) == true {
      throw ReplayRefusal(400, "bad_request", "Document rev and etag have different values")
    }
    document.revision = document.revision ?? fromQuery ?? fromHeader
    let status = document.isDeleted ? 200 : 201
    guard request.query["new_edits"] == "false" else {
      return .written(status, id, try store.put(document))
    }
    switch try store.write([document], mode: .revisions)[0] {
    case .written(_, let revision): return .written(status, id, revision)
    case .refused(_, let error): throw error
    }
  }

  private func body(
    _ request: ReplayRequest, _ store: LocalStore, _ id: String
  ) throws -> Document {
    guard let type = request.headers["content-type"], type.hasPrefix("multipart/related") else {
      return try Document(json: request.json(), id: id)
    }
    return try multipartDocument(request, store, id)
  }

  func copy(_ request: ReplayRequest, _ store: LocalStore, _ id: String) throws -> ReplayAnswer {
    guard let target = request.headers["destination"] else {
      throw ReplayRefusal(400, "bad_request", "Destination header is mandatory for COPY.")
    }
    var document = try store.document(id)
    document.id = target
    document.revision = nil
    return .written(201, target, try store.put(document))
  }
}

extension OpenRevision {
  fileprivate var replayJSON: JSON {
    switch self {
    case .found(let document): ["ok": document.json]
    case .missing(let revision): ["missing": .string(revision.description)]
    }
  }
}
