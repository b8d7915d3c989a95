import Glibc

/// The reader's thread of an import: it reads, finds records, decodes them and fills batches.
final class ImportReader {
  let ring = BatchRing()
  let format: ImportFormat
  private let detection: FormatDetection
  private let options: ImportOptions
  private let place: ProblemPlace
  private let folder: String?
  private let maximumHistory: Int
  private var thread = pthread_t()

  /// Looks at the input's first bytes; nothing is running yet.
  init(
    _ source: any ByteSource, name: String, folder: String?, maximumHistory: Int,
    _ options: ImportOptions
  ) throws(TransferError) {
    detection = try FormatDetection(source, name: name)
    format = options.format ?? detection.format
    place = ProblemPlace(input: name)
    self.folder = folder
    self.maximumHistory = maximumHistory
    self.options = options
  }

  /// Starts the thread; ``finish()`` must be called once.
  func start() throws(TransferError) {
    let this = Unmanaged.passRetained(self)
    let code = pthread_create(&thread, nil, importReaderMain, this.toOpaque())
    guard code == 0 else {
      this.release()
      throw .io(path: place.input, operation: "start a thread for", code: code)
    }
  }

  /// Stops the thread if it is still running, and waits for its end.
  func finish() {
    ring.cancel()
    pthread_join(thread, nil)
  }

  fileprivate func run() {
    let length = options.maximumRecordLength
    switch format {
    case .jsonLines:
      run(LineReader(detection.source, place: place, maximumLength: length))
    case .json, .couchbackup:
      run(JSONStreamReader(detection.source, place: place, maximumLength: length))
    case .csv:
      run(
        CSVReader(
          detection.source, place: place, maximumLength: length, delimiter: detection.delimiter))
    }
  }

  private func run<Reader: RecordReader & ~Copyable>(_ reader: consuming Reader) {
    var reader = reader
    var decoder = RecordDecoder(
      options, format: format, place: place, folder: folder, maximumHistory: maximumHistory)
    do throws(TransferError) {
      var hasMore = true
      while hasMore, let slot = ring.takeFree() {
        hasMore = try Self.fill(&slot.batch, from: &reader, with: &decoder)
        ring.put(slot)
      }
      if options.requiresEndLine && !reader.isProvenComplete && !hasMore {
        throw .incomplete(input: place.input, detail: "it has no end line")
      }
      ring.finish(.success(reader.isProvenComplete))
    } catch {
      ring.finish(.failure(error))
    }
  }

  /// Fills one batch; the structs are passed `inout`, so that no access to a class's field, which
  /// would be checked for exclusivity, is left in the loop.
  ///
  /// - Returns: false when the input has ended.
  private static func fill<Reader: RecordReader & ~Copyable>(
    _ batch: inout ImportBatch, from reader: inout Reader, with decoder: inout RecordDecoder
  ) throws(TransferError) -> Bool {
    batch.reset()
    defer { batch.bytesRead = reader.bytesRead }
    while !batch.isFull {
      switch try reader.next() {
      case .record(let record): decoder.decode(record, into: &batch)
      case .problem(let problem): batch.add(problem)
      case .end: return false
      }
    }
    return true
  }
}

// The thread uses the fields only between `start` and `finish`; the others are constants.
extension ImportReader: @unchecked Sendable {}

private func importReaderMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  Unmanaged<ImportReader>.fromOpaque(argument).takeRetainedValue().run()
  return nil
}
