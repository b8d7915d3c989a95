public import Core

/// What a replication did.
public struct ReplicationReport: Sendable {
  /// This run.
  public var session: String
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
  }

  init(session: String, start: UpdateSequence) {
    self.session = session
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
  /// A document could not be moved.
  case failed(ReplicationReport.Failure)
  /// A call failed and is tried again after a pause of so many seconds.
  case retrying(reason: String, seconds: Double)
  /// A continuous replication has nothing to do.
  case idle(ReplicationReport)
}
