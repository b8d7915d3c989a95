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
