import ArgumentParser
import Core

/// `tote todo export`.
struct TodoExportCommand: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "write todos to a file",
    discussion: """
      All todos are written, done ones too; --open leaves those out. The formats are todo.txt, \
      iCalendar (VTODO) and JSON; without --format the file's name tells. A file appears complete \
      or not at all.
      """)

  static let examples = [
    Example("tote todo export todo.txt", "write a todo.txt file"),
    Example("tote todo export --format ical > tasks.ics", "write to standard output"),
    Example("tote todo export backup.json", "everything, as documents"),
  ]

  static let outputKeys = [
    OutputKey("file", "string", "the file that was written"),
    OutputKey("format", "string", "todotxt, json or ical"),
    OutputKey("count", "integer", "the todos in it"),
  ]
  static let exitCodes = ExitClass.documented(.usage, .cannotCreate, .inputOutput)
  static let seeAlso = ["tote todo import", "tote store export"]

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("the file's format", valueName: "FORMAT"))
  var format: TodoFormat?

  @Flag(name: .customLong("open"), help: "leave out what is done") var isOpenOnly = false
  @OptionGroup var place: TodoStoreOptions

  @Argument(
    help: ArgumentHelp("the file; - or nothing writes to standard output", valueName: "FILE"),
    completion: .file(extensions: ["txt", "ics", "json"]))
  var file: String?

  mutating func validate() throws {
    if (file == nil || file == "-"), global.json || global.jsonLines, format != nil, format != .json
    {
      throw ValidationError("'--json' on standard output needs '--format json'")
    }
  }

  func run(in context: Context) async throws {
    let todos = try await TodoSelection.open(place, context)
    let records = (todos?.snapshot.entries ?? []).map(\.record)
      .filter { !isOpenOnly || !$0.item.isDone }
    guard let file, file != "-" else { return try toStandardOutput(records, context) }
    let format = self.format ?? .guess(path: file)
    let export = format.write(records, context)
    for loss in export.losses { try context.warn("lossy", loss) }
    let output = try OutputFile(path: file)
    try output.write(export.text.utf8)
    try output.commit()
    try context.emit(TodoExportSummary(file: file, format: format, count: records.count))
  }

  private func toStandardOutput(_ records: [TodoRecord], _ context: Context) throws {
    if context.mode == .jsonLines {
      return try context.emit(rows: records.map { TodoOutcome(json: TodoJSON().document($0)) })
    }
    let format = context.mode == .json ? TodoFormat.json : self.format ?? .todotxt
    let export = format.write(records, context)
    for loss in export.losses { try context.warn("lossy", loss) }
    try context.streams.output.write(export.text)
  }
}

/// What an export wrote.
struct TodoExportSummary: CommandResult {
  let file: String
  let format: TodoFormat
  let count: Int

  var json: JSON {
    [
      "file": .string(file), "format": .string(format.rawValue), "count": .integer(Int64(count)),
    ]
  }

  func show(on screen: Screen) throws(OutputError) {
    try screen.data("\(count) todos written to \(file)")
  }
}
