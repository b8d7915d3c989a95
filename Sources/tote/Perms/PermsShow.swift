import ArgumentParser
import Core

/// `tote perms show`.
struct PermsShow: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "show who may do what with a store",
    discussion: """
      One line for each user and role that is named. The role '_admin' is that of the server's \
      administrators, who may do everything with every store; a store that never got permissions \
      is theirs alone.
      """)

  static let examples = [
    Example("tote perms show notes"),
    Example("tote perms show https://couch.example.org/notes --json", "a database of a CouchDB"),
  ]

  static let outputKeys = PermissionFacts.outputKeys
  static let exitCodes = ExitClass.documented(
    .notFound, .unreachable, .inputOutput, .notPermitted)
  static let seeAlso = ["tote perms grant", "tote perms export"]

  @OptionGroup var global: GlobalOptions

  @Argument(help: .storeAnywhere, completion: .storeNames)
  var store: String

  func run(in context: Context) async throws {
    let target = try context.permissionTarget(store)
    try context.emit(PermissionFacts(target.name, try await target.permissions()))
  }
}
