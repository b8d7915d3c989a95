import Core

/// The state of one run of a replication.
struct ReplicationRun {
  private let source: any DocumentStore
  private let target: any DocumentStore
  private let options: ReplicationOptions
  private let retry: Retry
  private let events: @Sendable (ReplicationEvent) -> Void
  private let reader: RevisionReader
  private let writer: RevisionWriter
  private var checkpointer: Checkpointer
  private var report: ReplicationReport
  /// Documents that failed and are to be tried again by the next run.
  private var failed: [String] = []
  private var failedKeys: Set<UTF8Key> = []
  private var lastCheckpoint = ContinuousClock.now
  /// What the checkpoints say, as far as this run knows.
  private var recorded: (sequence: UpdateSequence, failed: [String])?

  init(
    source: any DocumentStore, target: any DocumentStore, options: ReplicationOptions,
    retry: Retry, events: @escaping @Sendable (ReplicationEvent) -> Void
  ) {
    self.source = source
    self.target = target
    self.options = options
    self.retry = retry
    self.events = events
    reader = RevisionReader(source: source, target: target, retry: retry)
    writer = RevisionWriter(target: target, reader: reader, retry: retry)
    let id = ReplicationID(
      source: source.identity, target: target.identity, filter: options.identityJSON)
    checkpointer = Checkpointer(source: source, target: target, id: id)
    report = ReplicationReport(session: RandomIdentifier.uuid(), start: .start)
  }

  mutating func run() async throws -> ReplicationReport {
    try await start()
    events(.started(since: report.startSequence))
    do {
      try await retryFailed()
      try await moveChanges()
    } catch {
      // Being stopped is how a continuous run ends.
      guard error is CancellationError, options.isContinuous else {
        try await recordBeforeFailing()
        throw error
      }
    }
    do {
      try await saveCheckpoint()
    } catch let error as any ReplicationFault where error.isTransient && Task.isCancelled {
      // The next run looks at a little more than it would have to.
    }
    return report
  }

  mutating func plan() async throws -> ReplicationReport {
    try await start()
    while true {
      let request = try options.request(since: report.lastSequence)
      let page = try await retry { try await source.changes(request) }
      report.checked += page.rows.reduce(0) { $0 + $1.revisions.count }
      let wanted = try await reader.missing(in: page.rows)
      report.found += wanted.reduce(0) { $0 + $1.revisions.count }
      report.lastSequence = page.lastSequence
      guard page.rows.count == options.batchSize || page.pending ?? 0 > 0 && !page.rows.isEmpty
      else { return report }
    }
  }

  private mutating func start() async throws {
    var since = UpdateSequence.start
    if options.usesCheckpoints {
      let unread = checkpointer
      let loaded = try await retry {
        var fresh = unread
        let common = try await fresh.load()
        return (fresh, common)
      }
      checkpointer = loaded.0
      if let common = loaded.1 {
        since = common.since
        remember(failed: common.failed)
        recorded = (common.since, common.failed)
      }
    }
    if let given = options.since { since = given }
    report.startSequence = since
    report.lastSequence = since
  }

  // MARK: Moving

  private mutating func moveChanges() async throws {
    while true {
      var pipeline = ReplicationPipeline(
        source: source, target: target, options: options, reader: reader, writer: writer,
        since: report.lastSequence)
      try await pipeline.run { try await take($0) }
      guard options.isContinuous else { return }
      try await saveCheckpoint()
      events(.idle(report))
      try await waitForChange()
      events(.active)
    }
  }

  /// Tries the documents again that earlier runs could not move.
  private mutating func retryFailed() async throws {
    guard !failed.isEmpty else { return }
    var request = ChangesRequest()
    request.ids = failed
    request.allLeaves = true
    let before = failed
    remember(failed: [])
    do {
      let again = request
      let page = try await retry { try await source.changes(again) }
      var pipeline = ReplicationPipeline(
        source: source, target: target, options: options, reader: reader, writer: writer,
        since: nil)
      let wanted = try await reader.missing(in: page.rows)
      try await take(.listed(rows: page.rows, wanted: wanted))
      pipeline.add(wanted)
      try await pipeline.run { try await take($0) }
    } catch {
      // Nobody knows how far it came: all of them are tried once more.
      remember(failed: before)
      throw error
    }
  }

  private func waitForChange() async throws {
    while true {
      let last = report.lastSequence
      let hasChange = try await retry {
        try await source.waitForChange(
          after: last, milliseconds: ReplicationTuning.waitMilliseconds)
      }
      if hasChange { return }
      try Task.checkCancellation()
    }
  }

  private mutating func take(_ note: ReplicationPipeline.Note) async throws {
    switch note {
    case .listed(let rows, let wanted):
      report.checked += rows.reduce(0) { $0 + $1.revisions.count }
      report.found += wanted.reduce(0) { $0 + $1.revisions.count }
    case .read(let batch):
      report.read += batch.documents.count
      report.vanished += batch.vanished
      batch.failures.forEach { self.note($0) }
    case .written(let outcome):
      report.written += outcome.written
      outcome.failures.forEach { self.note($0) }
      events(.progress(report))
    case .completed(let sequence):
      // Only now is everything up to here on the target, or remembered as failed.
      guard let sequence else { return }
      report.lastSequence = sequence
      try await saveCheckpointIfDue()
    }
  }

  private mutating func note(_ failure: ReplicationReport.Failure) {
    report.note(failure)
    events(.failed(failure))
    if failedKeys.insert(UTF8Key(failure.id)).inserted { failed.append(failure.id) }
  }

  private mutating func remember(failed ids: [String]) {
    failed = ids
    failedKeys = Set(ids.map(UTF8Key.init))
  }

  // MARK: Checkpoints

  private mutating func saveCheckpointIfDue() async throws {
    guard ContinuousClock.now - lastCheckpoint > ReplicationTuning.checkpointInterval else {
      return
    }
    try await saveCheckpoint()
  }

  /// What was moved before an error need not be looked at again.
  private mutating func recordBeforeFailing() async throws {
    guard report.lastSequence != report.startSequence else { return }
    do {
      try await saveCheckpoint()
    } catch {
      // The first error says more than this one, which most likely has the same cause.
      return
    }
  }

  private mutating func saveCheckpoint() async throws {
    lastCheckpoint = .now
    // With too many failures to remember the next run has to come by here again.
    guard options.usesCheckpoints, failed.count <= ReplicationTuning.rememberedFailures else {
      return
    }
    let state = (report.lastSequence, failed)
    if let recorded, recorded == state { return }
    let report = report
    let failed = failed
    let unsaved = checkpointer
    let save: @Sendable () async throws -> Checkpointer = {
      var saving = unsaved
      try await saving.save(report, failed: failed)
      return saving
    }
    if Task.isCancelled {
      // A run that is being stopped still records what it did, but waits for nobody.
      checkpointer = try await Task { try await save() }.value
    } else {
      checkpointer = try await retry { try await save() }
    }
    recorded = state
  }
}
