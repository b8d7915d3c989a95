import ArgumentParser
import Sync

/// `tote sync remote list`.
struct SyncRemoteList: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "list the saved remotes", aliases: ["ls"])

  static let examples = [
    Example("tote sync remote list", "names and addresses"),
    Example("tote sync remote list --json", "the same for a script"),
  ]
  static let outputKeys = RemoteFacts.outputKeys
  static let exitCodes = ExitClass.documented(.inputOutput)
  static let seeAlso = ["tote sync remote show", "tote sync remote add"]

  @OptionGroup var global: GlobalOptions

  func run(in context: Context) async throws {
    let remotes = try context.remotes()
    try context.emit(rows: try remotes.names().map { RemoteFacts(try remotes.remote($0)) })
  }
}
