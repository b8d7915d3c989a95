/// What a read of a document is to bring along.
public struct ReadOptions: Sendable {
  /// The revision to read; nil for the winner.
  public var revision: RevisionID?
  /// The names of the ancestors (`_revisions`).
  public var history = false
  /// The ancestors and what is left of them (`_revs_info`).
  public var revisionsInfo = false
  /// The live leaves that lost; only when no revision is named.
  public var conflicts = false
  /// The deleted leaves; only when no revision is named.
  public var deletedConflicts = false
  /// The sequence of the last change.
  public var sequence = false
  /// The attachments' bytes, not just stubs.
  ///
  /// They are read into memory.
  public var attachmentBytes = false
  /// The attachments as blobs that can be streamed (`Attachment.Content.staged`), not just stubs.
  public var attachmentBlobs = false
  /// Let the JSON form tell how stored bytes are encoded (`att_encoding_info`).
  public var attachmentEncoding = false
  /// With `attachmentBytes` or `attachmentBlobs`: leave those as stubs that the newest of these
  /// revisions already had.
  public var attachmentsSince: [RevisionID] = []

  /// The winner, with nothing beside its body and attachment stubs.
  public init() {}

  /// A given revision.
  public init(revision: RevisionID?) { self.revision = revision }
}

/// Which revisions `openRevisions` reads.
public enum RevisionChoice: Sendable {
  /// Every leaf.
  case leaves
  /// These, each once, in the order given.
  case named([RevisionID])
  /// The leaves that descend from these.
  case latest([RevisionID])
}

/// One answer of `openRevisions`.
public enum OpenRevision: Sendable {
  /// The revision, with its body.
  case found(Document)
  /// The store does not have the revision, or not its body.
  case missing(RevisionID)
}
