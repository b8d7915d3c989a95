import ArgumentParser
import Core
import Sync

/// `tote perms check`.
struct PermsCheck: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "tell whether a user may do something",
    discussion: """
      Exits with 0 when it is allowed and with 77 when it is not. The user's roles are looked up; \
      '--role' adds others. Without '--user' it is about somebody who gives no name.
      """)

  static let examples = [
    Example("tote perms check notes --user ben --action write"),
    Example("tote perms check notes --user ben --action read --quiet", "only the exit status"),
    Example("tote perms check blog --action read", "may a stranger read?"),
  ]

  static let outputKeys = [
    OutputKey("store", "string", "the store"),
    OutputKey("user", "string", "the user; null for nobody in particular"),
    OutputKey("roles", "array of strings", "the roles that counted"),
    OutputKey("action", "string", "'read', 'write' or 'admin'"),
    OutputKey("allowed", "boolean", "whether it is allowed"),
  ]

  static let exitCodes = ExitClass.documented(
    .usage, .notFound, .unreachable, .inputOutput, .notPermitted)
  static let seeAlso = ["tote perms show"]

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("the user", valueName: "U"), completion: .userNames)
  var user: String?

  @Option(
    help: ArgumentHelp("a role the user has; may be repeated", valueName: "R"), completion: .roles)
  var role: [String] = []

  @Option(help: ArgumentHelp("what the user wants to do", valueName: "ACTION"))
  var action: PermittedAction

  @Argument(help: .storeAnywhere, completion: .storeNames)
  var store: String

  func run(in context: Context) async throws {
    let target = try context.permissionTarget(store)
    let permissions = try await target.permissions()
    let who = try await userContext(target, context)
    let isAllowed = permissions.allows(action.access, to: who)
    try context.emit(
      Answer(store: target.name, user: who, action: action, isAllowed: isAllowed))
    if !isAllowed { throw ExitCode(ExitClass.notPermitted.rawValue) }
  }

  private func userContext(_ target: PermissionTarget, _ context: Context) async throws
    -> UserContext
  {
    guard let user else { return UserContext(name: nil, roles: role) }
    var known: UserContext?
    if let remote = target.remote {
      do {
        known = try await RemoteUsers(of: remote).user(user).map {
          UserContext(name: user, roles: $0.roles)
        }
      } catch let error as RemoteError where error.isRefusal {
        try context.warn(
          "roles", "the roles of '\(user)' are unknown: only administrators see them")
      }
    } else {
      known = try Users.make(in: try context.stores()).account(user)?.context
      if known == nil { try context.note("there is no user '\(user)' on this machine") }
    }
    return UserContext(name: user, roles: (known?.roles ?? []) + role)
  }

  private struct Answer: CommandResult {
    let store: String
    let user: UserContext
    let action: PermittedAction
    let isAllowed: Bool

    var json: JSON {
      [
        "store": .string(store), "user": user.name.map { .string($0) } ?? .null,
        "roles": .array(user.roles.map { .string($0) }), "action": .string(action.rawValue),
        "allowed": .bool(isAllowed),
      ]
    }

    func show(on screen: Screen) throws(OutputError) {
      try screen.line(isAllowed ? "allowed" : "not allowed")
    }
  }
}
