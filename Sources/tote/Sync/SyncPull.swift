import ArgumentParser
import Sync

/// `tote sync pull`.
struct SyncPull: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull", abstract: "take what changed on the other side",
    discussion: """
      REMOTE may also be a bundle that 'tote sync push' wrote: a path that ends in '.totebundle' or \
      begins with '/', './' or '../'. All of it is compared with its digest before anything is \
      applied, and a bundle that follows one which was not applied is refused. Applying a bundle \
      again changes nothing.
      """)

  static let examples = [
    Example("tote sync pull notes https://couch.example.org/notes", "from a server"),
    Example("tote sync pull notes work --create", "into a store that is made for it"),
    Example("tote sync pull notes /media/stick/notes.totebundle", "from a bundle"),
  ]

  static let outputKeys = SyncResult.outputKeys
  static let exitCodes = SyncRun.statuses
  static let seeAlso = ["tote sync push", "tote sync run", "tote sync status"]

  @OptionGroup var global: GlobalOptions
  @OptionGroup var options: SyncOptions
  @OptionGroup var place: SyncPlace

  func run(in context: Context) async throws {
    try await place.sync([.pull], options, in: context)
  }
}
