import ArgumentParser
import Sync

/// `tote sync remote show`.
struct SyncRemoteShow: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "show a saved remote, without its secrets")

  static let examples = [Example("tote sync remote show work", "address, user and trust")]
  static let outputKeys = RemoteFacts.outputKeys
  static let exitCodes = ExitClass.documented(.notFound, .inputOutput)
  static let seeAlso = ["tote sync remote list"]

  @OptionGroup var global: GlobalOptions

  @Argument(help: ArgumentHelp("the remote", valueName: "NAME"), completion: .remotes)
  var name: String

  func run(in context: Context) async throws {
    try context.emit(RemoteFacts(try context.remotes().remote(name)))
  }
}
