import ArgumentParser
import Core

/// `tote perms user roles`.
struct PermsUserRoles: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "roles", abstract: "show or change a user's roles",
    discussion: "Without '--add' and '--remove' the roles are shown. They count at once.")

  static let examples = [
    Example("tote perms user roles ben --add team --remove guest"),
    Example("tote perms user roles ben", "which ones there are"),
  ]

  static let outputKeys = [
    OutputKey("name", "string", "the user"),
    OutputKey("roles", "array of strings", "the roles, as they are now"),
  ]

  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .unreachable, .inputOutput, .conflict, .notPermitted)
  static let seeAlso = ["tote perms user list", "tote perms grant"]

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("a role to give; may be repeated", valueName: "R"), completion: .roles)
  var add: [String] = []

  @Option(help: ArgumentHelp("a role to take; may be repeated", valueName: "R"), completion: .roles)
  var remove: [String] = []

  @Option(help: .server, completion: .savedRemotes)
  var server: String?

  @Argument(help: ArgumentHelp("the user's name", valueName: "NAME"), completion: .userNames)
  var name: String

  func run(in context: Context) async throws {
    let place = try context.users(of: server)
    try Users.check(roles: add)
    guard let old = try await place.roles(of: name) else { throw UserPlace.notFound(name) }
    var roles = old.filter { role in !remove.contains { utf8Equal($0, role) } }
    for role in add where !roles.contains(where: { utf8Equal($0, role) }) { roles.append(role) }
    if roles != old {
      let new = roles
      try await place.naming(name) { try await $0.setRoles(new, of: name) }
    }
    try context.emit(Answer(name: name, roles: roles))
  }

  private struct Answer: CommandResult {
    let name: String
    let roles: [String]

    var json: JSON { ["name": .string(name), "roles": .array(roles.map { .string($0) })] }

    func show(on screen: Screen) throws(OutputError) {
      for role in roles { try screen.data(role) }
    }
  }
}
