import Core
import HTTP
import Sync

/// What a pushing replicator asks: CouchDB's answers, over documents in memory.
extension ReceiveHandler {
  /// Bytes of a JSON body, inline attachments included; more than a few at once are not read.
  private static let jsonLimit = 32 << 20
  /// Bytes of a checkpoint.
  private static let localLimit = 256 << 10
  /// Documents of one request.
  private static let batchLimit = 10_000

  func json(_ request: HTTPRequest, limit: Int = jsonLimit) async throws -> JSON {
    let bytes: [UInt8]
    do {
      bytes = try await request.decodedBody(limit: Int64(limit)).collect(upTo: limit)
    } catch HTTPError.protocolViolation {
      throw Refusal(
        415, "bad_content_type", "Only gzip and identity content-encodings are supported")
    }
    guard let json = try? JSON(parsing: bytes) else { throw Refusal.invalidJSON }
    return json
  }

  // MARK: Differences and checkpoints

  func revisionsDiff(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard case .object(let members) = try await json(request, limit: 4 << 20) else {
      throw Refusal.badRequest("Request body must be a JSON object")
    }
    guard members.count <= Self.batchLimit else { throw Self.tooMany }
    session.touch()
    let asked = try members.map { id, value -> (id: String, revisions: [String]) in
      guard case .array(let revisions) = value else {
        throw Refusal.badRequest("Invalid list of revisions")
      }
      return (id, revisions.compactMap(\.stringValue))
    }
    let answer = session.missing(asked).map { id, missing in
      (id, JSON.object(["missing": .array(missing.map { .string($0) })]))
    }
    return .json(200, .object(JSONObject(answer)))
  }

  func localDocument(_ request: HTTPRequest, _ id: String) async throws -> HTTPResponse {
    guard request.method == .put else {
      guard let document = session.local(id) else {
        throw Refusal(404, "not_found", "missing")
      }
      return .json(200, document)
    }
    guard case .object(let members) = try await json(request, limit: Self.localLimit) else {
      throw Refusal.badRequest("Document must be a JSON object")
    }
    let revision = try session.setLocal(id, members)
    // A checkpoint stands behind a batch: there is something to be decided about.
    session.settle()
    return .json(
      201, ["ok": true, "id": .string("_local/\(id)"), "rev": .string(revision)])
  }

  // MARK: Documents

  func bulkDocuments(_ request: HTTPRequest) async throws -> HTTPResponse {
    let sender = sender(of: request)
    try session.bind(sender)
    return try await bodies.run {
      let body = try await json(request)
      guard case .array(let docs)? = body["docs"] else {
        throw Refusal.badRequest("POST body must include `docs` parameter.")
      }
      guard docs.count <= Self.batchLimit else { throw Self.tooMany }
      let isMerge = body["new_edits"] == .bool(false)
      let documents = try docs.map { try Document(json: $0) }
      return .json(201, .array(try await rows(of: documents, isMerge: isMerge, sender)))
    }
  }

  private static let tooMany = Refusal(
    413, "too_large", "more than \(batchLimit) documents in one request")

  /// Takes documents in; a row for each that a merge refuses, and for all of an edit.
  private func rows(
    of documents: [Document], isMerge: Bool, _ sender: DropSession.Sender
  ) async throws -> [JSON] {
    var offered: [[IncomingFile]] = []
    var refusals: [Refusal?] = []
    // All are offered before the first is waited for: the person is asked once.
    for document in documents {
      do {
        offered.append(try offer(document, sender))
        refusals.append(nil)
      } catch {
        guard [400, 403, 507].contains(error.status) else { throw error }
        offered.append([])
        refusals.append(error)
      }
    }
    var rows: [JSON] = []
    for (index, document) in documents.enumerated() {
      do {
        if let refusal = refusals[index] { throw refusal }
        let revision = try await recorded(document, isMerge: isMerge) {
          try await takeInline(document, offered[index])
        }
        guard !isMerge else { continue }
        rows.append(
          ["ok": true, "id": .string(document.id), "rev": .string(revision.description)])
      } catch {
        let refusal = Refusal(error)
        rows.append([
          "id": .string(document.id),
          "rev": document.revision.map { .string($0.description) } ?? .null,
          "error": .string(refusal.error), "reason": .string(refusal.reason),
        ])
      }
    }
    return rows
  }

  func putDocument(_ request: HTTPRequest, id: String?) async throws -> HTTPResponse {
    let sender = sender(of: request)
    try session.bind(sender)
    let isMerge = request.query["new_edits"] == "false"
    if request.contentType?.value == "multipart/related" {
      return try await putMultipart(request, id: id, isMerge: isMerge, sender)
    }
    return try await bodies.run {
      let document = try Document(json: try await json(request), id: id)
      let files = try offer(document, sender)
      let revision = try await recorded(document, isMerge: isMerge) {
        try await takeInline(document, files)
      }
      return Self.written(document.id, revision)
    }
  }

  /// Takes note of a document whose files are received by `work`; not if that fails.
  func recorded(
    _ document: Document, isMerge: Bool, _ work: () async throws -> Void
  ) async throws -> RevisionID {
    let revision = try session.record(document, isMerge: isMerge)
    do {
      try await work()
    } catch {
      session.forget(document.id, revision)
      throw error
    }
    return revision
  }

  static func written(_ id: String, _ revision: RevisionID) -> HTTPResponse {
    .json(
      201, ["ok": true, "id": .string(id), "rev": .string(revision.description)])
  }

  /// Offers the files of a document.
  ///
  /// - Throws: `Refusal`: 400 for a description that cannot be right, 403 for a design document.
  func offer(_ document: Document, _ sender: DropSession.Sender) throws(Refusal) -> [IncomingFile] {
    guard !DocumentID.isDesign(document.id), !DocumentID.isLocal(document.id) else {
      throw Refusal(403, "forbidden", "Only documents of files are taken here.")
    }
    let files: [DropFile]
    do {
      files = try DropFile.files(of: document, sender: sender.address)
    } catch {
      throw Refusal.badRequest(error.reason)
    }
    guard !files.isEmpty else { return [] }
    // Attachments come with their documents: then nobody knows which is the last.
    let incoming = try session.offer(
      files, by: sender, endsItself: document.attachments.isEmpty)
    for file in incoming { try Self.requireRoom(file) }
    return incoming
  }

  /// - Throws: the refusal of a file that was refused already.
  static func requireRoom(_ file: IncomingFile) throws(Refusal) {
    guard case .refused(let code, let reason) = file.status else { return }
    throw code == "no_space"
      ? Refusal(507, "insufficient_storage", reason) : Refusal(403, "forbidden", reason)
  }

  /// Saves the attachments that came inside of a document.
  func takeInline(_ document: Document, _ files: [IncomingFile]) async throws {
    let inline = document.attachments.filter {
      if case .inline = $0.content { true } else { false }
    }
    guard !inline.isEmpty else { return }
    for (attachment, file) in Self.pairs(inline, files, of: document) {
      guard case .inline(let bytes) = attachment.content else { continue }
      try await take(HTTPBody(bytes), attachment, as: file)
    }
  }

  /// The files that attachments are: a described file has one, else each is its own.
  static func pairs(
    _ attachments: [Attachment], _ files: [IncomingFile], of document: Document
  ) -> [(Attachment, IncomingFile)] {
    attachments.compactMap { attachment in
      let id = "\(document.id)/\(attachment.name)"
      let file =
        files.first { utf8Equal($0.file.id, id) }
        ?? files.first { utf8Equal($0.file.id, document.id) }
      return file.map { (attachment, $0) }
    }
  }
}
