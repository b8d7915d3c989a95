public import Core

/// Prepares bundles of a store: files that carry its documents to where no network goes.
///
/// Bundles to the same target follow one another: each holds what changed since the one before. Who
/// carries a file away and pushes again gets the next bundle; as long as the last one still lies
/// there, the new one takes its place and holds what that held as well, so that nothing is lost.
public struct BundlePush: Sendable {
  private let store: any DocumentStore
  private let target: String
  private let options: ReplicationOptions

  /// Prepares; nothing is read before `begin`.
  ///
  /// - Parameters:
  ///   - store: the source.
  ///   - target: what the series is called, such as the file's path.
  ///   - options: which documents; only `ids`, `selector` and `batchSize` count.
  public init(
    from store: any DocumentStore, to target: String,
    options: ReplicationOptions = ReplicationOptions()
  ) {
    self.store = store
    self.target = target
    self.options = options
  }

  /// Decides what the next bundle holds.
  ///
  /// - Parameters:
  ///   - existing: the bundle that lies where the new one goes, nil when there is no file.
  ///   - startsAnew: begin a new series with everything.
  ///   - now: the time the bundle says it was made.
  /// - Returns: the bundle to be written; nil when nothing changed since the last one.
  /// - Throws: `BundleError.inTheWay` when the existing bundle holds what the new one would not.
  public func begin(
    replacing existing: BundleFile? = nil, startsAnew: Bool = false, now: Instant
  ) async throws -> BundleDraft? {
    let checkpoint = startsAnew ? nil : try await loadCheckpoint()
    var header = BundleHeader(
      series: checkpoint?.last.series ?? RandomIdentifier.uuid(),
      session: RandomIdentifier.uuid(), number: 1, follows: nil, source: store.identity,
      store: try await store.info().name, made: now, since: .start, filter: options.filterJSON)
    var carried: [String] = []
    var failed: [String] = []
    if let checkpoint {
      let replaces = try existing.map { try isLast($0, checkpoint) } ?? false
      let hasNews = try await hasChanges(since: checkpoint.through) || !checkpoint.failed.isEmpty
      if !hasNews, existing == nil || replaces { return nil }
      failed = checkpoint.failed
      if replaces {
        header.number = checkpoint.last.number
        header.follows = checkpoint.last.follows
        header.since = checkpoint.last.since
        carried = checkpoint.carried
      } else {
        header.number = checkpoint.last.number + 1
        header.follows = BundleHeader.Predecessor(
          session: checkpoint.last.session, number: checkpoint.last.number)
        header.since = checkpoint.through
        carried = checkpoint.carried + checkpoint.added
      }
    } else if let existing {
      try checkCovered(existing)
    }
    return BundleDraft(
      store: store, target: target, options: options, header: header, carried: carried,
      retried: failed)
  }

  private func loadCheckpoint() async throws -> BundleCheckpoint? {
    let id = BundleCheckpoint.documentID(target: target, filter: options.filterJSON)
    do {
      let found = BundleCheckpoint(try await store.document(id, ReadOptions()))
      // A store that was restored or copied counts its changes anew.
      return found?.last.source == store.identity ? found : nil
    } catch StoreError.documentNotFound {
      return nil
    }
  }

  /// Whether the file is the last bundle, which the new one extends; false when it is the one that was
  /// written after it, by a run that could not note it down.
  private func isLast(_ existing: BundleFile, _ checkpoint: BundleCheckpoint) throws -> Bool {
    let (last, found) = (checkpoint.last, existing.header)
    if found.series == last.series {
      if found.session == last.session { return true }
      if found.follows?.session == last.session { return false }
      // The same place in the series, written anew without being noted down.
      if found.number == last.number, found.follows == last.follows { return true }
    }
    throw BundleError.inTheWay(
      path: existing.path,
      reason: found.series == last.series
        ? "it is bundle \(found.number), and the last one was bundle \(last.number)"
        : "it is a bundle of another series")
  }

  /// A bundle of everything may take the place of any of the same store and choice.
  private func checkCovered(_ existing: BundleFile) throws {
    guard existing.header.source == store.identity,
      existing.header.filter == options.filterJSON
    else {
      throw BundleError.inTheWay(
        path: existing.path, reason: "it is a bundle of another store or other documents")
    }
  }

  private func hasChanges(since sequence: UpdateSequence) async throws -> Bool {
    var request = ChangesRequest()
    request.since = sequence
    request.limit = 1
    request.ids = options.ids
    request.selector = options.selector
    return try await !store.changes(request).rows.isEmpty
  }
}
