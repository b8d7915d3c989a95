import Core
import Glibc
import Sync

/// Writes or applies bundles for a command.
struct SyncBundleSession: Sendable {
  let context: Context
  let options: SyncOptions
  let replication: ReplicationOptions
  let store: Endpoint
  /// The file, as it was typed.
  let path: String
  /// The series that the bundle belongs to; nil for the one of the path.
  let series: String?

  /// Writes the next bundle.
  func push() async throws -> BundleReport {
    guard let source = store.store else { preconditionFailure("a store is no bundle") }
    try refuseForeignOptions()
    let push = BundlePush(
      from: source, to: try series ?? absolutePath(), options: replication)
    let existing = access(path, F_OK) == 0 ? try openExisting() : nil
    guard
      let draft = try await push.begin(
        replacing: existing, startsAnew: options.reset, now: context.now)
    else { return BundleReport.nothing }
    if options.dryRun { return try await draft.plan() }
    let file = try OutputFile(path: path)
    let written = try await draft.write(to: file.fileDescriptor, path: path) { report in
      try Task.checkCancellation()
      context.progress.update {
        "writing: \(grouped(report.documents)) revisions, \(humanSize(report.bytes))"
      }
    }
    try file.commit()
    // Only a bundle that is safely in place counts: the next one begins where it ends.
    try await draft.record(written)
    try tell(written.report.failures, .push)
    return written.report
  }

  /// Applies a bundle.
  func pull() async throws -> BundleReport {
    try refuseForeignOptions()
    if options.isFiltered || options.reset {
      throw CommandError.usage(
        "a bundle is applied as a whole: choose documents when it is written")
    }
    let file = try BundleFile(path: path)
    let pull: BundlePull
    switch store {
    case .local(let local): pull = BundlePull(file, to: local)
    case .remote(let remote, _, _):
      pull = BundlePull(file, to: remote, makeBlob: { try remote.makeAttachment() })
    case .bundle: preconditionFailure("a store is no bundle")
    }
    let report = try await pull.run(isDryRun: options.dryRun) { report in
      try Task.checkCancellation()
      context.progress.update { "applying: \(grouped(report.documents)) revisions read" }
    }
    try tell(report.failures, .pull)
    return report
  }

  private func refuseForeignOptions() throws {
    let given = [
      ("--continuous", options.continuous), ("--since", options.since != nil),
      ("--filter", options.filter != nil),
    ].first { $0.1 }
    if let given {
      throw CommandError.usage("'\(given.0)' does not go with a bundle")
    }
  }

  /// Anything but a bundle must not be written over.
  private func openExisting() throws -> BundleFile? {
    do {
      return try BundleFile(path: path)
    } catch BundleError.notABundle {
      throw BundleError.inTheWay(path: path, reason: "it is no bundle")
    }
  }

  private func tell(
    _ failures: [ReplicationReport.Failure], _ direction: RunRecord.Direction
  ) throws {
    context.progress.clear()
    guard context.mode == .human else { return }
    for failure in failures {
      try context.streams.error.writeLine(
        "tote: " + context.safeForErrors(failure.sentence(direction)))
    }
  }

  /// The path by which a series is known: the same however it is typed.
  func absolutePath() throws -> String {
    let slash = path.lastIndex(of: "/")
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard let resolved = realpath(folder, nil) else {
      throw CommandError(
        .notFound, "not_found", "folder '\(folder)' not found: \(systemMessage(errno))")
    }
    defer { free(resolved) }
    let base = String(cString: resolved)
    return (base == "/" ? "" : base) + "/" + name
  }
}
