public import Core

/// Moves what changed in one database to another, by CouchDB's replication protocol.
///
/// Both may be local or remote. A run reads the source's changes from where the last run ended, asks
/// the target which revisions it lacks, reads those with their histories, and merges them into the
/// target. While one batch is written the next is read. Effects are idempotent, so a run that is
/// killed is simply run again.
public struct Replicator: Sendable {
  private let source: any DocumentStore
  private let target: any DocumentStore
  private let options: ReplicationOptions
  private let pause: @Sendable (Double) async throws -> Void

  /// Prepares a replication; nothing happens before `run`.
  ///
  /// - Parameters:
  ///   - source: where changes come from.
  ///   - target: where they go; it must exist.
  ///   - options: which of them, and how.
  ///   - pause: waits for so many seconds between attempts.
  public init(
    from source: any DocumentStore, to target: any DocumentStore,
    options: ReplicationOptions = ReplicationOptions(),
    pause: @escaping @Sendable (Double) async throws -> Void = {
      try await Task.sleep(for: .seconds($0))
    }
  ) {
    self.source = source
    self.target = target
    self.options = options
    self.pause = pause
  }

  /// Runs until everything is moved, or, when continuous, until the task is cancelled.
  ///
  /// - Parameter events: told what happens, from the run's own task.
  /// - Returns: what was done; documents that could not be moved are listed in it.
  /// - Throws: what made going on impossible, or `CancellationError`; what was done is recorded.
  public func run(
    events: @escaping @Sendable (ReplicationEvent) -> Void = { _ in }
  ) async throws -> ReplicationReport {
    var run = ReplicationRun(
      source: source, target: target, options: options, retry: retry(events), events: events)
    return try await run.run()
  }

  /// Tells what a run would move, without writing anything.
  public func plan() async throws -> ReplicationReport {
    var run = ReplicationRun(
      source: source, target: target, options: options, retry: retry { _ in }, events: { _ in })
    return try await run.plan()
  }

  private func retry(_ events: @escaping @Sendable (ReplicationEvent) -> Void) -> Retry {
    Retry(
      attempts: options.isContinuous ? nil : ReplicationTuning.attempts, pause: pause,
      willPause: { events(.retrying(reason: $0, seconds: $1)) }, didRecover: { events(.active) })
  }
}
