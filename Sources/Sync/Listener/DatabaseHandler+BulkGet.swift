import Core
import HTTP

/// `_bulk_get`: many revisions in one call.
extension DatabaseHandler {
  func bulkGet() async throws -> HTTPResponse {
    guard request.method == .post else { throw Refusal.method(allowed: "POST") }
    try require(.read)
    for name in ["rev", "open_revs", "atts_since", "w", "new_edits"]
    where parameters[name] != nil {
      throw Refusal.badRequest("\"\(name)\" query parameter is not acceptable")
    }
    let members = try await request.object()
    guard let value = members["docs"] else {
      throw Refusal.badRequest("Missing JSON list of 'docs'.")
    }
    guard case .array(let asked) = value else {
      throw Refusal.badRequest("'docs' must be an array of objects.")
    }
    for case .object(let entry) in asked {
      if let id = entry["id"], id.stringValue == nil {
        throw Refusal.badRequest("Document id must be a string")
      }
    }
    let answers = BulkAnswers(
      store: store, options: try readOptions(), latest: try parameters.flag("latest"))
    // Answered document by document: many large ones never are in memory together.
    guard let type = multipartType else {
      return HTTPResponse(
        headers: ["Content-Type": "application/json", "Cache-Control": "must-revalidate"],
        body: .stream(length: nil) { try await answers.write(asked, to: $0) })
    }
    let frame = MultipartFrame()
    return HTTPResponse(
      headers: ["Content-Type": frame.contentType(type), "Cache-Control": "must-revalidate"],
      body: .stream(length: nil) { try await answers.write(asked, in: frame, to: $0) })
  }

  /// The form of multipart that the client names; JSON for who takes anything.
  private var multipartType: String? {
    let accept = request.http.headers["Accept"] ?? ""
    return ["mixed", "related"].first { accept.contains("multipart/\($0)") }
  }
}

/// The answers to the entries of a `_bulk_get`.
private struct BulkAnswers: Sendable {
  let store: LocalStore
  let options: ReadOptions
  let latest: Bool

  /// Bytes that are sent together.
  private static let chunkSize = 1 << 16

  /// What is wrong with an entry as a whole, or what was found for it.
  private typealias Answer = (id: JSON, result: Result<[OpenRevision], Refusal>, rev: JSON)

  private func answer(_ entry: JSON, blobs: Bool, in connection: Connection) -> Answer {
    let id = entry["id"] ?? .null
    let rev = entry["rev"]
    do {
      guard entry.objectValue != nil else {
        throw Refusal.badRequest("document must be a JSON object")
      }
      guard let name = id.stringValue else { throw Refusal.badRequest("document id missed") }
      try store.check(name)
      var options = options
      var choice = RevisionChoice.leaves
      if let rev {
        let revision = try RevisionID(json: rev)
        choice = latest ? .latest([revision]) : .named([revision])
      }
      if case .array(let since)? = entry["atts_since"], !since.isEmpty {
        // CouchDB's replicator asks so for what it lacks, also where it wants no other bytes.
        options.attachmentsSince = try since.map { try RevisionID(json: $0) }
        options.attachmentBytes = true
      }
      if blobs, options.attachmentBytes {
        options.attachmentBytes = false
        options.attachmentBlobs = true
      }
      do {
        let found = try store.openRevisions(of: name, choice, options, in: connection)
        return (id, .success(found), .null)
      } catch {
        return (id, .failure(Refusal(error)), rev ?? "undefined")
      }
    } catch {
      return (id, .failure(Refusal(error)), id.stringValue == nil ? .null : rev ?? .null)
    }
  }

  private static func error(_ id: JSON, _ rev: JSON, _ refusal: Refusal) -> JSON {
    [
      "id": id, "rev": rev, "error": .string(refusal.error), "reason": .string(refusal.reason),
    ]
  }

  private static let missing = Refusal(404, "not_found", "missing")

  // MARK: JSON

  func write(_ asked: [JSON], to writer: HTTPBodyWriter) async throws {
    var buffer = Array("{\"results\":[".utf8)
    var next = 0
    while next < asked.count {
      next = try append(asked, from: next, to: &buffer)
      try await writer.write(buffer)
      buffer.removeAll(keepingCapacity: true)
    }
    try await writer.write(buffer + Array("]}\n".utf8))
  }

  /// Appends answers until there are enough for a chunk, and tells where to go on.
  ///
  /// One look at the store for all of them: a lock for each document would cost more than reading it.
  private func append(_ asked: [JSON], from start: Int, to buffer: inout [UInt8]) throws -> Int {
    try store.read { connection in
      var next = start
      while next < asked.count, buffer.count < Self.chunkSize {
        if next > 0 { buffer.append(UInt8(ascii: ",")) }
        try append(answer(asked[next], blobs: false, in: connection), to: &buffer)
        next += 1
      }
      return next
    }
  }

  private func append(_ answer: Answer, to buffer: inout [UInt8]) throws {
    buffer += "{\"id\":".utf8
    buffer += answer.id.serializedBytes()
    buffer += ",\"docs\":[".utf8
    func add(_ refusal: Refusal, _ rev: JSON) {
      let error: JSON = ["error": Self.error(answer.id, rev, refusal)]
      buffer += error.serializedBytes()
    }
    switch answer.result {
    case .failure(let refusal): add(refusal, answer.rev)
    case .success(let found):
      for (index, revision) in found.enumerated() {
        if index > 0 { buffer.append(UInt8(ascii: ",")) }
        switch revision {
        case .found(let document):
          buffer += "{\"ok\":".utf8
          buffer += try document.expanded().jsonBytes
          buffer.append(UInt8(ascii: "}"))
        case .missing(let revision): add(Self.missing, .string(revision.description))
        }
      }
    }
    buffer += "]}".utf8
  }

  // MARK: Multipart

  func write(
    _ asked: [JSON], in frame: MultipartFrame, to writer: HTTPBodyWriter
  ) async throws {
    var isFirst = true
    func begin(_ headers: HTTPHeaders) async throws {
      try await writer.write(frame.begin(headers, isFirst: isFirst))
      isFirst = false
    }
    func add(_ id: JSON, _ rev: JSON, _ refusal: Refusal) async throws {
      try await begin(["Content-Type": "application/json; error=\"true\""])
      try await writer.write(Self.error(id, rev, refusal).serializedBytes())
    }
    for entry in asked {
      let (id, result, rev) = try store.read { answer(entry, blobs: true, in: $0) }
      switch result {
      case .failure(let refusal): try await add(id, rev, refusal)
      case .success(let found):
        for revision in found {
          switch revision {
          case .missing(let revision):
            try await add(id, .string(revision.description), Self.missing)
          case .found(let document) where document.attachments.contains(where: \.isStaged):
            let nested = try MultipartDocument(document).body()
            try await begin([
              "X-Doc-Id": PercentEncoding.encode(document.id),
              "X-Rev-Id": document.revision?.description ?? "",
              "Content-Type": nested.frame.contentType("related"),
            ])
            for try await chunk in nested.body { try await writer.write(chunk) }
          case .found(let document):
            try await begin(["Content-Type": "application/json"])
            try await writer.write(document.jsonBytes)
          }
        }
      }
    }
    if isFirst { try await begin(["Content-Type": "application/json"]) }
    try await writer.write(frame.end)
  }
}

extension Document {
  /// The document as JSON sends it: attachments that are stored compressed as they were before, since
  /// JSON has no place for an encoding.
  func expanded() throws -> Document {
    guard attachments.contains(where: { $0.encoding == "gzip" }) else { return self }
    var document = self
    for (index, attachment) in attachments.enumerated() where attachment.encoding == "gzip" {
      guard case .inline(let bytes) = attachment.content else { continue }
      document.attachments[index].content = .inline(try GzipDecoder.decode(bytes))
    }
    return document
  }
}
