/// A store that can do no more by itself than read, write and list documents, as a server that speaks
/// CouchDB's API; the rest is made of that.
///
/// A protocol of its own, since defaults for all stores would stand beside the calls of `LocalStore`,
/// which are synchronous.
public protocol CouchDBStore: DocumentStore {}

extension CouchDBStore {
  /// The address, for want of a name.
  public var name: String { identity }

  /// CouchDB's order.
  public var collation: Collation { .unicode }

  /// The sequence of the last change, as the feed tells it from its end.
  public func currentSequence() async throws -> UpdateSequence {
    var request = ChangesRequest()
    request.since = UpdateSequence(.string("now"))
    request.limit = 1
    return try await changes(request).lastSequence
  }

  /// Attachments cannot be made.
  public func makeAttachment() throws -> BlobWriter { throw unsupported("attachments") }

  /// Reads the bytes through the blobs of the document.
  public func readAttachment(
    named name: String, of id: String, revision: RevisionID?, begin: (Attachment) throws -> Void,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) async throws {
    var options = ReadOptions(revision: revision)
    options.attachmentBytes = true
    let document = try await document(id, options)
    guard let found = document.attachments.first(where: { utf8Equal($0.name, name) }),
      case .inline(let bytes) = found.content
    else { throw StoreError.attachmentNotFound(id: id, name: name) }
    try begin(found)
    try bytes.withUnsafeBytes(body)
  }

  /// Queries are not answered.
  public func find(
    _ request: FindRequest, _ body: (borrowing FoundDocument) throws -> Bool
  ) async throws -> FindSummary {
    throw unsupported("queries")
  }

  /// Counts what `find` finds.
  public func count(_ request: FindRequest) async throws -> Int {
    var request = request
    request.limit = nil
    request.skip = 0
    request.sort = []
    request.bookmark = nil
    return try await find(request) { _ in true }.count
  }

  /// Queries are not answered.
  public func explanation(_ request: FindRequest) async throws -> JSON {
    throw unsupported("queries")
  }

  /// There are none.
  public func indexes() async throws -> [IndexDefinition] { [] }

  /// Indexes cannot be made.
  @discardableResult
  public func createIndex(_ definition: IndexDefinition) async throws -> IndexCreation {
    throw unsupported("indexes")
  }

  /// There is none.
  public func deleteIndex(_ name: String, designDocument: String?) async throws {
    throw StoreError.indexNotFound(name: name)
  }

  private func unsupported(_ what: String) -> StoreError {
    .badRequest("'\(name)' has no \(what)")
  }
}
