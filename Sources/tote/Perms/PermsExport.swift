import ArgumentParser
import Core

/// `tote perms export`.
struct PermsExport: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "write permissions as text",
    discussion: """
      Without operands all local stores are written. The text can be kept under version control, \
      edited, compared with 'tote perms diff' and put in force with 'tote perms apply'. A line is \
      a level (admin, member, reader), then 'user NAME', 'role NAME' or 'everyone'; '#' begins a \
      comment. 'other' lines keep what else a security object holds, and 'cloudant' lines hold \
      Cloudant's own permissions.
      """)

  static let examples = [
    Example("tote perms export > permissions.txt"),
    Example("tote perms export notes work/plans", "two stores only"),
  ]

  static let outputKeys = [
    OutputKey("store", "string", "the store"),
    OutputKey("grants", "array of objects", "as 'tote perms show' has them"),
    OutputKey("other", "object", "what else the security object holds"),
  ]

  static let exitCodes = ExitClass.documented(
    .notFound, .unreachable, .inputOutput, .notPermitted)
  static let seeAlso = ["tote perms diff", "tote perms apply"]

  @OptionGroup var global: GlobalOptions

  @Argument(
    help: ArgumentHelp("stores; all local ones without", valueName: "STORE"),
    completion: .storeNames)
  var stores: [String] = []

  func run(in context: Context) async throws {
    let names = stores.isEmpty ? try context.stores().names() : stores
    var sections: [PermissionText.Section] = []
    for name in names {
      let target = try context.permissionTarget(name)
      sections.append(.init(store: target.name, permissions: try await target.permissions()))
    }
    switch context.mode {
    case .human: try context.streams.output.write(PermissionText(sections).text)
    case .json: try context.emit(json: .array(sections.map(Self.json)))
    case .jsonLines: for section in sections { try context.emit(json: Self.json(section)) }
    }
  }

  private static func json(_ section: PermissionText.Section) -> JSON {
    [
      "store": .string(section.store), "grants": .array(section.grants.map(PermissionFacts.json)),
      "other": .object(section.others),
    ]
  }
}
