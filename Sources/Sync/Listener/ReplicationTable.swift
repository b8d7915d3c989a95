import Core

/// The replications that `_replicate` started, as `_active_tasks` lists them.
actor ReplicationTable {
  /// What is told of a replication beside its progress.
  struct Facts: Sendable {
    var id: String
    var source: String
    var target: String
    var isContinuous: Bool
    var user: String?
    /// Seconds since 1970.
    var started: Int64
  }

  private struct Entry {
    var facts: Facts
    var report: ReplicationReport?
    var updated: Int64
    /// nil for one that a waiting request runs itself.
    var task: Task<Void, Never>?
  }

  private var entries: [Int: Entry] = [:]
  private var next = 1

  /// Adds one that runs from now on.
  ///
  /// - Returns: its number.
  func add(_ facts: Facts) -> Int {
    let number = next
    next += 1
    entries[number] = Entry(facts: facts, updated: facts.started)
    return number
  }

  /// Adds a continuous one, unless it runs already.
  func start(
    _ facts: Facts, _ work: @escaping @Sendable (_ number: Int) async -> Void
  ) {
    guard !entries.values.contains(where: { $0.facts.id == facts.id && $0.facts.isContinuous })
    else { return }
    let number = add(facts)
    entries[number]?.task = Task {
      await work(number)
      self.remove(number)
    }
  }

  /// Notes how far one has come, at a time in seconds since 1970.
  func note(_ report: ReplicationReport, of number: Int, at time: Int64) {
    entries[number]?.report = report
    entries[number]?.updated = time
  }

  func remove(_ number: Int) { entries[number] = nil }

  /// Cancels a continuous one; false when there is none of that id.
  func cancel(id: String) -> Bool {
    let found = entries.filter { $0.value.facts.id == id && $0.value.task != nil }
    for (number, entry) in found {
      entry.task?.cancel()
      entries[number] = nil
    }
    return !found.isEmpty
  }

  /// Cancels all: the server stops.
  func cancelAll() {
    for entry in entries.values { entry.task?.cancel() }
    entries = [:]
  }

  /// The list, in CouchDB's shape.
  func tasks() -> [JSON] {
    entries.sorted { $0.key < $1.key }.map { number, entry in
      let report = entry.report
      func count(_ value: Int?) -> JSON { .integer(Int64(value ?? 0)) }
      let through = report?.lastSequence.json ?? 0
      return [
        "type": "replication", "pid": .string("<0.\(number).0>"),
        "node": .string(Listener.node), "replication_id": .string(entry.facts.id),
        "database": .null, "doc_id": .null,
        "user": entry.facts.user.map { .string($0) } ?? .null,
        "source": .string(entry.facts.source), "target": .string(entry.facts.target),
        "continuous": .bool(entry.facts.isContinuous),
        "started_on": .integer(entry.facts.started), "updated_on": .integer(entry.updated),
        "process_status": "running", "source_seq": through, "through_seq": through,
        "checkpointed_source_seq": through, "changes_pending": .null,
        "revisions_checked": count(report?.checked),
        "missing_revisions_found": count(report?.found), "docs_read": count(report?.read),
        "docs_written": count(report?.written),
        "doc_write_failures": count(report?.failureCount),
      ]
    }
  }

  /// The continuous ones, as `_scheduler/jobs` lists them.
  func jobs() -> [JSON] {
    entries.sorted { $0.key < $1.key }.filter { $0.value.task != nil }.map { number, entry in
      [
        "database": .null, "id": .string(entry.facts.id), "pid": .string("<0.\(number).0>"),
        "source": .string(entry.facts.source), "target": .string(entry.facts.target),
        "user": entry.facts.user.map { .string($0) } ?? .null, "doc_id": .null,
        "history": [], "info": .null, "node": .string(Listener.node),
        "start_time": .string(Instant(seconds: entry.facts.started).rfc3339),
      ]
    }
  }
}
