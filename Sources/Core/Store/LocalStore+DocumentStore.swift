/// What `DocumentStore` asks for in a form of its own.
extension LocalStore {
  /// The sequence of the last change.
  public func currentSequence() throws -> UpdateSequence { UpdateSequence(try lastSequence()) }

  /// Reads an attachment from its start to its end, checked against its digest.
  ///
  /// - Parameters:
  ///   - name: the attachment's name.
  ///   - id: the document.
  ///   - revision: the revision; nil for the winner.
  ///   - begin: told what is known about the attachment before its first byte.
  ///   - body: takes the next bytes, lent for the call.
  /// - Throws: as `attachment(named:of:revision:)` and `AttachmentReader.readContent`.
  public func readAttachment(
    named name: String, of id: String, revision: RevisionID?, begin: (Attachment) throws -> Void,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let reader = try attachment(named: name, of: id, revision: revision)
    try begin(reader.attachment)
    try reader.readContent(body)
  }

  /// How a query would be answered, as `_explain` tells it.
  public func explanation(_ request: FindRequest) throws -> JSON {
    try explain(request).json(for: request, database: name)
  }
}
