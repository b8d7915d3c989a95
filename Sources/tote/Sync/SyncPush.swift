import ArgumentParser
import Sync

/// `tote sync push`.
struct SyncPush: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "send what changed here to the other side",
    discussion: """
      REMOTE may also be a bundle, a file that carries the documents to where no network goes: a \
      path that ends in '.totebundle' or begins with '/', './' or '../'. It holds all revisions, \
      histories and attachments exactly.

      Bundles of one path follow one another. Move a bundle away, and the next one holds what \
      changed since; while it still lies there, the next one takes its place and holds what that \
      held as well, so nothing is lost. Large attachments travel once in a series. '--series' names \
      a series for bundles of different paths, such as one a day; '--reset' begins it again with a \
      bundle of everything. A file that is no bundle of the store is never written over.
      """)

  static let examples = [
    Example("tote sync push notes https://couch.example.org/notes --create", "to a server"),
    Example("tote sync push notes /media/stick/notes.totebundle", "to a bundle"),
    Example("tote sync push notes ./monday.totebundle --series daily", "a backup of what changed"),
  ]

  static let outputKeys = SyncResult.outputKeys
  static let exitCodes =
    SyncRun.statuses + [ExitStatus(ExitClass.cannotCreate.rawValue, ExitClass.cannotCreate.meaning)]
  static let seeAlso = ["tote sync pull", "tote sync run", "tote sync status"]

  @OptionGroup var global: GlobalOptions
  @OptionGroup var options: SyncOptions

  @Option(help: ArgumentHelp("the series that a bundle belongs to", valueName: "NAME"))
  var series: String?

  @OptionGroup var place: SyncPlace

  func run(in context: Context) async throws {
    try await place.sync([.push], options, series: series, in: context)
  }
}
