import ArgumentParser
import Core

/// `tote todo add`.
struct TodoAdd: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "add a todo",
    discussion: """
      The words are joined by single spaces and are never searched for dates, tags or priorities; \
      those are given by options. Put '--' before text that starts with '-'.

      The new todo's short id is printed on standard output.
      """)

  static let examples = [
    Example("tote todo add Buy milk", "add a todo"),
    Example("tote todo add \"Call Ann\" --due \"fri 17:00\" --priority high", "add an urgent one"),
    Example("tote todo add --tag shop --project house -- -5% coupon", "text that starts with -"),
  ]

  static let outputKeys = TodoRow.outputKeys
  static let exitCodes = ExitClass.documented(.usage, .invalidInput, .inputOutput, .configuration)
  static let seeAlso = ["tote todo edit", "tote todo list"]

  @OptionGroup var global: GlobalOptions
  @OptionGroup var fields: TodoFieldOptions
  @OptionGroup var place: TodoStoreOptions

  @Argument(help: ArgumentHelp("what is to be done", valueName: "TEXT"))
  var text: [String]

  mutating func validate() throws {
    if text.allSatisfy(\.isEmpty) { throw ValidationError("the text of a todo cannot be empty") }
  }

  func run(in context: Context) async throws {
    let when = try fields.when(context)
    var item = TodoItem(name: text.joined(separator: " "))
    fields.apply(to: &item, when: when, zone: context.zoneName)
    item.created = .instant(context.now.wholeSeconds)
    guard let todos = try await TodoSelection.open(place, context, creates: true) else { return }
    let entry = try todos.store.add(item, ids: todos.snapshot.ids)
    try await todos.commit()
    let row = TodoRow(entry, context)
    guard context.mode == .human else { return try context.emit(row) }
    try context.streams.output.writeLine(entry.shortID)
    let due = item.due.map { ", due \(context.screen.dates.full($0))" } ?? ""
    try context.note("added '\(item.name)'\(due)")
  }
}
