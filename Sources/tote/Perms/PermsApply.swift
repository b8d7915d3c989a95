import ArgumentParser
import Core

/// `tote perms apply`.
struct PermsApply: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "put a text of permissions in force",
    discussion: """
      Each store the text names gets exactly the permissions that stand there; other stores stay \
      as they are. Everything is checked before the first store is changed, and each store changes \
      as a whole. What would take your own administration of a store away needs '--force'.
      """)

  static let examples = [
    Example("tote perms apply permissions.txt --dry-run"),
    Example("tote perms apply permissions.txt"),
  ]

  static let outputKeys = PermsDiff.outputKeys
  static let exitCodes = ExitClass.documented(
    .failed, .invalidInput, .notFound, .unreachable, .inputOutput, .conflict, .notPermitted)
  static let seeAlso = ["tote perms diff", "tote perms export"]

  @OptionGroup var global: GlobalOptions

  @Flag(help: "show what would change, and change nothing")
  var dryRun = false

  @Flag(help: .force)
  var force = false

  @Argument(
    help: ArgumentHelp("the text; '-' is standard input", valueName: "FILE"), completion: .file())
  var file: String

  func run(in context: Context) async throws {
    let changes = try await context.changes(of: file, force: force)
    var done: [PermissionChange] = []
    var failures = PartialFailure()
    for change in changes where change.isNeeded {
      do {
        if !dryRun { try await change.perform() }
        done.append(change)
      } catch {
        try failures.add(error)
      }
    }
    try context.emit(changes: done)
    if done.isEmpty, failures.isEmpty { try context.note("nothing to change") }
    try failures.finish(inputs: changes.count(where: \.isNeeded))
  }
}
