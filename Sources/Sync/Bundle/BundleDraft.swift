import Core
import Glibc

/// A bundle about to be written: first `write`, then, when the file is safely in place, `record`.
public struct BundleDraft: Sendable {
  let store: any DocumentStore
  let target: String
  let options: ReplicationOptions
  /// What the bundle will say about itself.
  public let header: BundleHeader
  /// Digests of large attachments that earlier bundles carry.
  let carried: [String]
  /// Documents that earlier bundles could not hold.
  let retried: [String]

  /// Counts what the bundle would hold, without attachments; nothing is written.
  public func plan() async throws -> BundleReport {
    var report = BundleReport(header: header, through: header.since)
    try await forEachPage(&report) { rows, report in
      report.documents += rows.reduce(0) { $0 + $1.revisions.count }
    }
    return report
  }

  /// Writes the bundle.
  ///
  /// - Parameters:
  ///   - descriptor: an open file; neither closed nor synchronised here.
  ///   - path: its name in errors.
  ///   - progress: told how far it is; may throw to stop.
  /// - Returns: what was written, for `record`.
  /// - Throws: `BundleError.io`, or what the store says. Documents that cannot be read are failures
  ///   in the report and do not end it.
  public func write(
    to descriptor: Int32, path: String,
    progress: @escaping (BundleReport) throws -> Void = { _ in }
  ) async throws -> WrittenBundle {
    let output = try BundleOutput(descriptor: descriptor, path: path)
    try output.write(.header, header.json.serializedBytes())
    var pack = BundlePacker(output: output, carried: Set(carried))
    var report = BundleReport(header: header, through: header.since)
    if !retried.isEmpty {
      var request = ChangesRequest()
      request.ids = retried
      request.allLeaves = true
      try await add(store.changes(request).rows, to: &pack)
    }
    try await forEachPage(&report) { rows, report in
      try await add(rows, to: &pack)
      pack.note(in: &report)
      try progress(report)
    }
    pack.note(in: &report)
    let end: JSON = [
      "documents": .integer(Int64(report.documents)),
      "attachments": .integer(Int64(report.attachments)), "through": report.through.json,
    ]
    try output.write(.end, end.serializedBytes())
    try output.finish()
    report.bytes = output.count
    return WrittenBundle(report: report, added: pack.added)
  }

  /// Remembers that the bundle was written and is in place, so that the next one begins where it ends.
  public func record(_ written: WrittenBundle) async throws {
    let checkpoint = BundleCheckpoint(
      last: header, through: written.report.through, carried: carried, added: written.added,
      failed: written.report.failures.map(\.id))
    let id = BundleCheckpoint.documentID(target: target, filter: options.filterJSON)
    let body = try DocumentBody(checkpoint.body(target: target))
    try await store.update(id) { _ in Document(id: id, body: body) }
  }

  private func forEachPage(
    _ report: inout BundleReport, _ body: ([Change], inout BundleReport) async throws -> Void
  ) async throws {
    while true {
      var request = ChangesRequest()
      request.since = report.through
      request.limit = options.batchSize
      request.allLeaves = true
      request.ids = options.ids
      request.selector = options.selector
      let page = try await store.changes(request)
      report.through = page.lastSequence
      try await body(page.rows, &report)
      guard page.rows.count == options.batchSize else { return }
    }
  }

  /// Reads changed documents, some at a time, and packs them.
  private func add(_ rows: [Change], to pack: inout BundlePacker) async throws {
    var options = ReadOptions()
    options.history = true
    options.attachmentBlobs = true
    var rest = rows[...]
    while !rest.isEmpty {
      let part = rest.prefix(ReplicationTuning.readCount)
      rest = rest.dropFirst(part.count)
      let asked = part.map { (id: $0.id, choice: RevisionChoice.latest($0.revisions)) }
      for answer in try await store.openRevisions(ofEach: asked, options).joined() {
        // A revision that is gone was replaced, and what replaced it comes later in the feed.
        if case .found(let document) = answer { try pack.add(document) }
      }
    }
  }
}

/// A bundle that was written and is to be recorded.
public struct WrittenBundle: Sendable {
  /// What was written.
  public var report: BundleReport
  /// Digests of the large attachments in it.
  let added: [String]
}
