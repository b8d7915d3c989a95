/// One revision of a document.
///
/// A document that is read has `revision` set to what it is; a document to be written has it set to
/// the revision it replaces (nil for a new document), or, in a merge, to its own.
public struct Document: Sendable, Hashable {
  /// The document's id: not empty, beginning with `_` only for `_design/…` and `_local/…`.
  public var id: String
  /// See the type's description.
  public var revision: RevisionID?
  /// A tombstone; it may still have a body.
  public var isDeleted: Bool
  /// The members of the user.
  public var body: DocumentBody
  /// Sorted by name.
  public var attachments: [Attachment]
  /// This revision and its ancestors, newest first; nil when not asked for or not given.
  public var history: [RevisionID]?
  /// What a read was asked to tell about the other revisions.
  public var annotations: Annotations

  /// Facts about the document's other revisions, each nil unless the read asked for it.
  public struct Annotations: Sendable, Hashable {
    /// Live leaves that lost, the greatest first.
    public var conflicts: [RevisionID]?
    /// Deleted leaves other than this one.
    public var deletedConflicts: [RevisionID]?
    /// This revision and its ancestors, newest first, with what is left of their bodies.
    public var revisionsInfo: [RevisionInfo]?
    /// The sequence of the document's last change.
    public var sequence: Int?

    /// Whether the JSON form tells how the attachments' bytes are encoded.
    public var attachmentEncoding = false

    /// Nothing asked for.
    public init() {}
  }

  /// Makes a document.
  public init(
    id: String, revision: RevisionID? = nil, isDeleted: Bool = false, body: DocumentBody = .empty,
    attachments: [Attachment] = [], history: [RevisionID]? = nil
  ) {
    self.id = id
    self.revision = revision
    self.isDeleted = isDeleted
    self.body = body
    self.attachments = attachments
    self.history = history
    annotations = Annotations()
  }
}

/// A revision in a document's history, and whether its body can still be read.
public struct RevisionInfo: Sendable, Hashable {
  /// What is left of a revision.
  public enum Status: String, Sendable {
    /// Its body is stored.
    case available
    /// Its body was compacted away, or never came.
    case missing
    /// It is a tombstone.
    case deleted
  }
  /// The revision's name.
  public var revision: RevisionID
  /// What is left of it.
  public var status: Status

  /// What is known of one ancestor.
  public init(
    revision: RevisionID, status: Status
  ) {
    self.revision = revision
    self.status = status
  }
}
