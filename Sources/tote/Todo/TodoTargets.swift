import ArgumentParser
import Core

/// The todos that `done`, `undo` and `rm` work on: ids, ids on standard input, or a predicate.
struct TodoTargets: ParsableArguments, Sendable {
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("the todos a predicate finds", valueName: "PREDICATE"))
  var predicate: String?

  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "with '-', ids are ended by NUL instead of a line feed")
  var isNullSeparated = false

  @Flag(name: .customLong("dry-run"), help: "change nothing; say what would be changed")
  var isDryRun = false

  @Argument(
    help: ArgumentHelp("ids of todos, or - to read them from standard input", valueName: "ID"),
    completion: .todoIDs)
  var operands: [String] = []

  init() {}

  mutating func validate() throws {
    if predicate == nil && operands.isEmpty {
      throw ValidationError("give the id of a todo, '-' or '--where PREDICATE'")
    }
    if predicate != nil && !operands.isEmpty {
      throw ValidationError("ids and '--where' cannot be used together")
    }
  }

  /// The ids meant, as typed, or as found by the predicate.
  func inputs(in todos: TodoSelection?, _ context: Context) throws -> [String] {
    if let predicate { return try todos?.entries(where: predicate).map(\.record.id) ?? [] }
    return try TodoOperands(operands, isNullSeparated: isNullSeparated, context).ids
  }

  /// Works on each todo meant; what fails is told, the rest goes on.
  ///
  /// - Parameters:
  ///   - place: names the store.
  ///   - context: the world.
  ///   - question: what to ask before that many are changed, or `nil` to ask nothing.
  ///   - change: changes the todo with a document id.
  ///   - note: what to tell a person of each.
  /// - Throws: the failure, when there was one.
  func forEach(
    _ place: TodoStoreOptions, _ context: Context, question: (Int) -> String?,
    _ change: (String, TodoSelection) throws -> TodoEntry, note: (TodoEntry) -> String
  ) async throws {
    let todos = try await TodoSelection.open(place, context)
    let inputs = try inputs(in: todos, context)
    if !isDryRun, let question = question(inputs.count) {
      guard try context.prompt.confirm(question) else {
        throw CommandError(.failed, "cancelled", "nothing was changed")
      }
    }
    try context.changeTodos(
      inputs,
      { input in
        guard let todos else { throw TodoStore.Failure.unknown(input) }
        let id = try todos.store.resolve(input, in: todos.snapshot)
        guard isDryRun else { return try change(id, todos) }
        return try todos.store.entry(id, ids: todos.snapshot.ids)
      }, note: { isDryRun ? "would change: \($0.record.item.name)" : note($0) })
    try await todos?.commit()
  }
}
