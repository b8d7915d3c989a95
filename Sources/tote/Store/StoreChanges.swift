import ArgumentParser
import Core

/// `tote store changes`.
struct StoreChanges: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "changes", abstract: "list documents by their last change",
    discussion: """
      Each document is listed once, at its last change. '--follow' goes on waiting for further \
      changes, also by other processes, and prints each at once; Ctrl-C ends it. A script follows \
      with '--jsonl' and goes on later from the last 'seq' it saw.
      """)

  static let examples = [
    Example("tote store changes notes", "what changed, the oldest first"),
    Example("tote store changes notes --descending --limit 5", "the last five changes"),
    Example("tote store changes notes --since now --follow --jsonl", "each new change on a line"),
    Example("tote store changes notes --selector '{\"done\": true}' --docs --json"),
  ]

  static let outputKeys = [
    OutputKey("results", "array of objects", "the changes; with '--jsonl' one a line"),
    OutputKey("results.seq", "integer", "the change's sequence"),
    OutputKey("results.id", "string", "the document's id"),
    OutputKey("results.changes", "array of objects", "its revisions, each as 'rev'"),
    OutputKey("results.deleted", "boolean", "true when it is deleted, else absent"),
    OutputKey("results.doc", "object", "the document, with '--docs'"),
    OutputKey("last_seq", "integer", "where to go on, for '--since'"),
    OutputKey("pending", "integer", "changes behind the last row"),
  ]

  static let exitCodes = ExitClass.documented(.usage, .invalidInput, .notFound, .inputOutput)
  static let seeAlso = ["tote store history", "tote store ls"]

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("only changes after this sequence, or 'now'", valueName: "S"))
  var since: Since = .sequence(.start)

  @Option(help: .limit)
  var limit: RowCount?

  @Flag(help: "go on waiting for changes")
  var follow = false

  @Flag(help: "from the last change back")
  var descending = false

  @Flag(help: "print the documents too")
  var docs = false

  @Flag(help: "name every leaf of a document, not just the winner")
  var allRevisions = false

  @Option(
    help: ArgumentHelp("only this document; may be repeated", valueName: "D"),
    completion: .documentIDs)
  var docID: [String] = []

  @Option(
    help: ArgumentHelp("only documents that match; '@FILE' and '-' read it", valueName: "JSON"))
  var selector: String?

  @Argument(help: .store, completion: .storeNames)
  var store: String

  func validate() throws {
    if follow && descending { throw ValidationError.exclusive("--follow", "--descending") }
    if follow && global.json {
      throw ValidationError(
        "'--follow' does not end, and '--json' is one document: use '--jsonl'")
    }
  }

  func run(in context: Context) async throws {
    let store = try context.anyStore(store)
    let filter = try selector.map { try Selector(argument: $0, in: context) }
    var feed = ChangesFeed(store: store, request: try await request(store), selector: filter)
    guard follow else {
      return try await context.paged { context in
        let listing = try ChangesListing(context, isLive: false, hasDocuments: docs)
        try await feed.forEach(listing.add)
        try listing.finish(last: feed.lastSequence, pending: feed.pending)
      }
    }
    let listing = try ChangesListing(context, isLive: true, hasDocuments: docs)
    try await feed.forEach(listing.add)
    try context.streams.output.flush()
    try await feed.follow(listing.add)
    try listing.finish(last: feed.lastSequence, pending: feed.pending)
  }

  private func request(_ store: any DocumentStore) async throws -> ChangesRequest {
    var request = ChangesRequest()
    switch since {
    case .now: request.since = try await store.currentSequence()
    case .sequence(let sequence): request.since = sequence
    }
    request.limit = limit?.value
    request.descending = descending
    request.allLeaves = allRevisions
    request.ids = docID.isEmpty ? nil : docID
    request.documents = docs ? ReadOptions() : nil
    return request
  }
}

/// Where a feed starts.
enum Since: ExpressibleByArgument, ExpectedValue, Sendable {
  case now
  case sequence(UpdateSequence)

  init?(argument: String) {
    if argument == "now" {
      self = .now
    } else if let number = Int(argument), number >= 0 {
      self = .sequence(UpdateSequence(number))
    } else if let head = argument.split(separator: "-").first, Int(head) != nil,
      argument.utf8.first != UInt8(ascii: "-"), argument.utf8.contains(UInt8(ascii: "-"))
    {
      // CouchDB's own: a number, a hyphen, and what only its servers can read.
      self = .sequence(UpdateSequence(.string(argument)))
    } else {
      return nil
    }
  }

  var defaultValueDescription: String {
    switch self {
    case .now: "now"
    case .sequence(let sequence): sequence.description
    }
  }

  static var expectedValue: String { "a sequence as 'changes' prints it, or 'now'" }
  static var defaultCompletionKind: CompletionKind { .list(["now"]) }
}

extension Selector {
  /// Reads a selector given as an option: JSON, `@FILE`, or `-`.
  init(argument: String, in context: Context) throws {
    let input = JSONInput(argument: argument, name: "the selector")
    try self.init(.object(try input.object("a selector", in: context)))
  }
}
