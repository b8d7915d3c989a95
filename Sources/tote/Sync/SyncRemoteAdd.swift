import ArgumentParser
import Core
import HTTP
import Sync

/// `tote sync remote add`.
struct SyncRemoteAdd: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "save a database's address under a name",
    discussion: """
      User and password may stand in the URL, where '@', ':' and '/' are written %40, %3A and %2F. \
      So that others do not see it, '-' reads the URL from standard input. With '--user' the \
      password is asked for, or is the next line of standard input.

      '--pin' trusts the server by its public key alone, whoever signed its certificate; '--ca' by \
      the authorities in a file of PEM, instead of the system's.
      """)

  static let examples = [
    Example("tote sync remote add work https://couch.example.org/notes --user ada"),
    Example("cat url.txt | tote sync remote add work -", "with the URL in a file"),
    Example("tote sync remote add cloud https://x.example.org/notes --iam-key-file key.txt"),
    Example("tote sync remote add home https://10.0.0.5:5984/notes --ca ca.pem"),
  ]

  static let outputKeys = RemoteFacts.outputKeys
  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .cannotCreate, .inputOutput)
  static let seeAlso = ["tote sync remote list", "tote sync run"]

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("who asks; the password is asked for", valueName: "U"))
  var user: String?

  @Option(
    help: ArgumentHelp("a file with a bearer token", valueName: "F"), completion: .file())
  var tokenFile: String?

  @Option(
    help: ArgumentHelp("a file with an API key of IBM Cloud", valueName: "F"),
    completion: .file())
  var iamKeyFile: String?

  @Option(help: ArgumentHelp("the public key that the server must have", valueName: "sha256//…"))
  var pin: TLSPin?

  @Option(
    help: ArgumentHelp("a file of the authorities that are trusted", valueName: "F"),
    completion: .file())
  var ca: String?

  @Flag(help: "replace a remote of the same name")
  var replace = false

  @Argument(help: ArgumentHelp("the new remote's name", valueName: "NAME"))
  var name: String

  @Argument(help: ArgumentHelp("the database's URL; '-' reads it", valueName: "URL"))
  var url: String

  func validate() throws {
    let ways = [
      ("--user", user), ("--token-file", tokenFile), ("--iam-key-file", iamKeyFile),
    ].filter { $0.1 != nil }
    if ways.count > 1 { throw ValidationError.exclusive(ways[0].0, ways[1].0) }
    if pin != nil && ca != nil { throw ValidationError.exclusive("--pin", "--ca") }
  }

  func run(in context: Context) async throws {
    try RemoteDirectory.check(name)
    let remotes = try context.remotes()
    // Both may stand in the same place of a command line, so a name means one thing only.
    guard try !context.stores().contains(name), !StoreDirectory.reservedNames.contains(name) else {
      throw CommandError(
        .cannotCreate, "exists", "'\(name)' is the name of a store or of a verb of 'tote sync'",
        hint: "choose another name")
    }
    guard replace || !remotes.contains(name) else { throw RemoteDirectoryError.exists(name: name) }
    let url = try context.databaseURL(url)
    let remote = SavedRemote(
      name: name, url: url, secret: try secret(url, context), pin: pin,
      authorities: try ca.map(absolute))
    try remotes.save(remote, replaces: replace)
    if context.mode != .human { try context.emit(RemoteFacts(remote)) }
    try context.note("saved remote '\(name)'")
  }

  private func secret(_ url: WebURL, _ context: Context) throws -> SavedRemote.Secret? {
    if let tokenFile { return .token(try word(in: tokenFile)) }
    if let iamKeyFile { return .iamKey(try word(in: iamKeyFile)) }
    guard let user = user ?? (url.password == nil ? url.user : nil) else { return nil }
    let password =
      try context.streams.input.isTerminal
      ? context.prompt.secret("password of \(user): ", option: "the password on standard input")
      : context.streams.input.readLine()
    guard let password, !password.isEmpty else {
      throw CommandError.usage(
        "the password of '\(user)' is missing", hint: "give it as a line of standard input")
    }
    return .password(user: user, password: password)
  }

  /// The secret in a file, without the line end an editor puts there.
  private func word(in path: String) throws -> String {
    let lines = try readFile(path).split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    guard lines.count == 1 else {
      throw CommandError.invalidInput("'\(path)' must hold one line")
    }
    return String(decoding: lines[0], as: UTF8.self).trimmingSpaces()
  }

  private func absolute(_ path: String) throws -> String {
    _ = try readFile(path)
    return path.hasPrefix("/") ? path : (currentFolder() + "/" + path)
  }
}
