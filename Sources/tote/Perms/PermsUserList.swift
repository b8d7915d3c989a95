import ArgumentParser
import Core

/// `tote perms user list`.
struct PermsUserList: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "list the users",
    discussion: "Administrators of the server are marked; a CouchDB shows them to each other only.")

  static let examples = [
    Example("tote perms user list"),
    Example("tote perms user list --server work --json", "those of a saved remote's server"),
  ]

  static let outputKeys = UserRow.outputKeys
  static let exitCodes = ExitClass.documented(
    .usage, .notFound, .unreachable, .inputOutput, .notPermitted)
  static let seeAlso = ["tote perms user add"]

  @OptionGroup var global: GlobalOptions

  @Option(help: .server, completion: .savedRemotes)
  var server: String?

  func run(in context: Context) async throws {
    let users = try await context.users(of: server).list()
    try context.emit(rows: users.map { UserRow(user: $0) })
    if users.isEmpty { try context.note("no users yet; make one with 'tote perms user add NAME'") }
  }
}

/// One line of the list of users.
struct UserRow: ListRow {
  let user: Users.User

  static let outputKeys = [
    OutputKey("name", "string", "the user's name"),
    OutputKey("roles", "array of strings", "the user's roles"),
    OutputKey("admin", "boolean", "whether the user administers the server"),
  ]

  static let columns = [
    Column("NAME", .identifier), Column("ADMIN", dropOrder: 1), Column("ROLES"),
  ]

  var json: JSON {
    [
      "name": .string(user.name), "roles": .array(user.roles.map { .string($0) }),
      "admin": .bool(user.isAdmin),
    ]
  }

  func cells(on screen: Screen) -> [Cell] {
    [
      Cell(user.name), Cell(user.isAdmin ? "admin" : ""),
      Cell(user.roles.joined(separator: ", ")),
    ]
  }
}
