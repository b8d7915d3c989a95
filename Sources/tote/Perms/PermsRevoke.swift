import ArgumentParser
import Core

/// `tote perms revoke`.
struct PermsRevoke: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "take permissions away from a user, a role or everybody",
    discussion: """
      Without '--as' everything that names the user or role goes. A store whose last member goes \
      is the administrators' alone; it does not become public.
      """)

  static let examples = [
    Example("tote perms revoke notes --user ben"),
    Example("tote perms revoke notes --everyone", "end a store's being public"),
  ]

  static let outputKeys = PermissionFacts.outputKeys
  static let exitCodes = ExitClass.documented(
    .usage, .notFound, .unreachable, .inputOutput, .conflict, .notPermitted)
  static let seeAlso = ["tote perms grant", "tote perms show"]

  @OptionGroup var global: GlobalOptions
  @OptionGroup var whom: SubjectOptions

  @Option(help: ArgumentHelp("only what this level gives", valueName: "LEVEL"))
  var `as`: Grant.Level?

  @Flag(help: .force)
  var force = false

  @Argument(help: .storeAnywhere, completion: .storeNames)
  var store: String

  func run(in context: Context) async throws {
    let target = try context.permissionTarget(store)
    let change = try await PermissionChange(target, force: force) {
      $0.revoke(`as`, from: whom.subject)
    }
    try await context.perform(
      change, said: "\(whom.subject.words) lost permissions on '\(target.name)'")
  }
}
