public import Core

extension RemoteStore {
  /// The database's URL.
  public var name: String { "\(url)" }

  /// Reads an attachment from its start to its end.
  ///
  /// It is fetched as a whole first, so that a download that breaks goes on where it broke, and
  /// nothing is handed over before all of it was checked against its digest.
  ///
  /// - Parameters:
  ///   - name: the attachment's name.
  ///   - id: the document.
  ///   - revision: the revision; nil for the winner.
  ///   - begin: told what is known about the attachment before its first byte.
  ///   - body: takes the next bytes, lent for the call.
  /// - Throws: `StoreError.attachmentNotFound`, `.damagedAttachment`, `RemoteError`, and what the
  ///   closures throw.
  public func readAttachment(
    named name: String, of id: String, revision: RevisionID?, begin: (Attachment) throws -> Void,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) async throws {
    var options = ReadOptions(revision: revision)
    options.attachmentEncoding = true
    let document = try await document(id, options)
    guard let revision = document.revision,
      let attachment = document.attachments.first(where: { utf8Equal($0.name, name) })
    else { throw StoreError.attachmentNotFound(id: id, name: name) }
    try begin(attachment)
    let fetched = try await AttachmentDownload(
      connection: connection, spool: spool, id: id, revision: revision, attachment: attachment
    ).fetch()
    try AttachmentReader(staged: fetched).readContent(body)
  }
}
