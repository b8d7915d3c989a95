import ArgumentParser
import Core

/// `tote todo show`.
struct TodoShow: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "show everything about a todo")

  static let examples = [
    Example("tote todo show k7m", "one todo"),
    Example("tote todo show k7m --json", "the same for a script"),
  ]

  static let outputKeys = TodoRow.outputKeys
  static let exitCodes = ExitClass.documented(.invalidInput, .notFound, .inputOutput)
  static let seeAlso = ["tote todo list", "tote store history"]

  @OptionGroup var global: GlobalOptions
  @OptionGroup var place: TodoStoreOptions

  @Argument(help: ArgumentHelp("the todo's id", valueName: "ID"), completion: .todoIDs)
  var id: String

  func run(in context: Context) async throws {
    guard let todos = try await TodoSelection.open(place, context) else {
      throw TodoStore.Failure.unknown(id)
    }
    let document = try todos.store.resolve(id, in: todos.snapshot)
    let entry = try todos.store.entry(document, ids: todos.snapshot.ids)
    try context.emit(TodoRow(entry, context))
  }
}
