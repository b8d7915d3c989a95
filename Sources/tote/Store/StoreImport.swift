import ArgumentParser
import Core
import Glibc
import Sync

/// `tote store import`.
struct StoreImport: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "read many documents from a file",
    discussion: """
      Reads JSON Lines, a JSON array, what CouchDB answers, CSV and couchbackup files, also \
      compressed by gzip, and finds out which it is. Without FILE, or with '-', it reads standard \
      input.

      A record keeps its '_id'; '--id' names the member that becomes the id of the others, and the \
      rest get new ids. Bad records are reported with their line and column and the others are \
      imported; the status is then 1. A file that 'tote store export' wrote is checked for \
      completeness.

      Into an empty store an import is done as a whole or not at all. Elsewhere one that is \
      interrupted leaves what it had done, and can be run again.
      """)

  static let examples = [
    Example("tote store import notes notes.jsonl", "from a file"),
    Example("curl -s https://example.org/people.csv | tote store import people --id email"),
    Example("tote store import notes new.json --on-conflict update", "change what is there"),
    Example("tote store import notes new.json --dry-run", "look first"),
  ]

  static let outputKeys = ImportResult.outputKeys
  static let exitCodes = ExitClass.documented(
    .failed, .invalidInput, .notFound, .cannotCreate, .inputOutput)
  static let seeAlso = ["tote store export", "tote store put"]

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("the form of the input; found out by default", valueName: "F"))
  var format: ImportFormat?

  @Option(
    help: ArgumentHelp("the member that becomes the id where '_id' is missing", valueName: "FIELD"),
    completion: .fields)
  var id: String?

  @Option(
    help: ArgumentHelp("set '@datatype' where it is missing", valueName: "T"),
    completion: .datatypes)
  var type: String?

  @Option(help: ArgumentHelp("what to do when a document exists", valueName: "RULE"))
  var onConflict: ImportOptions.ConflictRule = .skip

  @Flag(help: "fail unless the input ends with the trailer of an export")
  var requireTrailer = false

  @Flag(help: "tell what would be imported, and change nothing")
  var dryRun = false

  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(
    help: ArgumentHelp("the file to read; '-' is standard input", valueName: "FILE"),
    completion: .file())
  var file: String = "-"

  func run(in context: Context) async throws {
    let summary: ImportSummary
    let target = try context.anyStore(store)
    if let local = target as? LocalStore {
      summary = try read(into: local, context, rule: onConflict, isDryRun: dryRun)
    } else {
      summary = try await upload(to: target, context)
    }
    context.progress.clear()
    try context.emit(ImportResult(summary: summary, isDryRun: dryRun))
    if context.mode == .human { try report(summary, context) }
    guard summary.failed > 0 else { return }
    let isAll = summary.failed == summary.read
    throw CommandError(
      isAll ? .invalidInput : .failed, isAll ? "invalid_input" : "partial",
      "\(summary.failed) of \(counted(summary.read, "record")) could not be imported",
      details: [("failed", .integer(Int64(summary.failed)))])
  }

  /// Reads the input into a scratch store, whose documents are then sent.
  private func upload(
    to target: any DocumentStore, _ context: Context
  ) async throws -> ImportSummary {
    try await context.withScratchStore { scratch in
      // The rule is about the database; of one document's records in the input the last counts.
      var summary = try read(into: scratch, context, rule: .update, isDryRun: false)
      let upload = DocumentUpload(from: scratch, to: target, onConflict: onConflict)
      let sent = try await upload.run(isDryRun: dryRun) { sent in
        try Task.checkCancellation()
        context.progress.update {
          "sending: \(grouped(sent.inserted + sent.updated + sent.skipped)) documents"
        }
      }
      context.progress.clear()
      for failure in sent.failures {
        try tell("document '\(failure.id)' was refused: \(failure.reason)", context)
      }
      (summary.inserted, summary.updated) = (sent.inserted, sent.updated)
      summary.skipped = sent.skipped
      summary.failed += sent.failures.count
      return summary
    }
  }

  private func read(
    into store: LocalStore, _ context: Context, rule: ImportOptions.ConflictRule, isDryRun: Bool
  ) throws -> ImportSummary {
    func options(size: Int?) -> ImportOptions {
      var options = self.options(context, size: size)
      options.onConflict = rule
      options.isDryRun = isDryRun
      return options
    }
    guard file != "-" else {
      let input = context.streams.input
      if input.isTerminal { try context.note("reading from the terminal, Ctrl-D ends") }
      return try Importer(into: store, options: options(size: nil))
        .run(descriptor: input.fileDescriptor, name: "-")
    }
    let input = try InputFile(path: file)
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? "."
    return try Importer(into: store, options: options(size: input.size))
      .run(descriptor: input.fileDescriptor, name: file, folder: folder)
  }

  private func options(_ context: Context, size: Int?) -> ImportOptions {
    var options = ImportOptions()
    options.format = format
    options.idMember = id
    options.datatype = type
    options.requiresEndLine = requireTrailer
    options.progress = { summary in
      try Task.checkCancellation()
      context.progress.update {
        let share = size.map { Double(summary.bytes) / Double(max($0, 1)) }
        return "\(progressBar(share, context)) \(grouped(summary.read)) records read"
      }
    }
    return options
  }

  /// Tells the bad records as compilers do, so that editors can jump to them.
  private func report(_ summary: ImportSummary, _ context: Context) throws {
    for problem in summary.problems { try tell(problem.message, context) }
    let untold = summary.failed - summary.problems.count
    if untold > 0 { try tell("and \(counted(untold, "more bad record"))", context) }
  }

  private func tell(_ text: String, _ context: Context) throws {
    let isTerminal = context.streams.errorTraits.isTerminal
    try context.streams.error.writeLine(
      "tote: " + (isTerminal ? Sanitizer.terminalSafe(text) : text))
  }
}

/// What an import did.
struct ImportResult: CommandResult {
  let summary: ImportSummary
  let isDryRun: Bool

  static let outputKeys = [
    OutputKey("ok", "boolean", "whether every record could be imported"),
    OutputKey("format", "string", "the form that was read"),
    OutputKey("read", "integer", "records read"),
    OutputKey("inserted", "integer", "new documents"),
    OutputKey("updated", "integer", "documents that got a new revision"),
    OutputKey("skipped", "integer", "records that changed nothing"),
    OutputKey("failed", "integer", "records that could not be imported"),
    OutputKey("bytes", "integer", "bytes read, before decompression"),
    OutputKey("seconds", "number", "time taken, in seconds"),
    OutputKey("complete", "boolean", "whether a trailer proved the input complete"),
    OutputKey("dryRun", "boolean", "whether nothing was changed"),
    OutputKey("problems", "array of objects", "the first bad records"),
    OutputKey("problems.input", "string", "the file"),
    OutputKey("problems.line", "integer", "the line, from 1"),
    OutputKey("problems.column", "integer", "the column, from 1"),
    OutputKey("problems.reason", "string", "what is wrong"),
  ]

  var json: JSON {
    let problems = summary.problems.map { problem in
      [
        "input": .string(problem.input), "line": .integer(Int64(problem.line)),
        "column": .integer(Int64(problem.column)), "reason": .string(problem.reason),
      ] as JSON
    }
    return [
      "ok": .bool(summary.failed == 0), "format": .string(summary.format.rawValue),
      "read": .integer(Int64(summary.read)), "inserted": .integer(Int64(summary.inserted)),
      "updated": .integer(Int64(summary.updated)), "skipped": .integer(Int64(summary.skipped)),
      "failed": .integer(Int64(summary.failed)), "bytes": .integer(Int64(summary.bytes)),
      "seconds": .double((summary.seconds * 1000).rounded() / 1000),
      "complete": .bool(summary.isProvenComplete), "dryRun": .bool(isDryRun),
      "problems": .array(problems),
    ]
  }

  func show(on screen: Screen) throws(OutputError) {
    let counts = [
      ("inserted", summary.inserted), ("updated", summary.updated), ("skipped", summary.skipped),
      ("failed", summary.failed),
    ]
    guard screen.isTerminal else {
      return try screen.pairs(([("read", summary.read)] + counts).map { ($0.0, String($0.1)) })
    }
    let told = counts.filter { $0.1 > 0 }.map { "\(grouped($0.1)) \($0.0)" }
    let rate = summary.seconds > 0 ? Int(Double(summary.read) / summary.seconds) : 0
    let speed = summary.read >= 1_000 ? " (\(grouped(rate)) records a second)" : ""
    try screen.line(
      (isDryRun ? "would be: " : "")
        + (told.isEmpty ? "nothing to import" : told.joined(separator: ", "))
        + speed)
  }
}
