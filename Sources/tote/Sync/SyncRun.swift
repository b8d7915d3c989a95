import ArgumentParser
import Sync

/// `tote sync run`.
struct SyncRun: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "pull, then push",
    discussion: """
      Takes what changed on the other side, then sends what changed here. REMOTE is a URL, a remote \
      saved by 'tote sync remote add', or a store of this machine; '-' reads a URL from standard \
      input, where its password is not seen by others. After the first run that goes well it may be \
      left out.

      Documents that cannot be moved are named, tried again by the next run, and make the status 1; \
      the others are moved all the same. With '--continuous' the run goes on, reconnects when the \
      connection breaks, and is ended by Ctrl-C. With '--jsonl' it tells events as they happen, and \
      the result last.
      """)

  static let examples = [
    Example("tote sync notes https://couch.example.org/notes", "the first time"),
    Example("tote sync notes", "from then on"),
    Example("tote sync notes work --continuous", "keep in step with a saved remote"),
    Example("tote sync notes work --where 'done = false' --dry-run", "see what would be moved"),
  ]

  static let outputKeys = SyncResult.outputKeys
  static let exitCodes = SyncRun.statuses
  static let seeAlso = ["tote sync status", "tote sync remote add", "tote sync pull"]

  /// The exit statuses of all commands that replicate.
  static let statuses = ExitClass.documented(
    .failed, .usage, .invalidInput, .notFound, .unreachable, .inputOutput, .conflict, .notPermitted)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var options: SyncOptions
  @OptionGroup var place: SyncPlace

  func run(in context: Context) async throws {
    try await place.sync([.pull, .push], options, in: context)
  }
}
