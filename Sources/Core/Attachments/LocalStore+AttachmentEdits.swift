/// Edits of one attachment, which leave the rest of the document as it is.
extension LocalStore {
  /// Adds an attachment to a document, or replaces the one of the same name.
  ///
  /// - Parameters:
  ///   - attachment: its name, type and bytes (`.inline` or `.staged`).
  ///   - id: the document; one that does not exist, or is deleted, is made.
  ///   - revision: the leaf to edit; nil for a document that is to be made.
  /// - Returns: the new revision.
  /// - Throws: `StoreError.conflict` when `revision` is not a current one.
  @discardableResult
  public func putAttachment(
    _ attachment: Attachment, of id: String, revision: RevisionID?
  ) throws -> RevisionID {
    try Attachment.check(name: attachment.name)
    return try write { connection in
      var document = try base(id, revision, in: connection)
      document.attachments.removeAll { utf8Equal($0.name, attachment.name) }
      document.attachments.append(attachment)
      document.attachments.sortByName()
      return try edit(document, in: connection)
    }
  }

  /// Removes an attachment from a document.
  ///
  /// - Returns: the new revision.
  /// - Throws: `StoreError.attachmentNotFound` when `revision` has none of that name, `.conflict`
  ///   when it is not a current one.
  @discardableResult
  public func deleteAttachment(
    named name: String, of id: String, revision: RevisionID?
  ) throws -> RevisionID {
    try write { connection in
      var document = try base(id, revision, in: connection)
      guard let index = document.attachments.firstIndex(where: { utf8Equal($0.name, name) }) else {
        throw StoreError.attachmentNotFound(id: id, name: name)
      }
      document.attachments.remove(at: index)
      return try edit(document, in: connection)
    }
  }

  /// The revision to edit, with its attachments as stubs.
  private func base(
    _ id: String, _ revision: RevisionID?, in connection: Connection
  ) throws -> Document {
    guard !DocumentID.isLocal(id) else {
      throw StoreError.badRequest("_local documents do not accept attachments.")
    }
    let row = try row(id, in: connection)
    guard let revision else {
      guard let row, !row.flags.contains(.deleted) else { return Document(id: id) }
      throw StoreError.conflict(id: id, current: row.revision)
    }
    guard let row, row.tree.contains(revision),
      let document = try document(id, row, revision, ReadOptions(), in: connection)
    else { throw StoreError.conflict(id: id, current: row?.revision) }
    return document
  }
}
