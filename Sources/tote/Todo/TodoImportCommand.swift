import ArgumentParser
import Core

/// `tote todo import`.
struct TodoImportCommand: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "read todos from a file",
    discussion: """
      The formats are todo.txt, iCalendar (VTODO) and JSON; without --format the name or the \
      beginning of the file tells. A todo whose id is known is updated, so importing a file twice \
      adds nothing. If something cannot be read, nothing is imported; --skip-bad imports the rest.
      """)

  static let examples = [
    Example("tote todo import todo.txt", "read a todo.txt file"),
    Example("tote todo import tasks.ics --dry-run", "what would come in"),
    Example("tote todo import - --format json", "read standard input"),
  ]

  static let outputKeys = [
    OutputKey("added", "integer", "todos that are new"),
    OutputKey("updated", "integer", "todos that were changed"),
    OutputKey("unchanged", "integer", "todos that were there already"),
    OutputKey("bad", "integer", "items that could not be read"),
    OutputKey("problems", "array of objects", "each with line, column and message"),
    OutputKey("dryRun", "boolean", "whether nothing was written"),
  ]
  static let exitCodes = ExitClass.documented(
    .failed, .usage, .invalidInput, .notFound, .inputOutput)
  static let seeAlso = ["tote todo export", "tote store import"]

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("the file's format", valueName: "FORMAT"))
  var format: TodoFormat?

  @Flag(name: .customLong("skip-bad"), help: "import what can be read, and tell what cannot")
  var skipsBad = false

  @Flag(name: .customLong("dry-run"), help: "write nothing; say what would be done")
  var isDryRun = false

  @OptionGroup var place: TodoStoreOptions

  @Argument(
    help: ArgumentHelp("the file; - or nothing reads standard input", valueName: "FILE"),
    completion: .file(extensions: ["txt", "ics", "json", "jsonl"]))
  var file: String?

  func run(in context: Context) async throws {
    let bytes = try read(context)
    let found = (format ?? .guess(path: file, content: bytes)).read(bytes, context)
    if !found.problems.isEmpty, !skipsBad { throw ImportFailure(problems: found.problems) }
    context.progress.update { "importing \(found.todos.count) todos" }
    let summary = TodoImportSummary(
      counts: try await write(found.todos, context), problems: found.problems, isDryRun: isDryRun)
    try context.emit(summary)
    guard found.problems.isEmpty else {
      throw CommandError(
        .failed, "partial",
        "\(found.problems.count) of \(found.problems.count + found.todos.count) "
          + "items could not be read")
    }
  }

  private func read(_ context: Context) throws -> [UInt8] {
    if let file, file != "-" { return try readFile(file) }
    if context.streams.input.isTerminal {
      try context.note("reading from the terminal, Ctrl-D ends")
    }
    return try context.streams.input.readAll()
  }

  private func write(
    _ todos: [ImportedTodo], _ context: Context
  ) async throws -> TodoStore.ImportCounts {
    let creates = !isDryRun && !todos.isEmpty
    guard let target = try await TodoSelection.open(place, context, creates: creates) else {
      var counts = TodoStore.ImportCounts()
      counts.added = todos.count
      return counts
    }
    let counts = try target.store.importTodos(
      todos, into: target.snapshot, now: context.now, zone: context.zone, isDryRun: isDryRun)
    try await target.commit()
    return counts
  }
}

/// What an import did.
struct TodoImportSummary: CommandResult {
  let counts: TodoStore.ImportCounts
  let problems: [ImportProblem]
  let isDryRun: Bool

  var json: JSON {
    [
      "added": .integer(Int64(counts.added)), "updated": .integer(Int64(counts.updated)),
      "unchanged": .integer(Int64(counts.unchanged)), "bad": .integer(Int64(problems.count)),
      "problems": .array(problems.map(\.json)), "dryRun": .bool(isDryRun),
    ]
  }

  func show(on screen: Screen) throws(OutputError) {
    try screen.line(
      (isDryRun ? "would be: " : "")
        + "\(counts.added) added, \(counts.updated) updated, \(counts.unchanged) unchanged"
        + (problems.isEmpty ? "" : ", \(problems.count) bad"))
    for problem in problems { try screen.data(problem.sentence) }
  }
}

extension ImportProblem {
  fileprivate var json: JSON {
    [
      "line": .integer(Int64(line)), "column": .integer(Int64(column)), "message": .string(message),
    ]
  }

  fileprivate var sentence: String { "line \(line), column \(column): \(message)" }
}

/// A file of which nothing was imported.
struct ImportFailure: UserFacing {
  let problems: [ImportProblem]

  var code: String { "invalid_input" }
  var exitClass: ExitClass { .invalidInput }
  var message: String {
    let shown = problems.prefix(5).map(\.sentence).joined(separator: "\n      ")
    let more = problems.count > 5 ? "\n      and \(problems.count - 5) more" : ""
    return "nothing was imported:\n      \(shown)\(more)"
  }
  var hint: String? { "correct the file, or import the rest with --skip-bad" }
  var details: [(String, JSON)] {
    [
      ("line", .integer(Int64(problems.first?.line ?? 0))),
      ("column", .integer(Int64(problems.first?.column ?? 0))),
      ("problems", .array(problems.map(\.json))),
    ]
  }
}
