import Core
import Sync

/// A line of `--jsonl` while a sync runs.
enum SyncEvent: Sendable {
  case replication(ReplicationEvent, RunRecord.Direction)
  case failure(ReplicationReport.Failure, RunRecord.Direction)

  var json: JSON {
    switch self {
    case .failure(let failure, let direction):
      return [
        "direction": .string(direction.rawValue), "id": .string(failure.id),
        "rev": failure.revision.map { .string($0.description) } ?? .null,
        "reason": .string(failure.reason),
      ]
    case .replication(let event, let direction):
      var members: JSONObject = [
        "event": .string(event.word), "direction": .string(direction.rawValue),
      ]
      for (key, value) in event.members { members[key] = value }
      return .object(members)
    }
  }
}

extension ReplicationEvent {
  /// What scripts tell it by.
  fileprivate var word: String {
    switch self {
    case .started: "started"
    case .progress: "progress"
    case .failed: "failed"
    case .retrying: "retrying"
    case .idle: "idle"
    case .active: "active"
    }
  }

  fileprivate var members: JSONObject {
    switch self {
    case .started(let since): return ["since": since.json]
    case .progress(let report), .idle(let report):
      return [
        "last_seq": report.lastSequence.json, "read": .integer(Int64(report.read)),
        "written": .integer(Int64(report.written)),
        "failed": .integer(Int64(report.failureCount)),
      ]
    case .failed(let failure):
      return [
        "id": .string(failure.id),
        "rev": failure.revision.map { .string($0.description) } ?? .null,
        "reason": .string(failure.reason),
      ]
    case .active: return [:]
    case .retrying(let reason, let seconds):
      return ["reason": .string(reason), "seconds": .double((seconds * 100).rounded() / 100)]
    }
  }
}
