import Core

/// The state of one run of a replication.
struct ReplicationRun {
  private let source: any DocumentStore
  private let options: ReplicationOptions
  private let retry: Retry
  private let events: @Sendable (ReplicationEvent) -> Void
  private let reader: RevisionReader
  private let writer: RevisionWriter
  private var checkpointer: Checkpointer
  private var report: ReplicationReport
  /// Documents that failed and are to be tried again by the next run.
  private var failed: [String] = []
  private var lastCheckpoint = ContinuousClock.now
  /// What the checkpoints say, as far as this run knows.
  private var recorded: (sequence: UpdateSequence, failed: [String])?
  /// Bodies read so far, to guess how many documents to read at once.
  private var bytesRead = 0

  init(
    source: any DocumentStore, target: any DocumentStore, options: ReplicationOptions,
    retry: Retry, events: @escaping @Sendable (ReplicationEvent) -> Void
  ) {
    self.source = source
    self.options = options
    self.retry = retry
    self.events = events
    reader = RevisionReader(source: source, target: target, retry: retry)
    writer = RevisionWriter(target: target, reader: reader, retry: retry)
    let id = ReplicationID(
      source: source.identity, target: target.identity, filter: options.filterJSON)
    checkpointer = Checkpointer(source: source, target: target, id: id)
    report = ReplicationReport(session: RandomIdentifier.uuid(), start: .start)
  }

  mutating func run() async throws -> ReplicationReport {
    try await start()
    events(.started(since: report.startSequence))
    try await retryFailed()
    do {
      try await moveChanges()
    } catch is CancellationError where options.isContinuous {
      // Being stopped is how a continuous run ends.
    }
    try await saveCheckpoint()
    return report
  }

  mutating func plan() async throws -> ReplicationReport {
    try await start()
    while true {
      let page = try await nextPage()
      report.checked += page.rows.reduce(0) { $0 + $1.revisions.count }
      let wanted = try await reader.missing(in: page.rows)
      report.found += wanted.reduce(0) { $0 + $1.revisions.count }
      report.lastSequence = page.lastSequence
      guard page.rows.count == options.batchSize else { return report }
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
        failed = common.failed
        recorded = (common.since, common.failed)
      }
    }
    if let given = options.since { since = given }
    report.startSequence = since
    report.lastSequence = since
  }

  // MARK: The feed

  private func nextPage() async throws -> ChangesPage {
    var request = ChangesRequest()
    request.since = report.lastSequence
    request.limit = options.batchSize
    request.allLeaves = true
    request.ids = options.ids
    request.selector = options.selector
    request.filter = options.filter
    return try await retry { try await source.changes(request) }
  }

  private mutating func moveChanges() async throws {
    while true {
      let page = try await nextPage()
      try await move(page.rows)
      // Only now is everything up to here on the target, or remembered as failed.
      report.lastSequence = page.lastSequence
      if !page.rows.isEmpty {
        events(.progress(report))
        try await saveCheckpointIfDue()
      }
      if page.rows.count == options.batchSize { continue }
      guard options.isContinuous else { return }
      try await saveCheckpoint()
      events(.idle(report))
      try await waitForChange()
    }
  }

  private func waitForChange() async throws {
    while true {
      let hasChange = try await retry {
        try await source.waitForChange(
          after: report.lastSequence, milliseconds: ReplicationTuning.waitMilliseconds)
      }
      if hasChange { return }
      try Task.checkCancellation()
    }
  }

  // MARK: Moving

  /// Reads and writes what the target lacks of some changes; the next part is read while one is
  /// written.
  private mutating func move(_ changes: [Change]) async throws {
    report.checked += changes.reduce(0) { $0 + $1.revisions.count }
    var rest = try await reader.missing(in: changes)[...]
    report.found += rest.reduce(0) { $0 + $1.revisions.count }
    var batch = try await read(&rest)
    while let current = batch {
      let next = rest.prefix(partSize)
      rest = rest.dropFirst(next.count)
      async let written = writer.write(current.documents)
      async let following = next.isEmpty ? nil : reader.read(Array(next))
      take(try await written)
      batch = try await following
      if let batch { count(batch) }
    }
  }

  private mutating func read(
    _ rest: inout ArraySlice<RevisionReader.Wanted>
  ) async throws -> RevisionReader.Batch? {
    let part = rest.prefix(partSize)
    guard !part.isEmpty else { return nil }
    rest = rest.dropFirst(part.count)
    let batch = try await reader.read(Array(part))
    count(batch)
    return batch
  }

  /// How many documents to read at once so that their bodies stay about within the limit.
  private var partSize: Int {
    guard report.read > 0 else { return ReplicationTuning.readCount }
    let average = max(bytesRead / report.read, 1)
    return min(max(ReplicationTuning.batchBytes / average, 1), options.batchSize)
  }

  private mutating func count(_ batch: RevisionReader.Batch) {
    report.read += batch.documents.count
    report.vanished += batch.vanished
    bytesRead += batch.documents.reduce(0) { $0 + $1.body.bytes.count }
    batch.failures.forEach { note($0) }
  }

  private mutating func take(_ outcome: RevisionWriter.Outcome) {
    report.written += outcome.written
    outcome.failures.forEach { note($0) }
  }

  private mutating func note(_ failure: ReplicationReport.Failure) {
    report.note(failure)
    events(.failed(failure))
    if !failed.contains(where: { utf8Equal($0, failure.id) }) { failed.append(failure.id) }
  }

  /// Tries the documents again that earlier runs could not move.
  private mutating func retryFailed() async throws {
    guard !failed.isEmpty else { return }
    let again = failed
    failed = []
    var request = ChangesRequest()
    request.ids = again
    request.allLeaves = true
    let page = try await retry { try await source.changes(request) }
    try await move(page.rows)
  }

  // MARK: Checkpoints

  private mutating func saveCheckpointIfDue() async throws {
    guard ContinuousClock.now - lastCheckpoint > ReplicationTuning.checkpointInterval else {
      return
    }
    try await saveCheckpoint()
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
    var saving = checkpointer
    // A run that is being stopped still records what it did.
    checkpointer = try await Task {
      try await saving.save(report, failed: failed)
      return saving
    }.value
    recorded = state
  }
}
