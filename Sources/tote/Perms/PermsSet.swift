import ArgumentParser
import Core

/// `tote perms set`.
struct PermsSet: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "give a store one of the usual permissions",
    discussion: """
      'admins': administrators only. 'members': those named as members read and write. \
      'public-read': everybody reads, members write. 'public': everybody reads and writes.

      Administrators stay named; so do members, but for 'admins' and 'public'. CouchDB has no \
      'public-read'.
      """)

  static let examples = [
    Example("tote perms set notes members"),
    Example("tote perms set blog public-read", "a store everybody may read"),
  ]

  static let outputKeys = PermissionFacts.outputKeys
  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .unreachable, .inputOutput, .conflict, .notPermitted)
  static let seeAlso = ["tote perms grant", "tote perms show"]

  @OptionGroup var global: GlobalOptions

  @Flag(help: .force)
  var force = false

  @Argument(help: .storeAnywhere, completion: .storeNames)
  var store: String

  @Argument(help: ArgumentHelp("the permissions", valueName: "PRESET"))
  var preset: StorePermissions.Preset

  func run(in context: Context) async throws {
    let target = try context.permissionTarget(store)
    let change = try await PermissionChange(target, force: force) { try $0.set(preset) }
    try await context.perform(change, said: "'\(target.name)' is now '\(preset.rawValue)'")
  }
}
