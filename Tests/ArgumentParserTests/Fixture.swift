import ArgumentParser

/// A small command tree in the shape of the real one, for every test of this module.
struct Fixture: ParsableCommand, HelpTopicProvider, DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "tote", abstract: "keep documents and todos",
    discussion: "Everything is a document in a store.", version: "1.4.0",
    groupedSubcommands: [
      CommandGroup(name: "Documents", subcommands: [Store.self]),
      CommandGroup(name: "Lists", subcommands: [Todo.self, Sync.self]),
      CommandGroup(name: "Hidden", subcommands: [Secret.self]),
    ])
  static let helpTopics = [
    HelpTopic("dates", abstract: "how to write a date", text: "A date is a day.\n\n    2026-12-24")
  ]
  static let examples = [Example("tote todo add \"Buy milk\"", "adds a todo")]

  @OptionGroup(title: "Global options") var global: GlobalOptions
}

struct GlobalOptions: InheritedOptions, EnvironmentDefaults {
  static let environment = ["home": "TOTE_HOME", "quiet": "TOTE_QUIET"]

  @Option(
    help: ArgumentHelp("the folder that holds the stores", valueName: "DIR"),
    completion: .directory)
  var home: String?

  @Flag(name: [.customShort("j"), .long], help: "print JSON") var json = false
  @Flag(name: .shortAndLong, help: "say less") var quiet = false
  @Flag(name: .shortAndLong, help: "say more; may be repeated") var verbose: Int
  @Option(help: "when to use colour") var color = Color.auto
}

enum Color: String, CaseIterable, ExpressibleByArgument { case auto, always, never }

enum Priority: String, CaseIterable, ExpressibleByArgument {
  case high, medium, low

  static var allValueDescriptions: [String: String] { ["high": "red", "medium": "yellow"] }
}

struct Secret: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stora", abstract: "hidden", shouldDisplay: false)
}

// MARK: - store

struct Store: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "documents from the shell",
    subcommands: [StorePut.self, StoreResolve.self, StoreFind.self])
}

struct StorePut: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "put", abstract: "write a document")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "the store") var store: String
  @Argument(help: "the document's id") var doc: String?
  @Argument(help: "the body, or - for standard input") var json: String?
  @Option(name: .shortAndLong, help: "the revision it replaces") var rev: String?
}

enum Resolution: String, EnumerableFlag { case newest, oldest }

struct StoreResolve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve", abstract: "settle a conflict")

  @Argument(help: "the store") var store: String
  @Argument(help: "the document") var doc: String
  @Flag(help: "which revision wins") var resolution: Resolution?
  @Option(help: "the revision to keep") var keep: String?

  func validate() throws {
    if keep != nil, resolution == .newest { throw ValidationError.exclusive("--keep", "--newest") }
  }
}

struct Paging: ParsableArguments {
  @Option(help: ArgumentHelp("stop after N rows", valueName: "N")) var limit = 50
  @Option(help: ArgumentHelp("leave out the first N rows", valueName: "N")) var skip = 0

  func validate() throws {
    if limit < 0 { throw ValidationError("'--limit' cannot be negative") }
  }
}

struct StoreFind: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find", abstract: "find documents")

  @OptionGroup(title: "Paging") var paging: Paging
  @Argument(help: "the store") var store: String
  @Option(help: "the condition") var `where`: String
  @Option(help: "the port") var port: UInt16?
  @Option(help: "a number") var factor: Double = 1

  func validate() throws {
    if factor > 9 { throw ValidationError("'--factor' is too large") }
  }
}

// MARK: - todo

struct Todo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "todo", abstract: "documents that are a list",
    subcommands: [TodoAdd.self, TodoList.self, TodoDone.self], defaultSubcommand: TodoList.self)
}

struct TodoAdd: AsyncParsableCommand, DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "add a todo",
    discussion: """
      Adds one todo. The words are joined with single spaces.

      - the text is never parsed
        for attributes
      - use the options instead

          tote todo add "Buy milk"
      """)
  static let examples = [
    Example("tote todo add \"Buy milk\" --due tomorrow", "adds a todo that is due tomorrow")
  ]
  static let exitCodes = [ExitStatus(0, "added"), ExitStatus(66, "no such store")]
  static let seeAlso = ["tote todo list", "tote-json(5)"]

  @OptionGroup var global: GlobalOptions
  @Argument(help: "the text of the todo") var text: [String]
  @Option(name: .shortAndLong, help: "how urgent it is") var priority = Priority.low
  @Option(help: ArgumentHelp("when it is due", valueName: "WHEN")) var due: String?
  @Option(name: .shortAndLong, help: "a tag; may be repeated") var tag: [String] = []
  @Option(name: .customShort("n", allowingJoined: true), help: "how many") var number: Int?
  @Flag(name: .shortAndLong, inversion: .prefixedNo, help: "whether it is a favourite")
  var favourite: Bool?
  @Flag(name: .shortAndLong, help: "say what would happen") var dryRun = false
}

struct TodoList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "list the todos", aliases: ["ls"])

  @OptionGroup var global: GlobalOptions
  @Flag(name: .shortAndLong, help: "those that are done too") var all = false
  @Option(help: "only those of a priority") var priority: Priority?
}

struct TodoDone: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "done", abstract: "tick off todos")

  @Argument(help: "the ids") var id: [String] = []
  @Flag(name: .customShort("0"), help: "ids end in NUL") var zero = false
}

// MARK: - sync

struct Sync: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "exchange documents",
    subcommands: [SyncRun.self, SyncSend.self], defaultSubcommand: SyncRun.self)
}

struct SyncRun: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "pull, then push")

  @Argument(help: "the store") var store: String
  @Argument(help: "the remote") var remote: String?
}

struct SyncSend: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send", abstract: "send files")

  @Argument(help: "the ticket") var ticket: String?
  @Argument(help: "the files", completion: .file()) var file: [String]
}
