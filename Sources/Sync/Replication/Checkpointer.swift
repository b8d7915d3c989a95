import Core
import Glibc
import HTTP

/// Loads and keeps the checkpoints of a replication on both sides.
///
/// The target's is written first, once the source is known to keep checkpoints: a crash between the
/// two leaves the source with an older session, which both know, and the next run starts from that
/// one. A side that may not be written to keeps none, and the other's says so.
struct Checkpointer: Sendable {
  private let source: any DocumentStore
  private let target: any DocumentStore
  private let id: ReplicationID
  private var atSource = Checkpoint()
  private var atTarget = Checkpoint()

  init(source: any DocumentStore, target: any DocumentStore, id: ReplicationID) {
    self.source = source
    self.target = target
    self.id = id
  }

  /// Reads what both sides remember; returns where to start and what to try again, nil when they
  /// have no run in common.
  mutating func load() async throws -> (since: UpdateSequence, failed: [String])? {
    let (source, target, id) = (source, target, id)
    async let fromSource = Self.read(id, from: source)
    async let fromTarget = Self.read(id, from: target)
    (atSource, atTarget) = try await (fromSource, fromTarget)
    guard let since = Checkpoint.common(source: atSource, target: atTarget) else {
      return nil
    }
    return (since, atTarget.history.isEmpty ? atSource.failed : atTarget.failed)
  }

  private static func read(
    _ id: ReplicationID, from store: any DocumentStore
  ) async throws -> Checkpoint {
    do {
      return Checkpoint(try await store.document(id.documentID, ReadOptions()))
    } catch StoreError.documentNotFound {
      return Checkpoint()
    } catch let error as any ReplicationFault where error.isRefusal {
      return Checkpoint()
    }
  }

  /// Records how far the run came, once the target has it safely.
  mutating func save(_ report: ReplicationReport, failed: [String]) async throws {
    try await target.synchronize()
    let session = Checkpoint.Session(
      id: report.session, recorded: report.lastSequence, json: Self.entry(report))
    atSource.record(session)
    atTarget.record(session)
    atSource.failed = failed
    atTarget.failed = failed
    if !atTarget.isAlone, atSource.revision == nil {
      // The first write tells whether the source keeps checkpoints at all.
      atTarget.isAlone = try await !store(&atSource, at: source)
    }
    let isAtTarget = try await store(&atTarget, at: target)
    guard !atTarget.isAlone else { return }
    if !isAtTarget { atSource.isAlone = true }
    _ = try await store(&atSource, at: source)
  }

  /// Writes a checkpoint; false when the store forbids it.
  private func store(
    _ checkpoint: inout Checkpoint, at store: any DocumentStore
  ) async throws -> Bool {
    let body = try DocumentBody(checkpoint.body)
    if checkpoint.saved == body { return true }
    for attempt in 0... {
      do {
        let document = Document(id: id.documentID, revision: checkpoint.revision, body: body)
        checkpoint.revision = try await store.put(document)
        checkpoint.saved = body
        return true
      } catch let error as any ReplicationFault where error.isRefusal {
        return false
      } catch StoreError.conflict where attempt == 0 {
        // A lost answer, or a second run of the same replication: take its revision and go on.
        checkpoint.revision = try await Self.read(id, from: store).revision
      }
    }
    return false
  }

  /// A run as CouchDB's replicator writes it down.
  static func entry(_ report: ReplicationReport) -> JSONObject {
    [
      "session_id": .string(report.session),
      "start_time": .string(HTTPDate.format(report.startTime)),
      "end_time": .string(HTTPDate.format(Int64(time(nil)))),
      "start_last_seq": report.startSequence.json,
      "end_last_seq": report.lastSequence.json,
      "recorded_seq": report.lastSequence.json,
      "missing_checked": .integer(Int64(report.checked)),
      "missing_found": .integer(Int64(report.found)),
      "docs_read": .integer(Int64(report.read)),
      "docs_written": .integer(Int64(report.written)),
      "doc_write_failures": .integer(Int64(report.failureCount)),
    ]
  }
}
