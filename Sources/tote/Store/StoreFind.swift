import ArgumentParser
import Core

/// `tote store find`.
struct StoreFind: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "find", abstract: "find documents by what they hold",
    discussion: """
      '--where' takes a condition such as 'priority >= 2 AND name CONTAINS[c] "milk"'; 'tags IN \
      {"a", "b"}', 'BEGINSWITH', 'ENDSWITH', 'LIKE', 'MATCHES', 'BETWEEN', 'ANY', 'NOT' and brackets \
      are understood, and fields inside others are written with dots. '--selector' takes a CouchDB \
      selector. '--text' looks for words in a text index. All that are given must hold; without any \
      every document is found.

      An index made with 'tote store index create' makes a search fast; '--explain' tells whether one \
      is used.

      Where there are more documents than '--limit' asks for, the answer has a 'bookmark' for the \
      next page.
      """)

  static let examples = [
    Example("tote store find notes --where 'done = false AND priority >= 2'", "by a condition"),
    Example("tote store find notes --selector '{\"tags\": {\"$all\": [\"shop\"]}}' --jsonl"),
    Example("tote store find notes --sort priority:desc,title --fields _id,title --limit 10"),
    Example("tote store find notes --text 'oat milk' --count", "how many mention both words"),
  ]

  static let outputKeys = [
    OutputKey("docs", "array of objects", "the documents; with '--jsonl' one a line"),
    OutputKey("bookmark", "string", "where the next page starts, for '--bookmark'"),
    OutputKey("warning", "string", "what may make the search slow, else absent"),
    OutputKey("execution_stats", "object", "how much was read, with '--stats'"),
    OutputKey("count", "integer", "how many there are, with '--count' instead of all else"),
  ]

  static let exitCodes = ExitClass.documented(.usage, .invalidInput, .notFound, .inputOutput)
  static let seeAlso = ["tote store index create", "tote store ls"]

  @OptionGroup var global: GlobalOptions

  @Option(name: .customLong("where"), help: ArgumentHelp("a condition", valueName: "PREDICATE"))
  var predicate: String?

  @Option(
    help: ArgumentHelp(
      "a CouchDB selector; '@FILE' and '-' read it", valueName: "JSON|@FILE"),
    completion: .file(extensions: ["json"]))
  var selector: String?

  @Option(
    help: ArgumentHelp("only documents whose '@datatype' is T", valueName: "T"),
    completion: .datatypes)
  var type: String?

  @Option(
    help: ArgumentHelp("sort by fields; 'FIELD:desc' turns the order", valueName: "F[:desc],..."),
    completion: .fields)
  var sort: SortOrder?

  @Option(
    help: ArgumentHelp("print only these fields", valueName: "F,..."), completion: .fields)
  var fields: FieldList?

  @Option(help: .limit)
  var limit: RowCount?

  @Option(help: .skip)
  var skip: RowCount?

  @Option(help: ArgumentHelp("go on after this place of an earlier answer", valueName: "B"))
  var bookmark: String?

  @Option(help: ArgumentHelp("words that a text index must find", valueName: "WORDS"))
  var text: String?

  @Flag(help: "tell how many there are, not which")
  var count = false

  @Flag(help: "tell how the answer would be found")
  var explain = false

  @Flag(help: "tell how much was read")
  var stats = false

  @Argument(help: .store, completion: .storeNames)
  var store: String

  func validate() throws {
    if count && explain { throw ValidationError.exclusive("--count", "--explain") }
    if count && fields != nil { throw ValidationError.exclusive("--count", "--fields") }
  }

  func run(in context: Context) async throws {
    let store = try context.anyStore(store)
    let request = try request(context)
    if explain {
      guard let local = store as? LocalStore else {
        return try context.emit(json: try await store.explanation(request))
      }
      let plan = try local.explain(request)
      return try context.emit(ExplainResult(store: store.name, request: request, plan: plan))
    }
    if count { return try context.emit(CountResult(count: try await store.count(request))) }
    try await FindListing(context: context, withStatistics: stats).run(request, in: store)
  }

  private func request(_ context: Context) throws -> FindRequest {
    var all = Selector.everything
    if let predicate { all = all.and(try Predicate.selector(parsing: predicate)) }
    if let selector { all = all.and(try Selector(argument: selector, in: context)) }
    if let type { all = all.and(try Selector(["@datatype": ["$eq": .string(type)]])) }
    var request = FindRequest(selector: all)
    request.text = text
    request.sort = sort?.fields ?? []
    request.fields = fields?.paths ?? []
    request.limit = limit?.value
    request.skip = skip?.value ?? 0
    request.bookmark = bookmark
    request.executionStatistics = stats
    return request
  }
}
