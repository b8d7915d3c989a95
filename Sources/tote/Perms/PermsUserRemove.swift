import ArgumentParser
import Core

/// `tote perms user rm`.
struct PermsUserRemove: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "remove a user",
    discussion: """
      What the user opened ends at once. Stores still name the user in their permissions: who gets \
      the name later gets those too, so see 'tote perms revoke'. A server whose last user goes \
      lets nobody in until it is started again.
      """)

  static let examples = [Example("tote perms user rm ben")]

  static let outputKeys = [
    OutputKey("ok", "boolean", "true"), OutputKey("name", "string", "the user who is gone"),
  ]

  static let exitCodes = ExitClass.documented(
    .usage, .notFound, .unreachable, .inputOutput, .notPermitted)
  static let seeAlso = ["tote perms user add", "tote perms revoke"]

  @OptionGroup var global: GlobalOptions

  @Option(help: .server, completion: .savedRemotes)
  var server: String?

  @Argument(help: ArgumentHelp("the user's name", valueName: "NAME"), completion: .userNames)
  var name: String

  func run(in context: Context) async throws {
    try await context.users(of: server).naming(name) { try await $0.remove(name) }
    if context.mode != .human { try context.emit(json: ["ok": true, "name": .string(name)]) }
    try context.note("removed user '\(name)'")
  }
}
