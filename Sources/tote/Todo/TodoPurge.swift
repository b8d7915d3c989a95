import ArgumentParser
import Core

/// `tote todo purge`.
struct TodoPurge: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "purge", abstract: "delete all done todos",
    discussion: """
      Programs that do not know our mark for done, such as BlueList, show done todos as open until \
      they are purged. Like 'tote todo rm' it asks before deleting more than three.
      """)

  static let examples = [
    Example("tote todo purge --done --dry-run", "which would go"),
    Example("tote todo purge --done --before -1m --yes", "what was done more than a month ago"),
  ]

  static let outputKeys = TodoRow.outputKeys
  static let exitCodes = ExitClass.documented(.failed, .usage, .invalidInput, .inputOutput)
  static let seeAlso = ["tote todo rm", "tote todo undo"]

  @OptionGroup var global: GlobalOptions
  @Flag(help: "delete the todos that are done; must be given") var done = false

  @Option(help: ArgumentHelp("only those done before this", valueName: "WHEN"))
  var before: String?

  @Flag(name: .customLong("dry-run"), help: "change nothing; say what would be deleted")
  var isDryRun = false

  @Flag(name: .shortAndLong, help: "delete without asking") var yes = false
  @OptionGroup var place: TodoStoreOptions

  mutating func validate() throws {
    if !done { throw ValidationError("say what to purge: 'tote todo purge --done'") }
  }

  func run(in context: Context) async throws {
    let limit = try before.map { try context.whenParser.parse($0) }
    guard let todos = try await TodoSelection.open(place, context) else {
      return try context.changeTodos([], { _ in throw CancellationError() }, note: { _ in "" })
    }
    let entries = todos.snapshot.entries.filter {
      $0.record.item.isDone && isBefore($0, limit, context)
    }
    if !isDryRun, !yes, entries.count > TodoRemove.quietLimit {
      guard try context.prompt.confirm("delete \(entries.count) done todos?") else {
        throw CommandError(.failed, "cancelled", "nothing was deleted")
      }
    }
    try context.changeTodos(
      entries.map(\.record.id),
      { id in
        let ids = todos.snapshot.ids
        return isDryRun ? try todos.store.entry(id, ids: ids) : try todos.store.remove(id, ids: ids)
      }, note: { (isDryRun ? "would delete: " : "deleted: ") + $0.record.item.name })
    try await todos.commit()
  }

  private func isBefore(_ entry: TodoEntry, _ limit: When?, _ context: Context) -> Bool {
    guard case .due(let limit)? = limit else { return true }
    guard let completed = entry.record.item.completed else { return false }
    return completed.day(in: context.zone) < limit.day(in: context.zone)
  }
}
