import ArgumentParser
import Core
import Glibc

/// `tote store export`.
struct StoreExport: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "write all documents to a file",
    discussion: """
      Writes the documents as they are at one moment, while other processes go on. Without FILE, or \
      with '-', they go to standard output.

      A file of JSON Lines ends with a trailer, by which 'tote store import' knows that it is \
      complete; in a pipe there is one with '--trailer'. Attachments stand in the documents, or with \
      '--attachments dir' in a folder beside the file. With '--all-revisions' an import restores \
      conflicts and histories too.
      """)

  static let examples = [
    Example("tote store export notes notes.jsonl", "into a file"),
    Example("tote store export notes --format csv | less", "into a pipe"),
    Example("tote store export notes notes.jsonl.gz --gzip --all-revisions", "everything"),
  ]

  static let outputKeys = [
    OutputKey("ok", "boolean", "true"),
    OutputKey("file", "string", "the file written"),
    OutputKey("records", "integer", "documents, or revisions, written"),
    OutputKey("attachments", "integer", "attachments written"),
    OutputKey("bytes", "integer", "bytes written, after compression"),
    OutputKey("seconds", "number", "time taken, in seconds"),
  ]

  static let exitCodes = ExitClass.documented(.usage, .notFound, .cannotCreate, .inputOutput)
  static let seeAlso = ["tote store import", "tote store backup"]

  /// What becomes of attachments.
  enum AttachmentForm: String, ExpressibleByArgument, CaseIterable, Sendable {
    case inline, dir, none
  }

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("the form of the output", valueName: "F"))
  var format: ExportFormat = .jsonLines

  @Flag(help: "write old and conflicting revisions and deletions too")
  var allRevisions = false

  @Option(help: ArgumentHelp("what becomes of attachments", valueName: "A"))
  var attachments: AttachmentForm = .inline

  @Flag(help: "compress the output")
  var gzip = false

  @Flag(help: "end with a trailer in a pipe too")
  var trailer = false

  @Flag(help: "replace the file if there is one")
  var overwrite = false

  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(
    help: ArgumentHelp("the file to write; '-' is standard output", valueName: "FILE"),
    completion: .file())
  var file: String = "-"

  func validate() throws {
    if allRevisions && format == .csv {
      throw ValidationError(
        "'--all-revisions' does not go with '--format csv': it has no place for them")
    }
    if trailer && format != .jsonLines {
      throw ValidationError("'--trailer' goes with '--format jsonl' only")
    }
    guard file == "-" else { return }
    if attachments == .dir {
      throw ValidationError("'--attachments dir' needs FILE: the folder lies beside it")
    }
    if global.json || global.jsonLines {
      throw ValidationError(
        "standard output cannot hold both the documents and a JSON report: give FILE, or "
          + "'--format json' for documents as JSON")
    }
  }

  func run(in context: Context) async throws {
    if gzip, file == "-", context.streams.outputTraits.isTerminal {
      throw CommandError.usage(
        "compressed output would upset the terminal", hint: "give a file's name, or a pipe")
    }
    try await context.withLocalCopy(of: store) { try export($0, context) }
  }

  private func export(_ store: LocalStore, _ context: Context) throws {
    let total = try store.info().documentCount
    let exporter = Exporter(from: store, options: options(context, total: total))
    guard file != "-" else {
      try context.streams.output.flush()
      return try throughPipe { _ = try exporter.run(descriptor: STDOUT_FILENO, name: "output") }
    }
    let output = try OutputFile.new(file, overwrite: overwrite)
    let summary = try exporter.run(descriptor: output.fileDescriptor, name: file)
    try output.commit()
    context.progress.clear()
    if context.mode != .human { try context.emit(json: json(summary)) }
    try context.note(
      "wrote '\(file)': \(counted(summary.records, "record")), \(humanSize(summary.bytes))")
  }

  /// A reader who has enough is no failure.
  private func throughPipe(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch TransferError.io(_, _, let code) {
      throw code == EPIPE ? OutputError.closed : OutputError.failed(errno: code)
    }
  }

  private func options(_ context: Context, total: Int) -> ExportOptions {
    var options = ExportOptions()
    options.format = format
    options.allRevisions = allRevisions
    options.gzip = gzip
    options.endLine = format == .jsonLines && (trailer || file != "-")
    let folder = file + ".attachments"
    switch attachments {
    case .inline: options.attachments = .inline
    case .none: options.attachments = .none
    case .dir:
      let name = folder.split(separator: "/").last.map(String.init) ?? folder
      options.attachments = .folder(path: folder, name: name)
    }
    options.progress = { summary in
      try Task.checkCancellation()
      context.progress.update {
        let share = allRevisions ? nil : Double(summary.records) / Double(max(total, 1))
        return "\(progressBar(share, context)) \(grouped(summary.records)) records written"
      }
    }
    return options
  }

  private func json(_ summary: ExportSummary) -> JSON {
    [
      "ok": true, "file": .string(file), "records": .integer(Int64(summary.records)),
      "attachments": .integer(Int64(summary.attachments)), "bytes": .integer(Int64(summary.bytes)),
      "seconds": .double((summary.seconds * 1000).rounded() / 1000),
    ]
  }
}
