/// A row of the `attachments` table: the description and the blob.
struct StoredAttachment {
  var description: Attachment
  var blob: BlobID
}

extension LocalStore {
  /// Starts a new attachment's bytes.
  ///
  /// Name the result in a document to keep it; a result that no document names is removed by the
  /// next compaction.
  public func makeAttachment() throws -> BlobWriter { try blobs.writer() }

  /// Reads an attachment of the winner, or of a given revision.
  ///
  /// - Throws: `StoreError.documentNotFound`, `.attachmentNotFound`, or `.damagedAttachment` when
  ///   its bytes are gone or cut short.
  public func attachment(
    named name: String, of id: String, revision: RevisionID? = nil
  ) throws -> AttachmentReader {
    let stored = try read { connection in
      guard let row = try row(id, in: connection) else {
        throw StoreError.documentNotFound(id: id, .missing)
      }
      if revision == nil, row.flags.contains(.deleted) {
        throw StoreError.documentNotFound(id: id, .deleted)
      }
      let revision = revision ?? row.revision
      guard row.tree.contains(revision) else {
        throw StoreError.documentNotFound(id: id, .missing)
      }
      guard
        let stored = try storedAttachments(id, revision, in: connection)
          .first(where: { utf8Equal($0.description.name, name) })
      else { throw StoreError.attachmentNotFound(id: id, name: name) }
      return stored
    }
    return try AttachmentReader(stored, blobs: blobs)
  }

  // MARK: Rows

  func storedAttachments(
    _ id: String, _ revision: RevisionID, in connection: Connection
  ) throws -> [StoredAttachment] {
    try connection.all(
      """
      SELECT name, blob, md5, length, type, revpos, encoding, stored_length
      FROM attachments WHERE id = ? AND rev = ? ORDER BY name
      """, .text(id), .blob(revision.encoded)
    ) { storedAttachment($0) }
  }

  /// Decodes the columns `name, blob, md5, length, type, revpos, encoding, stored_length`.
  private func storedAttachment(_ row: Statement) -> StoredAttachment {
    let encoding = row.isNull(6) ? nil : row.text(6)
    return StoredAttachment(
      description: Attachment(
        name: row.text(0), contentType: row.text(4), digest: md5Text(row.array(2)),
        length: row.integer(3), revisionPosition: row.integer(5), encoding: encoding,
        encodedLength: encoding == nil ? nil : row.integer(7)),
      blob: BlobID(digest: row.array(1)))
  }

  func hasAttachments(
    _ id: String, _ revision: RevisionID, in connection: Connection
  ) throws -> Bool {
    try connection.first(
      "SELECT 1 FROM attachments WHERE id = ? AND rev = ? LIMIT 1", .text(id),
      .blob(revision.encoded)
    ) { _ in true } ?? false
  }

  func insert(
    _ attachments: [StoredAttachment], of id: String, revision: RevisionID,
    in connection: Connection
  ) throws {
    for stored in attachments {
      let file = stored.description
      try connection.run(
        "INSERT OR REPLACE INTO attachments VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        .text(id), .blob(revision.encoded), .text(file.name), .blob(stored.blob.digest),
        .blob(md5Bytes(file.digest) ?? []), .integer(file.length), .text(file.contentType),
        .integer(file.revisionPosition), file.encoding.map { .text($0) } ?? .null,
        .integer(file.storedLength))
    }
  }

  // MARK: Resolving

  /// Finds or stores the bytes of the attachments of a document to be written.
  ///
  /// A stub means "as in the parent". In a merge it may also come from an older ancestor, or from
  /// any revision of any document with the same digest: the parent itself may never have come here.
  func resolve(
    _ attachments: [Attachment], of id: String, generation: Int, ancestors: [RevisionID],
    isMerge: Bool = false, in connection: Connection
  ) throws -> [StoredAttachment] {
    guard !attachments.isEmpty else { return [] }
    var resolved: [StoredAttachment] = []
    for attachment in attachments {
      try Attachment.check(name: attachment.name)
      switch attachment.content {
      case .inline(let bytes):
        let staged = try blobs.stage(bytes)
        resolved.append(try described(attachment, staged, generation, isMerge: isMerge))
      case .staged(let staged):
        let own = try blobs.adopt(staged)
        resolved.append(try described(attachment, own, generation, isMerge: isMerge))
      case .follows:
        throw StoreError.badRequest("attachment '\(attachment.name)' was announced but not sent")
      case .stub:
        let searched = isMerge ? ancestors : Array(ancestors.prefix(1))
        guard
          let stored = try stub(attachment, of: id, in: searched, connection)
            ?? (isMerge ? anywhere(attachment, connection) : nil)
        else { throw StoreError.missingStub(id: id, name: attachment.name) }
        resolved.append(stored)
      }
    }
    return resolved.sorted { utf8Less($0.description.name, $1.description.name) }
  }

  private func described(
    _ attachment: Attachment, _ staged: StagedBlob, _ generation: Int, isMerge: Bool
  ) throws -> StoredAttachment {
    try attachment.checkPromises(staged, isMerge: isMerge)
    var file = attachment
    file.digest = staged.digest
    file.content = .stub
    if file.encoding == nil {
      file.length = staged.length
      file.encodedLength = nil
    } else {
      if file.length == 0 { file.length = staged.length }
      file.encodedLength = staged.length
    }
    // apache/pouchdb#3942: without a position CouchDB stores 0, and peers then drop the bytes.
    if !isMerge || file.revisionPosition == 0 || file.revisionPosition > generation {
      file.revisionPosition = generation
    }
    return StoredAttachment(description: file, blob: staged.blob)
  }

  private func stub(
    _ wanted: Attachment, of id: String, in ancestors: [RevisionID], _ connection: Connection
  ) throws -> StoredAttachment? {
    for ancestor in ancestors {
      let found = try storedAttachments(id, ancestor, in: connection).first {
        utf8Equal($0.description.name, wanted.name)
      }
      guard let found else { continue }
      let position = wanted.revisionPosition
      if position != 0, position != found.description.revisionPosition { continue }
      return found
    }
    return nil
  }

  private func anywhere(
    _ wanted: Attachment, _ connection: Connection
  ) throws -> StoredAttachment? {
    guard let md5 = md5Bytes(wanted.digest) else { return nil }
    let found = try connection.first(
      """
      SELECT name, blob, md5, length, type, revpos, encoding, stored_length
      FROM attachments WHERE md5 = ? LIMIT 1
      """, .blob(md5)
    ) { storedAttachment($0) }
    guard var stored = found else { return nil }
    stored.description.name = wanted.name
    stored.description.contentType = wanted.contentType
    stored.description.revisionPosition = wanted.revisionPosition
    return stored
  }
}
