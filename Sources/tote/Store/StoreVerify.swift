import ArgumentParser
import Core

/// `tote store verify`.
struct StoreVerify: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "check a store for damage",
    discussion: """
      Checks the file, every document, revision, attachment and index, and lists what is wrong. A \
      damaged store is status 74. Other processes may go on using the store.
      """)

  static let examples = [
    Example("tote store verify notes", "check everything"),
    Example("tote store verify notes --json", "the report for a script"),
  ]

  static let outputKeys = [
    OutputKey("ok", "boolean", "whether nothing is wrong"),
    OutputKey("documents", "integer", "documents checked, deleted ones included"),
    OutputKey("revisions", "integer", "revisions whose text was checked"),
    OutputKey("proven", "integer", "documents whose revision proves their text"),
    OutputKey("attachments", "integer", "attachments of revisions"),
    OutputKey("attachment_files", "integer", "attachment files read"),
    OutputKey(
      "unnamed_files", "integer", "attachment files that nothing names; 'compact' removes them"),
    OutputKey("index_entries", "integer", "index entries checked"),
    OutputKey("problems", "array of objects", "what is wrong"),
    OutputKey("problems.kind", "string", "'file', 'document', 'revision', 'attachment' or 'index'"),
    OutputKey("problems.id", "string or null", "the document concerned"),
    OutputKey("problems.reason", "string", "what is wrong with it"),
  ]

  static let exitCodes = ExitClass.documented(.notFound, .inputOutput)
  static let seeAlso = ["tote store backup", "tote store compact"]

  @OptionGroup var global: GlobalOptions

  @Argument(help: .store, completion: .storeNames)
  var store: String

  func run(in context: Context) async throws {
    let report = try context.store(store).verify { done, total in
      context.progress.update { "checked \(done) of \(total)" }
    }
    context.progress.clear()
    try context.emit(VerifyResult(report: report))
    guard report.isSound else {
      let count = report.problems.count
      throw CommandError(
        .inputOutput, "io",
        "store '\(store)' is damaged: \(counted(count, "problem")) found",
        hint: "restore a backup with 'tote store restore FILE NAME', or export what can be read",
        details: [("store", .string(store)), ("problems", .integer(Int64(count)))])
    }
    try context.note("store '\(store)' is sound")
  }
}

/// What a check looked at and found.
struct VerifyResult: CommandResult {
  let report: VerificationReport

  var json: JSON {
    let problems = report.problems.map { problem in
      [
        "kind": .string(problem.kind.rawValue),
        "id": problem.document.map { .string($0) } ?? .null, "reason": .string(problem.detail),
      ] as JSON
    }
    return [
      "ok": .bool(report.isSound), "documents": .integer(Int64(report.documents)),
      "revisions": .integer(Int64(report.revisions)), "proven": .integer(Int64(report.proven)),
      "attachments": .integer(Int64(report.attachments)),
      "attachment_files": .integer(Int64(report.blobs)),
      "unnamed_files": .integer(Int64(report.unnamedBlobs)),
      "index_entries": .integer(Int64(report.indexEntries)), "problems": .array(problems),
    ]
  }

  func show(on screen: Screen) throws(OutputError) {
    try screen.pairs([
      ("documents", String(report.documents)), ("revisions", String(report.revisions)),
      ("attachments", String(report.attachments)),
      ("attachment files", String(report.blobs)),
      ("unnamed files", String(report.unnamedBlobs)),
      ("index entries", String(report.indexEntries)), ("problems", String(report.problems.count)),
    ])
    guard !report.isSound else { return }
    try screen.table(
      [Column("DAMAGED", .identifier), Column("DOCUMENT", .identifier), Column("WHAT IS WRONG")],
      report.problems.map { problem in
        [
          Cell(problem.kind.rawValue, look: .red), Cell(problem.document ?? ""),
          Cell(problem.detail),
        ]
      })
  }
}
