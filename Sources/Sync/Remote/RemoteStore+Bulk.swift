public import Core
import HTTP

extension RemoteStore {
  /// Tells which of the given revisions the database lacks, in the order of its answer.
  public func missingRevisions(
    _ asked: [(id: String, revisions: [RevisionID])]
  ) async throws -> [(id: String, MissingRevisions)] {
    var body = ByteBuffer(capacity: asked.count * 96)
    body.append("{")
    for (index, (id, revisions)) in asked.enumerated() {
      if index > 0 { body.append(",") }
      body.append(JSON.string(id).serializedBytes())
      body.append(":")
      body.append(
        JSON.array(revisions.map { .string($0.description) }).serializedBytes())
    }
    body.append("}")
    let call = RemoteConnection.Call(
      method: .post, segments: ["_revs_diff"],
      body: .bytes(body.bytes(), type: "application/json"))
    let bytes = try await rethrowing {
      try await connection.read(try await connection.send(call))
    }
    return try reading {
      var reader = AnswerReader()
      return try bytes.withUnsafeBytes { try reader.missingRevisions(in: $0) }
    }
  }

  // MARK: Writing

  /// Attachments of a document that are together smaller, in bytes, travel inside it in base 64: a
  /// request of its own would cost more.
  private static let inlineBytes = 16 << 10
  /// Bytes of one `_bulk_docs`; documents of one call are spread over several.
  private static let requestBytes = 8 << 20

  /// Writes many documents; results stand in the documents' order.
  ///
  /// Documents with large attachments, and design documents, which other users may write, go by
  /// themselves, several at once. What a server says of one document is that document's result.
  public func write(_ documents: [Document], mode: WriteMode) async throws -> [WriteResult] {
    var results = [WriteResult?](repeating: nil, count: documents.count)
    var single: [Int] = []
    var batch: [Int] = []
    var texts: [[UInt8]] = []
    var size = 0
    for (index, document) in documents.enumerated() {
      guard mode == .edits || !document.travelsAlone(Self.inlineBytes),
        let text = try document.withInlineAttachments(Self.inlineBytes)?.jsonBytes
      else {
        single.append(index)
        continue
      }
      if size + text.count > Self.requestBytes, !batch.isEmpty {
        try await writeBulk(documents, batch, texts, mode, &results)
        (batch, texts, size) = ([], [], 0)
      }
      batch.append(index)
      texts.append(text)
      size += text.count + 1
    }
    if !batch.isEmpty { try await writeBulk(documents, batch, texts, mode, &results) }
    let written = try await concurrently(single, limit: Self.requestsAtOnce) { [self] index in
      try await writeAlone(documents[index], mode)
    }
    for (index, result) in zip(single, written) { results[index] = result }
    return zip(documents, results).map { document, result in
      result
        ?? .written(id: document.id, document.revision ?? RevisionID(generation: 0, hash: ""))
    }
  }

  private func writeBulk(
    _ documents: [Document], _ batch: [Int], _ texts: [[UInt8]], _ mode: WriteMode,
    _ results: inout [WriteResult?]
  ) async throws {
    var body = ByteBuffer(capacity: texts.reduce(64) { $0 + $1.count + 1 })
    body.append("{\"docs\":[")
    for (index, text) in texts.enumerated() {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      body.append(text)
    }
    body.append(mode == .revisions ? "],\"new_edits\":false}" : "]}")
    let bytes = body.bytes()
    let rows: [JSON]
    do {
      rows =
        try await rethrowing {
          try await connection.json(
            .post, ["_bulk_docs"], .bytes(bytes, type: "application/json"))
        }.arrayValue ?? []
    } catch RemoteError.status(417, _, _, _) where batch.count > 1 {
      // Some failed, and the answer does not say which: each by itself does.
      for index in batch { results[index] = try await writeAlone(documents[index], mode) }
      return
    }
    if mode == .edits {
      for (index, row) in zip(batch, rows) { results[index] = try result(documents[index], row) }
      return
    }
    // With merged revisions only the failures need be answered, by id and perhaps revision.
    for row in rows where row["error"] != nil {
      let id = row["id"]?.stringValue ?? ""
      let revision = row["rev"]?.stringValue.flatMap { RevisionID($0) }
      for index in batch where utf8Equal(documents[index].id, id) {
        guard revision == nil || revision == documents[index].revision else { continue }
        results[index] = try result(documents[index], row)
      }
    }
  }

  private func result(_ document: Document, _ row: JSON) throws -> WriteResult {
    guard let error = row["error"]?.stringValue else {
      return .written(id: document.id, try RevisionID(json: row["rev"] ?? .null))
    }
    let reason = row["reason"]?.stringValue ?? ""
    return .refused(id: document.id, StoreError(server: error, reason, document))
  }

  // MARK: One document

  /// Writes a document by a request of its own, its staged attachments after it.
  private func writeAlone(_ document: Document, _ mode: WriteMode) async throws -> WriteResult {
    var call = RemoteConnection.Call(method: .put, segments: [document.id])
    if mode == .revisions { call.query.append(("new_edits", "false")) }
    if document.attachments.contains(where: \.isStaged) {
      let frame = MultipartFrame()
      call.body = .stream(type: frame.contentType("related")) {
        try MultipartDocument(document).body(frame: frame).body
      }
      // The server reads the bytes of all attachments, and writes them, before it answers.
      var timeouts = HTTPClient.Timeouts()
      timeouts.idle = .seconds(300)
      call.timeouts = timeouts
    } else {
      call.body = .bytes(document.jsonBytes, type: "application/json")
    }
    do {
      let bytes = try await connection.read(try await connection.send(call))
      let json = (try? JSON(parsing: bytes)) ?? .null
      let revision = json["rev"]?.stringValue.flatMap { RevisionID($0) }
      return .written(
        id: document.id, revision ?? document.revision ?? RevisionID(generation: 0, hash: ""))
    } catch RemoteError.status(let status, let error, let reason, _)
      where [400, 401, 403, 409, 412, 413, 415, 422].contains(status)
    {
      return .refused(
        id: document.id,
        StoreError(server: status == 413 ? "too_large" : error, reason, document))
    }
  }
}

extension Document {
  /// Whether the document is better written by a request of its own.
  fileprivate func travelsAlone(_ inlineBytes: Int) -> Bool {
    if DocumentID.isDesign(id) { return true }
    var bytes = 0
    for case .staged(let blob) in attachments.map(\.content) { bytes += blob.length }
    // Encoded bytes inside a document would be taken for the file itself.
    return bytes > inlineBytes || attachments.contains { $0.isStaged && $0.encoding != nil }
  }

  /// The document with its staged attachments inside; nil when they are too large for that.
  fileprivate func withInlineAttachments(_ limit: Int) throws -> Document? {
    guard attachments.contains(where: \.isStaged) else { return self }
    guard !travelsAlone(limit) else { return nil }
    var document = self
    for (index, attachment) in attachments.enumerated() {
      guard case .staged(let blob) = attachment.content else { continue }
      document.attachments[index].content = .inline(try blob.bytes())
    }
    return document
  }
}

extension StagedBlob {
  /// All bytes, of a blob that is known to be small.
  fileprivate func bytes() throws -> [UInt8] {
    let file = try store.open(blob)
    var bytes = [UInt8](repeating: 0, count: length)
    var count = 0
    while count < length {
      let read = try bytes.withUnsafeMutableBytes {
        try file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]), at: count)
      }
      guard read > 0 else {
        throw StoreError.damagedAttachment(name: path, detail: "cut short")
      }
      count += read
    }
    return bytes
  }
}

extension StoreError {
  /// What a server said of one document, in the store's words.
  fileprivate init(server error: String, _ reason: String, _ document: Document) {
    switch error {
    case "conflict": self = .conflict(id: document.id, current: nil)
    case "missing_stub": self = .missingStub(id: document.id, name: "")
    case "too_large", "document_too_large", "request_entity_too_large":
      let files = document.attachments.map { "\($0.name) (\($0.storedLength) bytes)" }
      let detail = files.isEmpty ? "" : " with its attachments \(files.joined(separator: ", "))"
      self = .badRequest("too large for the server\(detail)\(reason.isEmpty ? "" : ": \(reason)")")
    default: self = .badRequest(reason.isEmpty ? error : "\(error): \(reason)")
    }
  }
}
