import ArgumentParser
import Core

/// `tote store compact`.
struct StoreCompact: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "free the space of old revisions",
    discussion: """
      Removes the text of revisions that were replaced, and attachments that no document names any \
      more, and shrinks the file. Names of revisions stay, and so does what open conflicts need. Other \
      processes may go on using the store.
      """)

  static let examples = [
    Example("tote store compact notes", "free what is not needed"),
    Example("tote store compact notes --json", "and tell a script how much it was"),
  ]

  static let outputKeys = [
    OutputKey("ok", "boolean", "true"),
    OutputKey("revisions", "integer", "texts of old revisions removed"),
    OutputKey("attachments", "integer", "attachment files removed"),
    OutputKey("attachment_bytes", "integer", "their bytes"),
    OutputKey("size_before", "integer", "bytes of the database file before"),
    OutputKey("size_after", "integer", "bytes of the database file now"),
  ]

  static let exitCodes = ExitClass.documented(.notFound, .inputOutput, .conflict)
  static let seeAlso = ["tote store verify", "tote store history"]

  @OptionGroup var global: GlobalOptions

  @Argument(help: .store, completion: .storeNames)
  var store: String

  func run(in context: Context) async throws {
    let report = try context.store(store).compact()
    try context.emit(CompactResult(report: report))
    if report.skippedBlobs {
      try context.warn("busy", "attachments were left alone: another process is writing one")
    }
    if report.skippedVacuum {
      try context.warn("busy", "the file was not shrunk: another process is using the store")
    }
  }
}

/// What a compaction freed.
struct CompactResult: CommandResult {
  let report: CompactionReport

  var json: JSON {
    [
      "ok": true, "revisions": .integer(Int64(report.revisions)),
      "attachments": .integer(Int64(report.blobs)),
      "attachment_bytes": .integer(Int64(report.blobBytes)),
      "size_before": .integer(Int64(report.sizeBefore)),
      "size_after": .integer(Int64(report.sizeAfter)),
    ]
  }

  func show(on screen: Screen) throws(OutputError) {
    func size(_ bytes: Int) -> String { screen.isTerminal ? humanSize(bytes) : String(bytes) }
    try screen.pairs([
      ("old revisions removed", String(report.revisions)),
      ("attachments removed", String(report.blobs)),
      ("attachment bytes", size(report.blobBytes)),
      ("size before", size(report.sizeBefore)), ("size now", size(report.sizeAfter)),
    ])
  }
}
