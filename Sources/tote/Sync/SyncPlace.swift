import ArgumentParser
import Core
import Sync

/// The two sides of a sync as a command line names them.
struct SyncPlace: ParsableArguments, Sendable {
  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(
    help: ArgumentHelp(
      "the other side: a URL, a saved remote, a store; by default the one of the first run",
      valueName: "REMOTE"),
    completion: .remotes)
  var remote: String?

  init() {}
}

extension SyncPlace {
  /// Runs the directions and prints what was done.
  ///
  /// - Parameters:
  ///   - directions: in their order.
  ///   - options: which documents, and how.
  ///   - series: names the series of a bundle.
  ///   - context: the command's.
  /// - Throws: what made going on impossible; `CommandError` with status 1 when documents failed.
  func sync(
    _ directions: [RunRecord.Direction], _ options: SyncOptions, series: String? = nil,
    in context: Context
  ) async throws {
    // A run that is stopped still records how far it came.
    SignalWatch.allowDraining(seconds: 10, endsNormally: options.continuous)
    let store = try openStore(directions, options, in: context)
    let remote = try context.syncRemote(remote, of: store)
    let replication = try options.replication(context)
    let result: SyncResult
    if case .bundle(let path) = remote {
      let session = SyncBundleSession(
        context: context, options: options, replication: replication, store: store, path: path,
        series: series)
      result = try await session.result(directions)
    } else {
      if series != nil { throw CommandError.usage("'--series' is for bundles") }
      let session = SyncSession(
        context: context, replication: replication, creates: options.create,
        isDryRun: options.dryRun, store: store, remote: remote)
      result = try await session.run(directions)
    }
    context.progress.clear()
    try context.emit(result)
    guard result.failedCount > 0 else { return }
    throw CommandError(
      .failed, "partial", "\(counted(result.failedCount, "document")) could not be moved",
      hint: "the next run tries them again",
      details: [("failed", .integer(Int64(result.failedCount)))])
  }

  private func openStore(
    _ directions: [RunRecord.Direction], _ options: SyncOptions, in context: Context
  ) throws -> Endpoint {
    if context.isURL(store) { return try context.remote(url: store) }
    do {
      return .local(try context.stores().open(store))
    } catch StoreError.storeNotFound {
      if try context.remotes().contains(store) { return try context.savedRemote(store) }
      guard options.create, directions.contains(.pull), !options.dryRun else {
        throw context.storeNotFound(store)
      }
      let made = try context.stores().create(store)
      try context.note("created store '\(store)'")
      return .local(made)
    }
  }
}

extension Context {
  /// Opens the other side of a sync.
  ///
  /// - Parameters:
  ///   - remote: as a person named it; nil for the one that the store remembers.
  ///   - store: the side it is synced with.
  /// - Returns: the other side.
  /// - Throws: a usage error when none is named and none is remembered, and what opening throws.
  func syncRemote(_ remote: String?, of store: Endpoint) throws -> Endpoint {
    var spool: LocalStore?
    if case .local(let local) = store { spool = local }
    if let remote { return try endpoint(remote, spool: spool) }
    guard let spool, let remembered = try RunLog(of: spool).remote else {
      throw CommandError.usage(
        "store '\(store.label)' was not synced before, so a REMOTE is needed",
        hint:
          "a URL, or a name saved by 'tote sync remote add'; it is remembered after the first run")
    }
    return try endpoint(remembered, spool: spool)
  }
}

extension SyncBundleSession {
  /// Writes or applies a bundle, which goes one way.
  func result(_ directions: [RunRecord.Direction]) async throws -> SyncResult {
    guard directions.count == 1, let direction = directions.first else {
      throw CommandError.usage(
        "a bundle goes one way",
        hint: "write it with 'tote sync push', apply it with 'tote sync pull'")
    }
    let started = context.now
    let report = try await direction == .push ? push() : pull()
    if case .local(let local) = store, !options.dryRun, report.header != nil {
      try await RunLog.add(
        RunRecord(
          direction, with: absolutePath(), started: started, ended: context.now, bundle: report,
          isFiltered: replication.isFiltered), to: local)
    }
    let part = SyncResult.Part(direction: direction, outcome: .bundle(report))
    return SyncResult(
      store: store.label, remote: path, isDryRun: options.dryRun, parts: [part])
  }
}
