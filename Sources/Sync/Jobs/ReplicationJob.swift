import Core
import Glibc
import HTTP
import Synchronization

/// A replication that this server runs for somebody.
final class ReplicationJob: Sendable {
  /// The name clients know it by: the replication's id, and what kind it is.
  let id: String
  let request: ReplicationRequest
  /// Who ordered it.
  let owner: String?
  /// The document of `_replicator` that ordered it.
  let documentID: String?
  let startTime = Int64(time(nil))
  private let source: any DocumentStore
  private let target: any DocumentStore
  private let state = Mutex(State())
  private let task = Mutex<Task<JSONObject, any Error>?>(nil)

  private struct State {
    var report: ReplicationReport?
    var updated = Int64(time(nil))
  }

  init(
    _ request: ReplicationRequest, source: any DocumentStore, target: any DocumentStore,
    owner: String?, documentID: String? = nil
  ) {
    self.request = request
    self.source = source
    self.target = target
    self.owner = owner
    self.documentID = documentID
    id = Self.id(request, source, target)
  }

  static func id(
    _ request: ReplicationRequest, _ source: any DocumentStore, _ target: any DocumentStore
  ) -> String {
    let id = ReplicationID(
      source: source.identity, target: target.identity, filter: request.options.identityJSON)
    return id.text + (request.options.isContinuous ? "+continuous" : "")
      + (request.createsTarget ? "+create_target" : "")
  }

  // MARK: Running

  /// Starts it; `completion` is told when it ended, however it did.
  func start(completion: @escaping @Sendable () -> Void) {
    task.withLock { task in
      guard task == nil else { return }
      task = Task { [self] in
        defer { completion() }
        return try await run()
      }
    }
  }

  /// Waits for its end.
  ///
  /// - Returns: the members of CouchDB's answer.
  func result() async throws -> JSONObject {
    guard let task = task.withLock({ $0 }) else { throw CancellationError() }
    return try await task.value
  }

  func cancel() { task.withLock { $0 }?.cancel() }

  private func run() async throws -> JSONObject {
    var options = request.options
    try await options.filter?.load(from: source)
    let report = try await Replicator(from: source, to: target, options: options).run { event in
      switch event {
      case .progress(let report), .idle(let report):
        self.state.withLock { $0 = State(report: report) }
      default: break
      }
    }
    state.withLock { $0 = State(report: report) }
    return await answer(report, options)
  }

  private func answer(
    _ report: ReplicationReport, _ options: ReplicationOptions
  ) async -> JSONObject {
    var members: JSONObject = [
      "ok": true, "session_id": .string(report.session),
      "source_last_seq": report.lastSequence.json, "replication_id_version": 4,
    ]
    if report.checked == 0 { members["no_changes"] = true }
    let entry = Checkpointer.entry(report)
    if options.ids != nil {
      for (key, value) in entry where Self.summaryKeys.contains(key) { members[key] = value }
    }
    let id = ReplicationID(
      source: source.identity, target: target.identity, filter: options.identityJSON)
    let checkpoint = try? await target.document(id.documentID, ReadOptions())
    members["history"] = checkpoint?.body.members["history"] ?? [.object(entry)]
    return members
  }

  private static let summaryKeys: Set<String> = [
    "start_time", "end_time", "docs_read", "docs_written", "doc_write_failures",
  ]

  // MARK: Shapes

  /// The counters, as the scheduler shows them.
  var info: JSONObject {
    let report = state.withLock { $0.report }
    func count(_ path: KeyPath<ReplicationReport, Int>) -> JSON {
      .integer(Int64(report?[keyPath: path] ?? 0))
    }
    return [
      "revisions_checked": count(\.checked), "missing_revisions_found": count(\.found),
      "docs_read": count(\.read), "docs_written": count(\.written), "changes_pending": .null,
      "doc_write_failures": count(\.failureCount),
      "checkpointed_source_seq": report?.lastSequence.json ?? 0,
      "source_seq": report?.lastSequence.json ?? 0, "through_seq": report?.lastSequence.json ?? 0,
    ]
  }

  /// Its row in `_active_tasks`.
  var activeTask: JSON {
    var members: JSONObject = [
      "type": "replication", "replication_id": .string(id),
      "database": documentID == nil ? .null : "_replicator",
      "doc_id": documentID.map { .string($0) } ?? .null, "source": .string(request.source.name),
      "target": .string(request.target.name), "continuous": .bool(request.options.isContinuous),
      "user": owner.map { .string($0) } ?? .null, "node": .string(Listener.node),
      "started_on": .integer(startTime), "updated_on": .integer(state.withLock { $0.updated }),
    ]
    for (key, value) in info { members[key] = value }
    return .object(members)
  }

  /// Its row in `_scheduler/jobs`.
  var schedulerRow: JSON {
    let started: JSON = .string(ReplicationJobs.timestamp(startTime))
    return [
      "id": .string(id), "database": documentID == nil ? .null : "_replicator",
      "doc_id": documentID.map { .string($0) } ?? .null, "source": .string(request.source.name),
      "target": .string(request.target.name), "user": owner.map { .string($0) } ?? .null,
      "node": .string(Listener.node), "start_time": started, "info": .object(info),
      "history": [
        ["type": "started", "timestamp": started], ["type": "added", "timestamp": started],
      ],
    ]
  }
}
