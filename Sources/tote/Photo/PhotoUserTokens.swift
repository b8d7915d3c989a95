import ArgumentParser
import Core
import Photos

/// `tote photo user token add`.
struct PhotoUserTokenAdd: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "make a token",
    discussion: """
      The token is printed once and cannot be shown again. Scripts give it by '--token-file' or \
      TOTE_PHOTO_TOKEN, or to the service as 'Authorization: Bearer TOKEN'.
      """)

  static let examples = [
    Example("tote photo user token add ann --label laptop > token.txt", "a token in a file")
  ]

  static let outputKeys =
    TokenRow.outputKeys + [OutputKey("token", "string", "the token; it is told this once")]
  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .unreachable, .cannotCreate, .inputOutput, .notPermitted)
  static let seeAlso = ["tote photo user token list", "tote photo add"]

  @OptionGroup var global: GlobalOptions

  @OptionGroup var place: LibraryOptions

  @Option(help: ArgumentHelp("what it is for", valueName: "TEXT"))
  var label = "script"

  @Option(help: ArgumentHelp("what it is good for", valueName: "SCOPE"))
  var scope: PhotoScope = .upload

  @Argument(help: ArgumentHelp("the user's name", valueName: "NAME"), completion: .userNames)
  var name: String

  func run(in context: Context) async throws {
    let library = try await context.photoLibrary(place.library, makes: true)
    let (token, text) = try await library.sessions.makeToken(
      try PhotoText.userName(name), label: label, scope: scope)
    await library.close()
    guard context.mode != .human else { return try context.streams.output.writeLine(text) }
    var members = TokenRow(token: token).members
    members["token"] = .string(text)
    try context.emit(json: .object(members))
  }
}

/// `tote photo user token list`.
struct PhotoUserTokenList: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "list a user's tokens", aliases: ["ls"])

  static let examples = [Example("tote photo user token list ann")]
  static let outputKeys = TokenRow.outputKeys
  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .unreachable, .inputOutput, .notPermitted)
  static let seeAlso = ["tote photo user token add"]

  @OptionGroup var global: GlobalOptions

  @OptionGroup var place: LibraryOptions

  @Argument(help: ArgumentHelp("the user's name", valueName: "NAME"), completion: .userNames)
  var name: String

  func run(in context: Context) async throws {
    let name = try PhotoText.userName(name)
    let library = try await context.photoLibrary(place.library)
    guard try await library.users.exists(name) else {
      throw PhotoLibraryError.userNotFound(name: name)
    }
    let tokens = try await library.sessions.listTokens(name)
    await library.close()
    try context.emit(rows: tokens.map(TokenRow.init))
  }
}

/// `tote photo user token rm`.
struct PhotoUserTokenRemove: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "remove a token, which ends at once")

  static let examples = [Example("tote photo user token rm ann 3f2a91c0b7de")]
  static let outputKeys = [
    OutputKey("ok", "boolean", "true"), OutputKey("id", "string", "the token that is gone"),
  ]
  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .unreachable, .inputOutput, .notPermitted)
  static let seeAlso = ["tote photo user token list"]

  @OptionGroup var global: GlobalOptions

  @OptionGroup var place: LibraryOptions

  @Argument(help: ArgumentHelp("the user's name", valueName: "NAME"), completion: .userNames)
  var name: String

  @Argument(help: ArgumentHelp("the token's id, as the list shows it", valueName: "ID"))
  var id: String

  func run(in context: Context) async throws {
    let name = try PhotoText.userName(name)
    let library = try await context.photoLibrary(place.library)
    let isGone = try await library.sessions.removeToken(id, of: name)
    await library.close()
    guard isGone else {
      throw CommandError(
        .notFound, "not_found", "user '\(name)' has no token '\(id)'",
        hint: "run 'tote photo user token list \(name)' to see all", details: [("id", .string(id))])
    }
    if context.mode != .human { try context.emit(json: ["ok": true, "id": .string(id)]) }
    try context.note("removed token '\(id)'")
  }
}

/// One line of the list of tokens.
struct TokenRow: ListRow {
  let token: PhotoToken

  static let outputKeys = [
    OutputKey("id", "string", "names the token"),
    OutputKey("label", "string", "what it is for"),
    OutputKey("scope", "string", "what it is good for: 'upload' or 'full'"),
    OutputKey("created", "string", "when it was made"),
  ]

  static let columns = [
    Column("ID", .identifier), Column("SCOPE", .identifier), Column("LABEL"),
    Column("CREATED", .identifier, dropOrder: 1),
  ]

  var members: JSONObject {
    [
      "id": .string(token.id), "label": .string(token.label),
      "scope": .string(token.scope.rawValue), "created": .string(token.created),
    ]
  }

  var json: JSON { .object(members) }

  func cells(on screen: Screen) -> [Cell] {
    let time = Instant(rfc3339: token.created).map { screen.dates.short($0) } ?? token.created
    return [
      Cell(token.id), Cell(token.scope.rawValue), Cell(token.label),
      Cell(time, plain: token.created, look: .dim),
    ]
  }
}
