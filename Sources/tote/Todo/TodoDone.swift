import ArgumentParser
import Core

/// `tote todo done`.
struct TodoDone: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "done", abstract: "mark todos as done",
    discussion:
      "A done todo stays in the store until 'tote todo purge' or 'tote todo rm' removes it.")

  static let examples = [
    Example("tote todo done k7m", "one todo is done"),
    Example("tote todo list --project trip | cut -f 1 | tote todo done -", "a whole project"),
    Example("tote todo done --where 'tags CONTAINS \"shop\"'", "all with a tag"),
  ]

  static let outputKeys = TodoRow.outputKeys
  static let exitCodes = ExitClass.documented(
    .failed, .usage, .invalidInput, .notFound, .inputOutput)
  static let seeAlso = ["tote todo undo", "tote todo purge"]

  @OptionGroup var global: GlobalOptions
  @OptionGroup var targets: TodoTargets
  @OptionGroup var place: TodoStoreOptions

  func run(in context: Context) async throws {
    let moment = DueDate.instant(context.now.wholeSeconds)
    try await targets.forEach(
      place, context, question: { _ in nil },
      { id, todos in
        try todos.store.update(id, ids: todos.snapshot.ids) { item in
          if !item.isDone { item.markDone(at: moment) }
        }
      }, note: { "done: \($0.record.item.name) (\($0.shortID))" })
  }
}
