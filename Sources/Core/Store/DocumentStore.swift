/// A database of documents: a store on this machine, or one that is reached over the network.
///
/// Each call is atomic. The semantics are CouchDB's; see the types of the parameters. Calls of a
/// `LocalStore` are synchronous and satisfy these requirements as they are.
public protocol DocumentStore: Sendable {
  /// Tells this database from every other, the same at every start: a local store's uuid, or a
  /// server's address without credentials.
  var identity: String { get }

  /// Reads facts about the store.
  func info() async throws -> StoreInfo

  /// Reads a document, or one of its revisions.
  func document(_ id: String, _ options: ReadOptions) async throws -> Document

  /// Reads several revisions of a document.
  func openRevisions(
    of id: String, _ choice: RevisionChoice, _ options: ReadOptions
  ) async throws -> [OpenRevision]

  /// Reads revisions of many documents; the answers stand in the order asked.
  func openRevisions(
    ofEach asked: [(id: String, choice: RevisionChoice)], _ options: ReadOptions
  ) async throws -> [[OpenRevision]]

  /// Reads the bytes of a document's attachments that are stubs, as blobs that can be streamed.
  ///
  /// The document was read from this store with its history. Attachments that one of its `ancestors`
  /// named here has stay stubs.
  func withAttachments(
    _ document: Document, since ancestors: [RevisionID]
  ) async throws -> Document

  /// Writes a new revision of a document and returns its name.
  @discardableResult
  func put(_ document: Document) async throws -> RevisionID

  /// Deletes a document and returns the tombstone's name.
  @discardableResult
  func delete(_ id: String, revision: RevisionID?) async throws -> RevisionID

  /// Writes many documents; results stand in the documents' order.
  func write(_ documents: [Document], mode: WriteMode) async throws -> [WriteResult]

  /// Lists documents by id.
  func allDocuments(_ request: ListRequest) async throws -> DocumentList

  /// Lists documents by their last change.
  func changes(_ request: ChangesRequest) async throws -> ChangesPage

  /// Waits for a change after a sequence; false when the time is over.
  func waitForChange(after sequence: UpdateSequence, milliseconds: Int) async throws -> Bool

  /// Tells which of the given revisions the store lacks; documents it has whole are left out.
  func missingRevisions(
    _ asked: [(id: String, revisions: [RevisionID])]
  ) async throws -> [(id: String, MissingRevisions)]

  /// Returns when everything written so far would survive a power cut.
  func synchronize() async throws

  /// The security object: who may read, write and administer.
  func security() async throws -> JSONObject

  /// Replaces the security object.
  func setSecurity(_ security: JSONObject) async throws

  // MARK: What every store can do somehow

  /// What people call it: a local store's name, or a server's address without credentials.
  var name: String { get }

  /// How strings are ordered.
  var collation: Collation { get }

  /// The sequence of the last change.
  func currentSequence() async throws -> UpdateSequence

  /// All revisions known of a document: branch by branch, the winner's first, each newest first.
  func history(of id: String) async throws -> [HistoryEntry]

  /// Ids of the documents that have live leaves beside the winner, by the ids' bytes.
  func conflictedDocuments() async throws -> [String]

  /// Ends a conflict: one leaf stays, the winner for nil, with another body if one is given; the
  /// other live leaves become tombstones.
  @discardableResult
  func resolve(
    _ id: String, keeping kept: RevisionID?, merged: DocumentBody?
  ) async throws -> RevisionID

  /// The newest revision that all live leaves descend from; nil when it cannot be read.
  func commonAncestor(of id: String) async throws -> Document?

  /// Starts a new attachment's bytes, to be named by a document that is written here.
  func makeAttachment() throws -> BlobWriter

  /// Reads an attachment of the winner, or of a given revision, from its start to its end, checked
  /// against its digest.
  ///
  /// - Parameters:
  ///   - name: the attachment's name.
  ///   - id: the document.
  ///   - revision: the revision; nil for the winner.
  ///   - begin: told what is known about the attachment before its first byte.
  ///   - body: takes the next bytes, lent for the call.
  /// - Throws: `StoreError.attachmentNotFound`, `.damagedAttachment`, and what the closures throw.
  func readAttachment(
    named name: String, of id: String, revision: RevisionID?, begin: (Attachment) throws -> Void,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) async throws

  /// Finds documents and hands them over one by one, in order.
  func find(
    _ request: FindRequest, _ body: (borrowing FoundDocument) throws -> Bool
  ) async throws -> FindSummary

  /// Counts the documents that match, whatever the limit.
  func count(_ request: FindRequest) async throws -> Int

  /// How a query would be answered, as `_explain` tells it.
  func explanation(_ request: FindRequest) async throws -> JSON

  /// The indexes, by design document and name.
  func indexes() async throws -> [IndexDefinition]

  /// Makes an index.
  @discardableResult
  func createIndex(_ definition: IndexDefinition) async throws -> IndexCreation

  /// Removes an index; its name alone may tell which.
  func deleteIndex(_ name: String, designDocument: String?) async throws
}

extension DocumentStore {
  /// Reads the revision again, with its blobs.
  public func withAttachments(
    _ document: Document, since ancestors: [RevisionID]
  ) async throws -> Document {
    guard let revision = document.revision else { return document }
    var options = ReadOptions()
    options.history = true
    options.attachmentBlobs = true
    options.attachmentsSince = ancestors
    let answers = try await openRevisions(of: document.id, .named([revision]), options)
    guard case .found(let whole)? = answers.first else {
      throw StoreError.documentNotFound(id: document.id, .missing)
    }
    return whole
  }
}
