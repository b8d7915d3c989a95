import ArgumentParser
import Core
import Photos

/// `tote photo user add`.
struct PhotoUserAdd: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "make a user",
    discussion: """
      The password, of 8 bytes or more, is asked for, is the first line of '--password-file', or a \
      line of standard input.
      """)

  static let examples = [
    Example("tote photo user add ann"),
    Example("pwgen 20 1 | tote photo user add robot", "with the password in a pipe"),
  ]

  static let outputKeys = PhotoUserRow.outputKeys
  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .unreachable, .cannotCreate, .inputOutput, .notPermitted)
  static let seeAlso = ["tote photo user token add", "tote perms user add"]

  @OptionGroup var global: GlobalOptions

  @OptionGroup var place: LibraryOptions

  @Option(help: .passwordFile, completion: .file())
  var passwordFile: String?

  @Argument(help: ArgumentHelp("the new user's name", valueName: "NAME"))
  var name: String

  func run(in context: Context) async throws {
    let name = try PhotoText.userName(name)
    let users = try context.photoUsers(place.library)
    guard try await !users.exists(name) else { throw PhotoLibraryError.userExists(name: name) }
    let password = try context.newPassword(of: name, file: passwordFile)
    try await users.register(name, password)
    if context.mode != .human { try context.emit(json: PhotoUserRow(name: name).json) }
    try context.note("made user '\(name)'")
  }
}

/// `tote photo user list`.
struct PhotoUserList: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "list the users", aliases: ["ls"])

  static let examples = [Example("tote photo user list")]
  static let outputKeys = PhotoUserRow.outputKeys
  static let exitCodes = ExitClass.documented(.usage, .unreachable, .inputOutput, .notPermitted)
  static let seeAlso = ["tote photo user add", "tote perms user list"]

  @OptionGroup var global: GlobalOptions

  @OptionGroup var place: LibraryOptions

  func run(in context: Context) async throws {
    let names = try await context.photoUsers(place.library).list()
    try context.emit(rows: names.map(PhotoUserRow.init))
    if names.isEmpty { try context.note("no users yet; make one with 'tote photo user add NAME'") }
  }
}

/// `tote photo user passwd`.
struct PhotoUserPassword: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "passwd", abstract: "give a user another password",
    discussion: """
      The password is asked for, is the first line of '--password-file', or a line of standard \
      input. Sessions and tokens of the old one end at once.
      """)

  static let examples = [
    Example("tote photo user passwd ann"),
    Example("tote photo user passwd ann --password-file new.txt"),
  ]

  static let outputKeys = PhotoUserRow.outputKeys
  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .unreachable, .inputOutput, .conflict, .notPermitted)
  static let seeAlso = ["tote photo user add"]

  @OptionGroup var global: GlobalOptions

  @OptionGroup var place: LibraryOptions

  @Option(help: .passwordFile, completion: .file())
  var passwordFile: String?

  @Argument(help: ArgumentHelp("the user's name", valueName: "NAME"), completion: .userNames)
  var name: String

  func run(in context: Context) async throws {
    let name = try PhotoText.userName(name)
    let users = try context.photoUsers(place.library)
    guard try await users.exists(name) else { throw PhotoLibraryError.userNotFound(name: name) }
    let password = try context.newPassword(of: name, file: passwordFile)
    try await users.setPassword(password, of: name)
    if context.mode != .human { try context.emit(json: PhotoUserRow(name: name).json) }
    try context.note("changed the password of '\(name)'")
  }
}

/// `tote photo user rm`.
struct PhotoUserRemove: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "remove a user",
    discussion: """
      Sessions and tokens of the user end. The photos stay, and belong to whoever gets the name next: \
      remove them with 'tote photo rm' first, if they should go too.
      """)

  static let examples = [Example("tote photo user rm ben")]
  static let outputKeys = PhotoUserRow.outputKeys
  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .unreachable, .inputOutput, .notPermitted)
  static let seeAlso = ["tote photo user add", "tote photo rm"]

  @OptionGroup var global: GlobalOptions

  @OptionGroup var place: LibraryOptions

  @Argument(help: ArgumentHelp("the user's name", valueName: "NAME"), completion: .userNames)
  var name: String

  func run(in context: Context) async throws {
    try await context.photoUsers(place.library).remove(name)
    if context.mode != .human { try context.emit(json: PhotoUserRow(name: name).json) }
    try context.note("removed user '\(name)'")
  }
}

/// One line of the list of users.
struct PhotoUserRow: ListRow {
  let name: String

  static let outputKeys = [OutputKey("name", "string", "the user's name")]
  static let columns = [Column("NAME", .identifier)]

  var json: JSON { ["name": .string(name)] }

  func cells(on screen: Screen) -> [Cell] { [Cell(name)] }
}
