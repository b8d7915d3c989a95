/// What a verification looked at, and what it found wrong.
public struct VerificationReport: Sendable {
  /// Documents whose rows were checked, tombstones included.
  public var documents = 0
  /// Revisions with a stored body.
  public var revisions = 0
  /// Winners whose id proves the content.
  public var proven = 0
  /// Attachments of revisions.
  public var attachments = 0
  /// Attachment files whose bytes were hashed.
  public var blobs = 0
  /// Attachment files that no revision names; `compact` removes them.
  ///
  /// Not a fault.
  public var unnamedBlobs = 0
  /// Index entries.
  public var indexEntries = 0
  /// What is wrong; empty for a sound store.
  public var problems: [Problem] = []

  /// One fault.
  public struct Problem: Sendable, Hashable {
    /// What kind of thing is wrong.
    public enum Kind: String, Sendable {
      /// The SQLite file.
      case file
      /// A document's row or body.
      case document
      /// A revision tree, or a body beside it.
      case revision
      /// An attachment's row or file.
      case attachment
      /// An index.
      case index
    }
    /// What kind of thing is wrong.
    public var kind: Kind
    /// The document concerned.
    public var document: String?
    /// What is wrong with it.
    public var detail: String

    /// Describes a fault.
    public init(_ kind: Kind, document: String? = nil, _ detail: String) {
      self.kind = kind
      self.document = document
      self.detail = detail
    }
  }

  /// Whether nothing is wrong.
  public var isSound: Bool { problems.isEmpty }
}
