public import Core

/// Applies a bundle to a store.
///
/// All of the file is compared with its digest before anything is written. Revisions are merged with
/// their histories, so applying a bundle twice changes nothing, and an application that was cut short
/// is completed by another.
public struct BundlePull: Sendable {
  private let file: BundleFile
  private let store: any DocumentStore
  private let retry: Retry
  private let makeBlob: @Sendable () throws -> BlobWriter

  /// Prepares; nothing is read before `run`.
  ///
  /// - Parameters:
  ///   - file: the bundle.
  ///   - store: where it goes; it must exist.
  ///   - makeBlob: starts an attachment's bytes where the store can take them over.
  ///   - pause: waits for so many seconds between attempts.
  public init(
    _ file: BundleFile, to store: any DocumentStore,
    makeBlob: @escaping @Sendable () throws -> BlobWriter,
    pause: @escaping @Sendable (Double) async throws -> Void = {
      try await Task.sleep(for: .seconds($0))
    }
  ) {
    self.file = file
    self.store = store
    self.makeBlob = makeBlob
    retry = Retry(attempts: ReplicationTuning.attempts, pause: pause, willPause: { _, _ in })
  }

  /// Applies a bundle to a local store.
  public init(_ file: BundleFile, to store: LocalStore) {
    self.init(file, to: store, makeBlob: { try store.makeAttachment() })
  }

  /// Verifies the bundle and applies it.
  ///
  /// - Parameters:
  ///   - isDryRun: count what would be written, and write nothing.
  ///   - progress: told how far it is; may throw to stop.
  /// - Returns: what was done; documents that were refused are listed in it, and the bundle then does
  ///   not count as applied.
  /// - Throws: `BundleError`, before anything was written unless reading fails half-way.
  public func run(
    isDryRun: Bool = false, progress: @escaping (BundleReport) throws -> Void = { _ in }
  ) async throws -> BundleReport {
    let header = file.header
    var report = BundleReport(header: header, through: header.since)
    report.bytes = file.size
    try file.verify { _ in try progress(report) }
    var receipt = try await loadReceipt()
    try check(receipt)
    report.isRepeated = receipt.contains(session: header.session)
    try await apply(&report, isDryRun: isDryRun, progress)
    if !isDryRun, report.failures.isEmpty {
      try await store.synchronize()
      receipt.add(header)
      try await save(receipt)
    }
    return report
  }

  // MARK: The series

  /// A bundle may be applied on top of the one it follows, and again at any time.
  private func check(_ receipt: BundleReceipt) throws {
    guard let previous = file.header.follows, !receipt.contains(session: previous.session),
      !receipt.contains(session: file.header.session)
    else { return }
    throw BundleError.gap(
      path: file.path, number: file.header.number, missing: previous.number,
      applied: receipt.last)
  }

  private func loadReceipt() async throws -> BundleReceipt {
    let id = BundleReceipt.documentID(series: file.header.series)
    do {
      return BundleReceipt(try await retry { try await store.document(id, ReadOptions()) })
    } catch StoreError.documentNotFound {
      return BundleReceipt()
    }
  }

  private func save(_ receipt: BundleReceipt) async throws {
    let id = BundleReceipt.documentID(series: file.header.series)
    let body = try DocumentBody(receipt.body(file.header))
    _ = try await retry { try await store.update(id) { _ in Document(id: id, body: body) } }
  }

  // MARK: Documents

  private func apply(
    _ report: inout BundleReport, isDryRun: Bool, _ progress: (BundleReport) throws -> Void
  ) async throws {
    let writer = RevisionWriter(target: store, reader: nil, retry: retry)
    var unpacker = BundleUnpacker(
      file, store: store, retry: retry, makeBlob: isDryRun ? nil : makeBlob)
    while let batch = try await unpacker.nextBatch() {
      if isDryRun {
        report.written += batch.count
      } else {
        let outcome = try await writer.write(batch)
        report.written += outcome.written
        report.failures += outcome.failures
      }
      report.documents = unpacker.documents
      report.attachments = unpacker.attachments
      try progress(report)
    }
    report.documents = unpacker.documents
    report.attachments = unpacker.attachments
    report.through = unpacker.through ?? report.through
  }
}
