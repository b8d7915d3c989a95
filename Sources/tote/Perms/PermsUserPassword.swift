import ArgumentParser
import Core

/// `tote perms user passwd`.
struct PermsUserPassword: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "passwd", abstract: "give a user another password",
    discussion: """
      The password is asked for, is the first line of '--password-file', or a line of standard \
      input. What was opened with the old one ends at once.
      """)

  static let examples = [
    Example("tote perms user passwd ben"),
    Example("tote perms user passwd ben --password-file new.txt"),
  ]

  static let outputKeys = [
    OutputKey("ok", "boolean", "true"), OutputKey("name", "string", "the user"),
  ]

  static let exitCodes = ExitClass.documented(
    .usage, .notFound, .unreachable, .inputOutput, .conflict, .notPermitted)
  static let seeAlso = ["tote perms user add"]

  @OptionGroup var global: GlobalOptions

  @Option(help: .passwordFile, completion: .file())
  var passwordFile: String?

  @Option(help: .server, completion: .savedRemotes)
  var server: String?

  @Argument(help: ArgumentHelp("the user's name", valueName: "NAME"), completion: .userNames)
  var name: String

  func run(in context: Context) async throws {
    let place = try context.users(of: server)
    let password = try context.newPassword(of: name, file: passwordFile)
    try await place.naming(name) { try await $0.setPassword(password, of: name) }
    if context.mode != .human { try context.emit(json: ["ok": true, "name": .string(name)]) }
    try context.note("changed the password of '\(name)'")
  }
}
