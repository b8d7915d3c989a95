import ArgumentParser
import Core

/// `tote store restore`.
struct StoreRestore: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "make a store from a backup",
    discussion: """
      The store appears only when the whole backup was read and its checksum fits. It must not exist \
      yet: restore under another name, look at it, and delete the damaged one. '-' reads the backup \
      from standard input.
      """)

  static let examples = [
    Example("tote store restore notes.tar notes", "make 'notes' again"),
    Example("ssh nas 'cat notes.tar' | tote store restore - notes-copy", "from another machine"),
  ]

  static let outputKeys = TransferReport.outputKeys
  static let exitCodes = ExitClass.documented(
    .invalidInput, .notFound, .cannotCreate, .inputOutput, .notPermitted)
  static let seeAlso = ["tote store backup", "tote store verify"]

  @OptionGroup var global: GlobalOptions

  @Argument(
    help: ArgumentHelp("the backup; '-' is standard input", valueName: "FILE"),
    completion: .file(extensions: ["tar"]))
  var file: String

  @Argument(help: ArgumentHelp("the new store's name", valueName: "NAME"))
  var name: String

  func run(in context: Context) async throws {
    let stores = try context.stores()
    let report: BackupReport
    if file == "-" {
      report = try stores.restore(
        name, from: "standard input", input: { try context.streams.input.read(into: $0) },
        progress: progress(context))
    } else {
      let input = try InputFile(path: file)
      report = try stores.restore(
        name, from: file, input: { try input.read(into: $0) }, progress: progress(context))
    }
    context.progress.clear()
    if context.mode != .human {
      try context.emit(TransferReport(store: name, file: file, report: report))
    }
    try context.note(
      "restored '\(name)': \(counted(report.documents, "document")), "
        + "\(counted(report.blobs, "attachment"))")
  }

  private func progress(_ context: Context) -> (Int) -> Void {
    { bytes in context.progress.update { "read \(humanSize(bytes))" } }
  }
}
