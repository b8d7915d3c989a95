import ArgumentParser
import Core
import Sync

/// `tote sync remote rm`.
struct SyncRemoteRemove: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "forget a saved remote",
    discussion: "The database itself is not touched.", aliases: ["remove"])

  static let examples = [Example("tote sync remote rm work", "with its secrets")]
  static let outputKeys = [
    OutputKey("ok", "boolean", "true"), OutputKey("name", "string", "the remote that is gone"),
  ]
  static let exitCodes = ExitClass.documented(.notFound, .inputOutput)
  static let seeAlso = ["tote sync remote list"]

  @OptionGroup var global: GlobalOptions

  @Argument(help: ArgumentHelp("the remote", valueName: "NAME"), completion: .remotes)
  var name: String

  func run(in context: Context) async throws {
    try context.remotes().remove(name)
    if context.mode != .human { try context.emit(json: ["ok": true, "name": .string(name)]) }
    try context.note("forgot remote '\(name)'")
  }
}
