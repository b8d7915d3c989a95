import ArgumentParser
import Core

/// `tote todo rm`.
struct TodoRemove: ToteCommand {
  /// Up to so many are removed without a question: each can be brought back.
  static let quietLimit = 3

  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "delete todos",
    discussion: """
      A deleted todo leaves a mark that other machines see, and 'tote todo undo' brings it back. \
      Before more than three are deleted a question is asked; --yes answers it.
      """, aliases: ["delete"])

  static let examples = [
    Example("tote todo rm k7m", "delete one"),
    Example("tote todo rm --where 'project == \"trip\"' --yes", "delete many without a question"),
  ]

  static let outputKeys = TodoRow.outputKeys
  static let exitCodes = ExitClass.documented(
    .failed, .usage, .invalidInput, .notFound, .inputOutput)
  static let seeAlso = ["tote todo undo", "tote todo purge"]

  @OptionGroup var global: GlobalOptions
  @OptionGroup var targets: TodoTargets
  @Flag(name: .shortAndLong, help: "delete without asking") var yes = false
  @OptionGroup var place: TodoStoreOptions

  func run(in context: Context) async throws {
    let isTerminal = context.streams.errorTraits.isTerminal
    try await targets.forEach(
      place, context,
      question: { count in yes || count <= Self.quietLimit ? nil : "delete \(count) todos?" },
      { id, todos in try todos.store.remove(id, ids: todos.snapshot.ids) },
      note: { entry in
        "deleted: \(entry.record.item.name)"
          + (isTerminal ? "; undo with: tote todo undo \(entry.shortID)" : "")
      })
  }
}
