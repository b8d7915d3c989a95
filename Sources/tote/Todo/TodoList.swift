import ArgumentParser
import Core

/// `tote todo list`, also what `tote todo` alone does.
struct TodoList: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "list todos",
    discussion: """
      Without options the open todos are listed: the most urgent first, then the earliest due, then \
      the oldest. '!' marks high priority, '·' medium, 'x' done.

      Where standard output is not a terminal the columns are separated by tabs and nothing is cut.
      """, aliases: ["ls"])

  static let examples = [
    Example("tote todo", "what is to be done"),
    Example("tote todo list --due-before tomorrow --priority high", "what is urgent today"),
    Example("tote todo list --all --where 'name CONTAINS[c] \"milk\"'", "search in all"),
    Example("tote todo list --done --sort completed:desc --json", "what was done last, as JSON"),
  ]

  static let outputKeys = TodoRow.outputKeys
  static let exitCodes = ExitClass.documented(.usage, .invalidInput, .inputOutput, .configuration)
  static let seeAlso = ["tote todo add", "tote store find"]

  @OptionGroup var global: GlobalOptions

  @Flag(help: "list open and done todos") var all = false
  @Flag(help: "list done todos only") var done = false

  @Option(help: ArgumentHelp("only todos of this priority", valueName: "PRIORITY"))
  var priority: PriorityChoice?

  @Option(
    name: .customLong("tag"),
    help: ArgumentHelp("only todos with this tag; repeated, with all of them", valueName: "TAG"),
    completion: .todoTags)
  var tags: [String] = []

  @Option(
    help: ArgumentHelp("only todos of this project and those below it", valueName: "PROJECT"),
    completion: .todoProjects)
  var project: String?

  @Option(
    help: ArgumentHelp("only todos due before this, see 'tote help dates'", valueName: "WHEN"),
    completion: .list(["today", "tomorrow", "eow", "eom", "+1w"]))
  var dueBefore: String?

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("only todos a predicate finds", valueName: "PREDICATE"))
  var predicate: String?

  @Option(
    help: ArgumentHelp(
      "sort by fields: name, priority, due, created, completed, project or done",
      valueName: "F[:desc],…"),
    completion: .list(TodoSort.Field.allCases.map(\.rawValue)))
  var sort: String?

  @OptionGroup var place: TodoStoreOptions

  mutating func validate() throws {
    if all && done { throw ValidationError.exclusive("--all", "--done") }
  }

  func run(in context: Context) async throws {
    let filter = try filter(context)
    let order = try sort.map(order)
    let todos = try await TodoSelection.open(place, context)
    var entries =
      try predicate.map { try todos?.entries(where: $0) ?? [] }
      ?? todos?.snapshot.entries ?? []
    entries = entries.filter { filter.matches($0.record.item) }
    if let order { entries.sort { order.isBefore($0.record, $1.record) } }
    try context.emit(rows: entries.map { TodoRow($0, context) })
    if entries.isEmpty, context.streams.outputTraits.isTerminal {
      try context.note("nothing to do; add something with 'tote todo add TEXT'")
    }
  }

  private func order(_ text: String) throws(CommandError) -> TodoSort {
    do {
      return try TodoSort(text)
    } catch {
      throw CommandError.usage(
        "'--sort' cannot have '\(error.part)'",
        hint: "sort by \(TodoSort.Field.allCases.map(\.rawValue).joined(separator: ", "))")
    }
  }

  private func filter(_ context: Context) throws -> TodoFilter {
    var limit: DueDate?
    if let dueBefore {
      guard case .due(let due) = try context.whenParser.parse(dueBefore) else {
        throw CommandError.usage("'--due-before' needs a date")
      }
      limit = due
    }
    return TodoFilter(
      state: done ? .done : all ? .all : .open, priority: priority?.value, tags: tags,
      project: project,
      dueBefore: limit, zone: context.zone)
  }
}
