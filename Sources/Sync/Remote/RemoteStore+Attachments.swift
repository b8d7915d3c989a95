public import Core
import HTTP

extension RemoteStore {
  /// From this size, in bytes, an attachment is fetched by itself: such a download can be resumed.
  private static let singleSize = 64 << 10
  /// So many smaller ones are fetched by themselves too; more come in one multipart answer.
  private static let singleCount = 2
  /// Attachments of one document that are fetched at once.
  private static let attachmentsAtOnce = 4

  /// Starts an attachment's bytes on this machine, to be sent with the document that names them.
  public func makeAttachment() throws -> BlobWriter { try spool.writer() }

  /// Reads the bytes of a document's attachments that are stubs, as blobs that can be streamed.
  ///
  /// - Throws: `StoreError.damagedAttachment` for bytes that do not match their digest, however often
  ///   they are fetched; `.documentNotFound` when the revision is gone.
  public func withAttachments(
    _ document: Document, since ancestors: [RevisionID]
  ) async throws -> Document {
    guard let revision = document.revision else { return document }
    var filled = document
    var wanted = document.unknownAttachments(since: ancestors)
    let small = wanted.filter { document.attachments[$0].storedLength < Self.singleSize }
    if small.count > Self.singleCount {
      let received = try await attachmentsTogether(of: document, since: ancestors)
      for index in wanted {
        let name = document.attachments[index].name
        if let one = received.first(where: { utf8Equal($0.name, name) }) {
          filled.attachments[index] = one
        }
      }
      wanted.removeAll { filled.attachments[$0].content != .stub }
    }
    let single = try await concurrently(wanted, limit: Self.attachmentsAtOnce) { [self] index in
      try await AttachmentDownload(
        connection: connection, spool: spool, id: document.id, revision: revision,
        attachment: document.attachments[index]
      ).fetch()
    }
    for (index, attachment) in zip(wanted, single) { filled.attachments[index] = attachment }
    return filled
  }

  /// Reads attachments from one multipart answer; those that are damaged, or come after a break, are
  /// left out.
  private func attachmentsTogether(
    of document: Document, since ancestors: [RevisionID]
  ) async throws -> [Attachment] {
    var options = ReadOptions()
    options.attachmentBytes = true
    options.attachmentEncoding = true
    if !document.attachments.contains(where: { $0.revisionPosition <= 0 }) {
      options.attachmentsSince = ancestors
    }
    var call = RemoteConnection.Call(segments: [document.id])
    call.query = Self.parameters(options)
    if let revision = document.revision { call.query.append(("rev", revision.description)) }
    call.headers["Accept"] = "multipart/related, application/json;q=0.5"
    let wanted = call
    let response = try await rethrowing(id: document.id) { try await connection.send(wanted) }
    let type = response.headers["Content-Type"].map { MediaType($0) }
    var received: [Attachment] = []
    guard let type, type.matches("multipart/*") else {
      // A server that answers JSON all the same may have put the bytes into it: too many to be sure
      // of, so each is fetched by itself.
      await response.discard()
      return []
    }
    do {
      let reader = try MultipartReader(response.body, contentType: type)
      guard let head = try await reader.nextPart() else { return [] }
      let bytes = try await head.body.collect(upTo: MultipartDocument.documentLimit)
      let described = try reading { try Document(answer: bytes) }
      for name in try MultipartDocument.order(of: bytes) {
        guard let one = described.attachments.first(where: { utf8Equal($0.name, name) }),
          one.content == .follows, let part = try await reader.nextPart()
        else { continue }
        let writer = try spool.writer()
        for try await chunk in part.body { try writer.append(chunk) }
        let encoding = part.headers["Content-Encoding"].map { $0.lowercased() }
        let (filled, mismatch) = one.filled(with: try writer.finish(), encoding: encoding)
        if mismatch == nil { received.append(filled) }
      }
    } catch is HTTPError {
      // What is missing is fetched by itself, which can be resumed.
    }
    return received
  }
}

extension Document {
  /// The places of the attachments that are stubs and that a reader who has some ancestors lacks.
  ///
  /// An attachment whose generation is not told (`revpos` 0) may be new.
  func unknownAttachments(since ancestors: [RevisionID]) -> [Int] {
    let path = Set(history ?? revision.map { [$0] } ?? [])
    let known = ancestors.filter { path.contains($0) }.map(\.generation).max() ?? 0
    return attachments.indices.filter { index in
      let one = attachments[index]
      return one.content == .stub && (one.revisionPosition <= 0 || one.revisionPosition > known)
    }
  }
}
