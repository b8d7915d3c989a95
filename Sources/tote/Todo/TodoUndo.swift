import ArgumentParser
import Core

/// `tote todo undo`.
struct TodoUndo: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "open done todos again, or bring deleted ones back",
    discussion: "A deleted todo comes back as long as its text was not removed by compaction.")

  static let examples = [
    Example("tote todo undo k7m", "open it again"),
    Example("tote todo undo k7m b2x", "several at once"),
  ]

  static let outputKeys = TodoRow.outputKeys
  static let exitCodes = ExitClass.documented(
    .failed, .usage, .invalidInput, .notFound, .inputOutput)
  static let seeAlso = ["tote todo done", "tote todo rm", "tote store history"]

  @OptionGroup var global: GlobalOptions
  @OptionGroup var targets: TodoTargets
  @OptionGroup var place: TodoStoreOptions

  func run(in context: Context) async throws {
    try await targets.forEach(
      place, context, question: { _ in nil },
      { id, todos in try todos.store.restore(id, ids: todos.snapshot.ids) },
      note: { "open: \($0.record.item.name) (\($0.shortID))" })
  }
}
