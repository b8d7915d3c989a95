/// Imports documents from a stream into a store.
///
/// A thread of its own reads and decodes; the caller's thread writes. Memory does not grow with the
/// input. A new, empty store is filled in one transaction, all or nothing. In a store that has
/// documents every 10,000 records are committed, so that others can write in between; a cancelled
/// import then leaves what was committed. An export in a file is checked against its end line before
/// that. With ``ImportOptions/ConflictRule/fail`` it is one
/// transaction there too.
public struct Importer {
  private let store: LocalStore
  private let options: ImportOptions

  /// Records of one transaction in a store that is in use.
  static let transactionSize = 10_000

  /// An importer into `store`.
  public init(into store: LocalStore, options: ImportOptions = ImportOptions()) {
    self.store = store
    self.options = options
  }

  /// Reads everything from an open file and writes it into the store.
  ///
  /// Gzip is recognised and decompressed. Bad records are reported in the summary with their place,
  /// and the rest goes on.
  ///
  /// - Parameters:
  ///   - descriptor: an open file, pipe or terminal; not closed.
  ///   - name: what it is called in problems, such as its path or `-`.
  ///   - folder: where the files of an export with attachments beside it lie; `nil` when the input
  ///     comes from a pipe.
  /// - Returns: what was done.
  /// - Throws: ``TransferError`` when the input as a whole cannot be read, `StoreError` when the store
  ///   cannot be written, and what the options' `progress` throws.
  public func run(descriptor: Int32, name: String, folder: String? = nil) throws -> ImportSummary {
    let proof = ExportProof(descriptor, name: name)
    let source = DescriptorSource(descriptor, name: name)
    let limit = try store.access { try store.revisionsLimit(in: $0) }
    let reader = try ImportReader(
      source, name: name, folder: folder, maximumHistory: limit, options)
    var writer = ImportWriter(store, options, place: ProblemPlace(input: name))
    writer.summary.format = reader.format
    let clock = ContinuousClock()
    let start = clock.now
    try reader.start()
    defer { reader.finish() }
    if options.isDryRun {
      try writeNothing(reader.ring, &writer)
    } else if try store.isEmptyForImport() {
      try store.withBulkLoading { try writeAll(reader.ring, &writer) }
    } else if options.onConflict == .fail {
      try writeAll(reader.ring, &writer)
    } else {
      try proof?.check()
      try writeInPieces(reader.ring, &writer)
    }
    writer.summary.isProvenComplete = reader.ring.isProvenComplete
    writer.summary.seconds = (clock.now - start) / .seconds(1)
    return writer.summary
  }

  private func writeAll(_ ring: BatchRing, _ writer: inout ImportWriter) throws {
    try store.bulkInsert { inserter, connection in
      while let slot = try ring.take() {
        try writer.write(slot.batch, &inserter, connection)
        ring.recycle(slot)
        try options.progress?(writer.summary)
      }
    }
  }

  /// Writes in one transaction and takes it back.
  private func writeNothing(_ ring: BatchRing, _ writer: inout ImportWriter) throws {
    struct End: Error {}
    do {
      try store.bulkInsert { inserter, connection in
        while let slot = try ring.take() {
          try writer.write(slot.batch, &inserter, connection)
          ring.recycle(slot)
          try options.progress?(writer.summary)
        }
        throw End()
      }
    } catch is End {}
  }

  private func writeInPieces(_ ring: BatchRing, _ writer: inout ImportWriter) throws {
    // The first batch is waited for outside of a transaction: others may write meanwhile.
    var next = try ring.take()
    while next != nil {
      try store.bulkInsert { inserter, connection in
        var written = 0
        while let slot = next {
          try writer.write(slot.batch, &inserter, connection)
          written += slot.batch.entries.count
          ring.recycle(slot)
          next = nil
          guard written < Self.transactionSize else { break }
          next = try ring.take()
        }
      }
      try options.progress?(writer.summary)
      if next == nil { next = try ring.take() }
    }
  }
}

extension LocalStore {
  /// Whether nothing was ever written.
  fileprivate func isEmptyForImport() throws -> Bool {
    try read { connection in
      try connection.first("SELECT 1 FROM docs LIMIT 1") { _ in true } == nil
    }
  }

  /// Runs `body`, one large transaction, with a rollback journal instead of the write-ahead log.
  ///
  /// Every page is then written once instead of twice, and still survives a power cut. Another process
  /// that has the store open keeps it in write-ahead mode; the import then goes that way.
  fileprivate func withBulkLoading<Result>(_ body: () throws -> Result) throws -> Result {
    let restore = try access { connection in
      let timeout = try connection.first("PRAGMA busy_timeout") { $0.integer(0) } ?? 0
      let level = try connection.first("PRAGMA synchronous") { $0.integer(0) } ?? 1
      // Not worth waiting for: see above.
      try connection.execute("PRAGMA busy_timeout = 0")
      defer { try? connection.execute("PRAGMA busy_timeout = \(timeout)") }
      do throws(StoreError) {
        try connection.execute("PRAGMA journal_mode = DELETE")
      } catch {
        guard case .busy = error else { throw error }
      }
      try connection.execute("PRAGMA synchronous = FULL; PRAGMA cache_size = -16384")
      return "PRAGMA journal_mode = WAL; PRAGMA synchronous = \(level); PRAGMA cache_size = -2000"
    }
    defer { try? access { try $0.execute(restore) } }
    return try body()
  }
}
