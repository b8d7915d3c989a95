import ArgumentParser
import Core

/// `tote perms grant`.
struct PermsGrant: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "grant", abstract: "let a user, a role or everybody use a store",
    discussion: """
      Whoever is named has exactly this level afterwards: 'reader' reads, 'member' also writes, \
      'admin' also changes design documents and permissions. Naming a first member or reader ends \
      the time in which a store is public.
      """)

  static let examples = [
    Example("tote perms grant notes --user ben --as member"),
    Example("tote perms grant notes --role press --as reader"),
  ]

  static let outputKeys = PermissionFacts.outputKeys
  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .unreachable, .inputOutput, .conflict, .notPermitted)
  static let seeAlso = ["tote perms revoke", "tote perms set", "tote perms check"]

  @OptionGroup var global: GlobalOptions
  @OptionGroup var whom: SubjectOptions

  @Option(help: ArgumentHelp("what is allowed", valueName: "LEVEL"))
  var `as`: Grant.Level

  @Flag(help: .force)
  var force = false

  @Argument(help: .storeAnywhere, completion: .storeNames)
  var store: String

  func run(in context: Context) async throws {
    let target = try context.permissionTarget(store)
    let change = try await PermissionChange(target, force: force) {
      try $0.grant(`as`, to: whom.subject)
    }
    try await context.perform(
      change, said: "\(whom.subject.words) is now \(`as`.rawValue) of '\(target.name)'")
  }
}

extension Grant.Subject {
  /// The subject in a sentence.
  var words: String {
    switch self {
    case .user(let name): "user '\(name)'"
    case .role(let role): "role '\(role)'"
    case .everyone: "everybody"
    }
  }
}
