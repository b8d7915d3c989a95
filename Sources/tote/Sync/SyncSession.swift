import Core
import HTTP
import Sync

/// Replicates between a store and another side for a command, tells how it goes, and remembers it.
struct SyncSession: Sendable {
  let context: Context
  /// Which documents, and how.
  let replication: ReplicationOptions
  /// Make what is missing.
  var creates = false
  /// Tell what would be moved, and change nothing.
  var isDryRun = false
  /// The store the command is about.
  let store: Endpoint
  /// The other side.
  let remote: Endpoint

  /// Runs the directions one after the other, or side by side when they go on without end.
  ///
  /// - Parameter directions: in the order in which they run.
  /// - Returns: what was done.
  /// - Throws: what made going on impossible.
  func run(_ directions: [RunRecord.Direction]) async throws -> SyncResult {
    try check()
    if creates, !isDryRun { try await createMissing(directions) }
    var parts: [SyncResult.Part] = []
    if replication.isContinuous, directions.count > 1 {
      // The first pull comes before the first push, as in a run that ends.
      _ = try await replicate(.pull, isContinuous: false)
      parts = try await withThrowingTaskGroup(of: SyncResult.Part.self) { group in
        for direction in directions {
          group.addTask { try await replicate(direction, isContinuous: true) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      parts.sort { $0.direction == .pull && $1.direction == .push }
    } else {
      for direction in directions {
        parts.append(try await replicate(direction, isContinuous: replication.isContinuous))
      }
    }
    return SyncResult(
      store: store.label, remote: remote.label, isDryRun: isDryRun, parts: parts)
  }

  private func check() throws {
    guard store.store?.identity != remote.store?.identity else {
      throw CommandError.usage("'\(store.label)' cannot be synced with itself")
    }
  }

  private func createMissing(_ directions: [RunRecord.Direction]) async throws {
    for (side, direction) in [(store, RunRecord.Direction.pull), (remote, .push)] {
      guard directions.contains(direction), case .remote(let database, let label, _) = side,
        try await !database.exists()
      else { continue }
      try await database.create()
      try context.note("created database '\(label)'")
    }
  }

  // MARK: One direction

  private func replicate(
    _ direction: RunRecord.Direction, isContinuous: Bool
  ) async throws -> SyncResult.Part {
    guard let store = store.store, let other = remote.store else {
      preconditionFailure("bundles are not replicated")
    }
    let (source, target) = direction == .pull ? (other, store) : (store, other)
    var options = replication
    options.isContinuous = isContinuous
    if var filter = options.filter {
      try await filter.load(from: source)
      options.filter = filter
    }
    let replicator = Replicator(from: source, to: target, options: options)
    if isDryRun {
      return SyncResult.Part(
        direction: direction, outcome: .replication(try await replicator.plan()))
    }
    let started = context.now
    let teller = SyncTeller(context: context, direction: direction)
    do {
      let report = try await replicator.run(events: teller.tell)
      context.progress.clear()
      try await record(direction, report, since: started)
      return SyncResult.Part(direction: direction, outcome: .replication(report))
    } catch {
      context.progress.clear()
      // The failure itself matters more than a log that cannot be written.
      try? await record(direction, teller.lastReport, since: started, error: error)
      throw error
    }
  }

  /// Remembers a run in the store, when that is on this machine.
  private func record(
    _ direction: RunRecord.Direction, _ report: ReplicationReport?, since started: Instant,
    error: (any Error)? = nil
  ) async throws {
    guard case .local(let store) = store else { return }
    let message = error.map {
      $0 is CancellationError ? "interrupted" : ($0 as? any UserFacing)?.message ?? "\($0)"
    }
    let record = RunRecord(
      direction, with: remote.label, started: started, ended: context.now, report: report,
      isFiltered: replication.isFiltered, error: message)
    let isGood = error == nil && report?.failureCount == 0
    let isFirst = try isGood && RunLog(of: store).remote == nil
    try await RunLog.add(
      record, to: store, remembering: isFirst ? remote.lastingName : nil)
  }
}
