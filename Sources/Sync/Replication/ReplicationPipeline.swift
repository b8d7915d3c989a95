import Core

/// The stages of a run, all at work at once: the feed is listed and compared with the target ahead of
/// the reading, several reads are under way, and what was read is written meanwhile.
///
/// What is read and not yet written is bounded by its bytes. Pages complete in the feed's order, and
/// only a completed page counts as moved.
struct ReplicationPipeline {
  /// A page of the feed on its way.
  private struct Page {
    let number: Int
    /// Where the feed goes on behind it; nil for a page that stands outside the feed.
    let lastSequence: UpdateSequence?
    /// What is still to be read.
    var rest: ArraySlice<RevisionReader.Wanted>
    /// Reads under way and documents not yet written.
    var open = 0

    var isDone: Bool { rest.isEmpty && open == 0 }
  }

  /// What a stage brings.
  private enum Step: Sendable {
    case page(ChangesPage, [RevisionReader.Wanted], isLast: Bool)
    case read(page: Int, RevisionReader.Batch, guess: Int)
    case written(pages: [Int], RevisionWriter.Outcome, bytes: Int)
  }

  /// What the run hears.
  enum Note {
    case listed(rows: [Change], wanted: [RevisionReader.Wanted])
    case read(RevisionReader.Batch)
    case written(RevisionWriter.Outcome)
    /// Everything up to here is on the target, or was noted as failed.
    case completed(through: UpdateSequence?)
  }

  private let source: any DocumentStore
  private let options: ReplicationOptions
  private let reader: RevisionReader
  private let writer: RevisionWriter
  private let writesAtOnce: Int

  private var pages: [Page] = []
  private var pageCount = 0
  private var since: UpdateSequence
  private var isListing = false
  private var hasEnded: Bool
  private var reads = 0
  private var writes = 0
  /// Documents that are read, each with its page.
  private var ready: [(page: Int, document: Document)] = []
  private var readyBytes = 0
  /// Bytes that are being read, as a guess, or written.
  private var movingBytes = 0
  /// What was read so far, to guess the size of the next.
  private var documentsRead = 0
  private var bytesRead = 0

  /// Lists the feed from `since`; with nil there is only what `add` gives.
  init(
    source: any DocumentStore, target: any DocumentStore, options: ReplicationOptions,
    reader: RevisionReader, writer: RevisionWriter, since: UpdateSequence?
  ) {
    self.source = source
    self.options = options
    self.reader = reader
    self.writer = writer
    self.since = since ?? .start
    hasEnded = since == nil
    writesAtOnce = target is LocalStore ? 1 : ReplicationTuning.writesAtOnce
  }

  /// Adds documents that are to be moved besides the feed's.
  mutating func add(_ wanted: [RevisionReader.Wanted]) {
    append(wanted, lastSequence: nil)
  }

  private mutating func append(
    _ wanted: [RevisionReader.Wanted], lastSequence: UpdateSequence?
  ) {
    pages.append(Page(number: pageCount, lastSequence: lastSequence, rest: wanted[...]))
    pageCount += 1
  }

  /// Runs until the end of the feed; `note` is told what happens, in order.
  mutating func run(_ note: (Note) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Step.self) { group in
      while true {
        while let page = pages.first, page.isDone {
          pages.removeFirst()
          try await note(.completed(through: page.lastSequence))
        }
        try schedule(&group)
        guard let step = try await group.next() else { return }
        switch step {
        case .page(let page, let wanted, let isLast):
          isListing = false
          hasEnded = isLast
          since = page.lastSequence
          append(wanted, lastSequence: page.lastSequence)
          try await note(.listed(rows: page.rows, wanted: wanted))
        case .read(let page, let batch, let guess):
          take(batch, page: page, guess: guess)
          try await note(.read(batch))
        case .written(let numbers, let outcome, let bytes):
          writes -= 1
          movingBytes -= bytes
          for number in numbers { close(number) }
          try await note(.written(outcome))
        }
      }
    }
  }

  // MARK: Stages

  private mutating func schedule(_ group: inout ThrowingTaskGroup<Step, any Error>) throws {
    if !isListing, !hasEnded, pages.count < ReplicationTuning.pagesAhead {
      isListing = true
      let request = try options.request(since: since)
      let (source, reader, size) = (source, reader, options.batchSize)
      group.addTask {
        let page = try await reader.retry { try await source.changes(request) }
        let wanted = try await reader.missing(in: page.rows)
        // A feed may be cut before its limit; then it says that more is behind.
        let isLast = page.rows.count < size && (page.rows.isEmpty || (page.pending ?? 0) == 0)
        return .page(page, wanted, isLast: isLast)
      }
    }
    while let (number, part, guess) = nextPart() {
      reads += 1
      movingBytes += guess
      let reader = reader
      group.addTask { .read(page: number, try await reader.read(part), guess: guess) }
    }
    while writes < writesAtOnce, let (numbers, documents, bytes) = nextWrite() {
      writes += 1
      movingBytes += bytes
      let writer = writer
      group.addTask {
        .written(pages: numbers, try await writer.write(documents), bytes: bytes)
      }
    }
  }

  /// What is to be read next, if now is the time.
  private mutating func nextPart() -> (page: Int, [RevisionReader.Wanted], guess: Int)? {
    let isFirst = documentsRead == 0
    guard reads < (isFirst ? 1 : ReplicationTuning.readsAtOnce),
      let index = pages.firstIndex(where: { !$0.rest.isEmpty })
    else { return nil }
    let average = isFirst ? 1 << 10 : max(bytesRead / documentsRead, 64)
    var count = isFirst ? ReplicationTuning.firstReadCount : options.batchSize
    count = max(1, min(count, ReplicationTuning.batchBytes / average))
    let part = pages[index].rest.prefix(count)
    let guess = part.count * average
    let held = readyBytes + movingBytes
    guard held == 0 || held + guess <= ReplicationTuning.heldBytes else { return nil }
    pages[index].rest = pages[index].rest.dropFirst(part.count)
    pages[index].open += 1
    return (pages[index].number, Array(part), guess)
  }

  private mutating func take(_ batch: RevisionReader.Batch, page: Int, guess: Int) {
    reads -= 1
    movingBytes -= guess
    let bytes = batch.bytes
    readyBytes += bytes
    bytesRead += bytes
    documentsRead += max(batch.documents.count, 1)
    for document in batch.documents { ready.append((page, document)) }
    close(page, opening: batch.documents.count)
  }

  /// What is to be written next: enough for a request, or all there is while nothing is coming.
  private mutating func nextWrite() -> (pages: [Int], [Document], bytes: Int)? {
    guard !ready.isEmpty,
      reads == 0 || ready.count >= options.batchSize
        || readyBytes >= ReplicationTuning.batchBytes || writes == 0
    else { return nil }
    var bytes = 0
    var count = 0
    while count < min(ready.count, options.batchSize), bytes < ReplicationTuning.batchBytes {
      bytes += ready[count].document.body.bytes.count
      count += 1
    }
    let part = ready.prefix(count)
    ready.removeFirst(count)
    let held = ready.isEmpty ? readyBytes : min(bytes, readyBytes)
    readyBytes -= held
    return (part.map(\.page), part.map(\.document), held)
  }

  /// Counts one piece of a page as done, and others as begun.
  private mutating func close(_ number: Int, opening: Int = 0) {
    guard let index = pages.firstIndex(where: { $0.number == number }) else { return }
    pages[index].open += opening - 1
  }
}
