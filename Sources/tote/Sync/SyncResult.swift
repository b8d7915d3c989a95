import ArgumentParser
import Core
import Sync

/// What a sync did, in one or both directions.
struct SyncResult: CommandResult {
  /// One direction.
  struct Part: Sendable {
    let direction: RunRecord.Direction
    let outcome: Outcome

    enum Outcome: Sendable {
      case replication(ReplicationReport)
      case bundle(BundleReport)
    }
  }

  let store: String
  let remote: String
  let isDryRun: Bool
  let parts: [Part]

  static let outputKeys =
    [
      OutputKey("ok", "boolean", "whether every document could be moved"),
      OutputKey("store", "string", "the store"),
      OutputKey("remote", "string", "the other side"),
      OutputKey("dryRun", "boolean", "whether nothing was changed"),
    ]
    + [("pull", "what came into the store"), ("push", "what went out of it")]
    .flatMap { name, meaning in
      [
        OutputKey(name, "object", meaning + "; null when it was not asked for"),
        OutputKey("\(name).since", "any", "where it started in the source's changes"),
        OutputKey("\(name).last_seq", "any", "how far it came"),
        OutputKey("\(name).checked", "integer", "revisions the source named"),
        OutputKey("\(name).found", "integer", "of those, revisions the target lacked"),
        OutputKey("\(name).read", "integer", "documents read"),
        OutputKey("\(name).written", "integer", "documents written"),
        OutputKey("\(name).failed", "integer", "documents that could not be moved"),
        OutputKey("\(name).bundle", "object", "the bundle; null without one"),
        OutputKey("\(name).bundle.file", "string", "its path"),
        OutputKey("\(name).bundle.series", "string", "the series it belongs to"),
        OutputKey("\(name).bundle.number", "integer", "its place there, from 1"),
        OutputKey("\(name).bundle.bytes", "integer", "bytes of the file"),
        OutputKey("\(name).bundle.attachments", "integer", "attachments in it"),
        OutputKey("\(name).bundle.repeated", "boolean", "whether it had been applied before"),
      ]
    }
    + [
      OutputKey("failures", "array of objects", "documents that could not be moved"),
      OutputKey("failures.direction", "string", "'pull' or 'push'"),
      OutputKey("failures.id", "string", "the document"),
      OutputKey("failures.rev", "string", "its revision, if one is known"),
      OutputKey("failures.reason", "string", "why"),
    ]

  var json: JSON {
    let failures = parts.flatMap { part in
      part.failures.map { SyncEvent.failure($0, part.direction).json }
    }
    return [
      "ok": .bool(failedCount == 0), "store": .string(store), "remote": .string(remote),
      "dryRun": .bool(isDryRun), "pull": json(.pull), "push": json(.push),
      "failures": .array(failures),
    ]
  }

  private func json(_ direction: RunRecord.Direction) -> JSON {
    parts.first { $0.direction == direction }?.json(remote: remote) ?? .null
  }

  /// Documents that could not be moved.
  var failedCount: Int { parts.reduce(0) { $0 + $1.failedCount } }

  func show(on screen: Screen) throws(OutputError) {
    for part in parts {
      if screen.isTerminal {
        try screen.line(screen.safe(part.sentence(with: remote, isDryRun: isDryRun)))
      } else {
        let numbers = [part.read, part.written, part.failedCount].map { Cell(String($0)) }
        try screen.table([], [[Cell(part.direction.rawValue)] + numbers])
      }
    }
  }
}

extension SyncResult.Part {
  var failures: [ReplicationReport.Failure] {
    switch outcome {
    case .replication(let report): report.failures
    case .bundle(let report): report.failures
    }
  }

  var failedCount: Int {
    switch outcome {
    case .replication(let report): report.failureCount
    case .bundle(let report): report.failures.count
    }
  }

  var read: Int {
    switch outcome {
    case .replication(let report): report.read
    case .bundle(let report): report.documents
    }
  }

  var written: Int {
    switch outcome {
    case .replication(let report): report.written
    case .bundle(let report): direction == .push ? report.documents : report.written
    }
  }

  func json(remote: String) -> JSON {
    func number(_ value: Int) -> JSON { .integer(Int64(value)) }
    switch outcome {
    case .replication(let report):
      return [
        "since": report.startSequence.json, "last_seq": report.lastSequence.json,
        "checked": number(report.checked), "found": number(report.found),
        "read": number(report.read), "written": number(report.written),
        "failed": number(report.failureCount), "bundle": .null,
      ]
    case .bundle(let report):
      let bundle = report.header.map { header -> JSON in
        [
          "file": .string(remote), "series": .string(header.series),
          "number": number(header.number), "bytes": number(report.bytes),
          "attachments": number(report.attachments), "repeated": .bool(report.isRepeated),
        ]
      }
      return [
        "since": report.header?.since.json ?? report.through.json, "last_seq": report.through.json,
        "checked": number(report.documents), "found": number(written),
        "read": number(read), "written": number(written), "failed": number(failedCount),
        "bundle": bundle ?? .null,
      ]
    }
  }

  /// What was done, for a person.
  func sentence(with remote: String, isDryRun: Bool) -> String {
    let isPull = direction == .pull
    let verb = isDryRun ? "would \(direction.rawValue)" : isPull ? "pulled" : "pushed"
    let way = isPull ? "from" : "to"
    switch outcome {
    case .bundle(let report): return bundleSentence(report, remote, isDryRun: isDryRun)
    case .replication(let report):
      let count = isDryRun ? report.found : report.written
      if count == 0, report.failureCount == 0 {
        return "nothing to \(direction.rawValue) \(way) '\(remote)'"
      }
      let failed = report.failureCount > 0 ? ", \(grouped(report.failureCount)) failed" : ""
      return "\(verb) \(counted(count, "revision")) \(way) '\(remote)'\(failed)"
    }
  }

  private func bundleSentence(
    _ report: BundleReport, _ path: String, isDryRun: Bool
  ) -> String {
    guard let header = report.header else { return "nothing changed since the last bundle" }
    let size = report.bytes > 0 ? ", \(humanSize(report.bytes))" : ""
    let failed = report.failures.isEmpty ? "" : ", \(grouped(report.failures.count)) failed"
    if direction == .push {
      let verb = isDryRun ? "would write" : "wrote"
      return
        "\(verb) bundle \(header.number) with \(counted(report.documents, "revision")) to '\(path)'\(size)\(failed)"
    }
    if report.isRepeated, report.written == 0, report.failures.isEmpty {
      return "bundle \(header.number) of '\(header.store)' was applied before: nothing is new"
    }
    let verb = isDryRun ? "would apply" : "applied"
    return
      "\(verb) bundle \(header.number) of '\(header.store)': \(counted(report.written, "new revision"))\(failed)"
  }
}
