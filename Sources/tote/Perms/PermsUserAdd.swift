import ArgumentParser
import Core

/// `tote perms user add`.
struct PermsUserAdd: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "make a user",
    discussion: """
      The password is asked for, is the first line of '--password-file', or a line of standard \
      input. As soon as there is a user, 'tote sync serve' asks everybody for a name. '--admin' \
      makes an administrator of the server, who may do everything with every store.
      """)

  static let examples = [
    Example("tote perms user add ada --admin", "the first one, who then may do all"),
    Example("tote perms user add ben --role team --role press"),
    Example("pwgen 20 1 | tote perms user add robot", "with the password in a pipe"),
  ]

  static let outputKeys = UserRow.outputKeys
  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .unreachable, .cannotCreate, .inputOutput, .notPermitted)
  static let seeAlso = ["tote perms user roles", "tote perms grant"]

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp("a role of the user; may be repeated", valueName: "R"), completion: .roles)
  var role: [String] = []

  @Flag(help: "an administrator of the server")
  var admin = false

  @Option(help: .passwordFile, completion: .file())
  var passwordFile: String?

  @Option(help: .server, completion: .savedRemotes)
  var server: String?

  @Argument(help: ArgumentHelp("the new user's name", valueName: "NAME"))
  var name: String

  func run(in context: Context) async throws {
    try Users.check(name: name)
    try Users.check(roles: role)
    let place = try context.users(of: server)
    let user = Users.User(name: name, roles: role, isAdmin: admin)
    let password = try context.newPassword(of: name, file: passwordFile)
    try await place.naming(name) { try await $0.add(user, password: password) }
    if context.mode != .human { try context.emit(json: UserRow(user: user).json) }
    try context.note("made \(admin ? "administrator" : "user") '\(name)'")
  }
}
