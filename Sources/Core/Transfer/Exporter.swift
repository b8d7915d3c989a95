import Glibc

/// Exports a store's documents to a stream.
///
/// It writes one consistent state of the store while others go on writing, in the order of the last
/// changes. Memory does not grow with the store.
public struct Exporter {
  private let store: LocalStore
  private let options: ExportOptions

  /// An exporter of `store`.
  public init(from store: LocalStore, options: ExportOptions = ExportOptions()) {
    self.store = store
    self.options = options
  }

  /// Writes the export to an open file.
  ///
  /// - Parameters:
  ///   - descriptor: an open file or pipe; not closed and not synchronised here.
  ///   - name: what it is called in errors.
  /// - Returns: what was written.
  /// - Throws: ``TransferError`` when the output cannot be written, `StoreError` when the store cannot
  ///   be read, and what the options' `progress` throws.
  public func run(descriptor: Int32, name: String) throws -> ExportSummary {
    let clock = ContinuousClock()
    let start = clock.now
    let sink = try ExportSink(descriptor, name: name, gzip: options.gzip)
    var summary = try store.read { connection in
      options.format == .csv
        ? try CSVExport(store, options, sink).run(connection)
        : try exportDocuments(to: sink, connection)
    }
    try sink.finish()
    summary.bytes = sink.bytesWritten
    summary.seconds = (clock.now - start) / .seconds(1)
    return summary
  }

  private func exportDocuments(
    to sink: ExportSink, _ connection: Connection
  ) throws -> ExportSummary {
    let isArray = options.format == .json
    var writer = try RecordWriter(store, options, sink)
    var nextProgress = Self.progressInterval
    if isArray { writer.buffer.append(literal: "[") }
    let condition = options.allRevisions ? "1" : "NOT flags & \(RowFlags.deleted.rawValue)"
    let sql = "SELECT seq, rev, flags, tree, body, id FROM docs WHERE \(condition) ORDER BY seq"
    try connection.with(sql) { statement in
      while try statement.step() {
        try writer.writeDocument(of: statement, connection)
        guard writer.summary.records >= nextProgress else { continue }
        nextProgress += Self.progressInterval
        writer.summary.bytes = sink.bytesWritten
        try options.progress?(writer.summary)
      }
    }
    if isArray { writer.buffer.append(literal: "\n]\n") }
    try sink.drain(&writer.buffer)
    if options.endLine && !isArray {
      let line = EndLine(count: writer.summary.records, digest: sink.finishDigest())
      writer.buffer.append(line.text)
      writer.buffer.append(literal: "\n")
      try sink.drain(&writer.buffer)
    }
    return writer.summary
  }

  private static let progressInterval = 5_000
}
