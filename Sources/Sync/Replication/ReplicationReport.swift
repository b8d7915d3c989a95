public import Core
import Glibc

/// What a replication did.
public struct ReplicationReport: Sendable {
  /// This run.
  public var session: String
  /// When it started, in seconds since 1970.
  public var startTime: Int64
  /// Where it started.
  public var startSequence: UpdateSequence
  /// How far it came: everything before is on the target or among the failures.
  public var lastSequence: UpdateSequence
  /// Revisions the feed named.
  public var checked = 0
  /// Of those, the ones the target lacked.
  public var found = 0
  /// Documents read from the source.
  public var read = 0
  /// Documents written to the target.
  public var written = 0
  /// Revisions that were gone when they were to be read; what replaced them comes by itself.
  public var vanished = 0
  /// Documents that could not be moved, the first thousand of them.
  public var failures: [Failure] = []
  /// All that could not be moved.
  public var failureCount = 0

  /// A document that could not be moved.
  public struct Failure: Sendable {
    /// The document.
    public var id: String
    /// The revision; nil when none could be read.
    public var revision: RevisionID?
    /// Why.
    public var reason: String
    /// The target takes no such document from this user.
    public var isDenied: Bool

    /// A failure with its parts.
    init(id: String, revision: RevisionID?, reason: String, isDenied: Bool = false) {
      self.id = id
      self.revision = revision
      self.reason = reason
      self.isDenied = isDenied
    }

    /// What an error did to a document.
    init(_ document: Document, _ error: any Error) {
      self.init(
        id: document.id, revision: document.revision, reason: replicationReason(error),
        isDenied: (error as? StoreError)?.isDenial ?? false)
    }
  }

  init(session: String, start: UpdateSequence) {
    self.session = session
    startTime = Int64(time(nil))
    startSequence = start
    lastSequence = start
  }

  mutating func note(_ failure: Failure) {
    failureCount += 1
    if failures.count < ReplicationTuning.rememberedFailures { failures.append(failure) }
  }
}

/// What a replication tells while it runs.
public enum ReplicationEvent: Sendable {
  /// It starts, from here.
  case started(since: UpdateSequence)
  /// A batch was written.
  case progress(ReplicationReport)
  /// A document could not be moved; see `isDenied`.
  case failed(ReplicationReport.Failure)
  /// A call failed and is tried again after a pause of so many seconds.
  case retrying(reason: String, seconds: Double)
  /// A continuous replication has nothing to do, and waits for changes.
  case idle(ReplicationReport)
  /// A run that waited for changes, or whose last call failed, goes on.
  case active
}
