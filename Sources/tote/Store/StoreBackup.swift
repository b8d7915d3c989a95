import ArgumentParser
import Core

/// `tote store backup`.
struct StoreBackup: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "write a complete copy of a store to a file",
    discussion: """
      The copy holds all documents, revisions, attachments and indexes as they are at one moment, \
      while other processes go on writing. It is a tar archive that ends with a checksum, so that \
      'tote store restore' can tell whether it is complete. '-' writes it to standard output.
      """)

  static let examples = [
    Example("tote store backup notes notes.tar", "into a file"),
    Example("tote store backup notes - | ssh nas 'cat > notes.tar'", "to another machine"),
  ]

  static let outputKeys = TransferReport.outputKeys
  static let exitCodes = ExitClass.documented(.usage, .notFound, .cannotCreate, .inputOutput)
  static let seeAlso = ["tote store restore", "tote store export"]

  @OptionGroup var global: GlobalOptions

  @Flag(help: "replace the file if there is one")
  var overwrite = false

  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(
    help: ArgumentHelp("the file to write; '-' is standard output", valueName: "FILE"),
    completion: .file(extensions: ["tar"]))
  var file: String

  func validate() throws {
    if file == "-" && (global.json || global.jsonLines) {
      throw ValidationError(
        "standard output cannot hold both the backup and JSON: give a file's name")
    }
  }

  func run(in context: Context) async throws {
    let store = try context.store(store)
    guard file != "-" else {
      guard !context.streams.outputTraits.isTerminal else {
        throw CommandError.usage(
          "a backup would upset the terminal", hint: "give a file's name, or a pipe")
      }
      _ = try store.backup(
        to: { try context.streams.output.write($0) }, progress: progress(context))
      return context.progress.clear()
    }
    let output = try OutputFile.new(file, mode: 0o600, overwrite: overwrite)
    let report = try store.backup(to: { try output.write($0) }, progress: progress(context))
    try output.commit()
    context.progress.clear()
    if context.mode != .human {
      try context.emit(TransferReport(store: store.name, file: file, report: report))
    }
    try context.note(
      "wrote '\(file)': \(counted(report.documents, "document")), "
        + "\(counted(report.blobs, "attachment")), "
        + humanSize(report.bytes))
  }

  private func progress(_ context: Context) -> (Int, Int) -> Void {
    { done, total in context.progress.update { "copied \(done) of \(total) attachments" } }
  }
}

/// What a backup or a restore copied.
struct TransferReport: CommandResult {
  let store: String
  let file: String
  let report: BackupReport

  static let outputKeys = [
    OutputKey("ok", "boolean", "true"),
    OutputKey("store", "string", "the store read or made"),
    OutputKey("file", "string", "the backup"),
    OutputKey("documents", "integer", "documents, deleted ones included"),
    OutputKey("attachments", "integer", "attachment files"),
    OutputKey("bytes", "integer", "bytes of the backup"),
  ]

  var json: JSON {
    [
      "ok": true, "store": .string(store), "file": .string(file),
      "documents": .integer(Int64(report.documents)),
      "attachments": .integer(Int64(report.blobs)), "bytes": .integer(Int64(report.bytes)),
    ]
  }

  func show(on screen: Screen) throws(OutputError) {}
}
