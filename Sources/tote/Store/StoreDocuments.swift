import ArgumentParser
import Core

/// `tote store ls`.
struct StoreDocuments: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls", abstract: "list documents by id",
    discussion: """
      Documents are listed in the order of their ids' bytes. '--start' and '--end' are included; \
      with '--descending' the start is the greater one. Deleted documents are not listed.
      """)

  static let examples = [
    Example("tote store ls notes", "all documents"),
    Example("tote store ls notes --prefix 2026- --limit 10", "the first ten of a kind"),
    Example("tote store ls notes --docs --jsonl", "every document on a line"),
  ]

  static let outputKeys = [
    OutputKey("total_rows", "integer", "documents in the store"),
    OutputKey("offset", "integer", "documents before the first row"),
    OutputKey("rows", "array of objects", "one for each document; with '--jsonl' one a line"),
    OutputKey("rows.id", "string", "the document's id"),
    OutputKey("rows.key", "string", "the same"),
    OutputKey("rows.value.rev", "string", "its current revision"),
    OutputKey("rows.doc", "object", "the document, with '--docs'"),
  ]

  static let exitCodes = ExitClass.documented(.notFound, .inputOutput)
  static let seeAlso = ["tote store find", "tote store get", "tote store changes"]

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("the first id", valueName: "K"), completion: .documentIDs)
  var start: String?

  @Option(help: ArgumentHelp("the last id", valueName: "K"), completion: .documentIDs)
  var end: String?

  @Option(
    help: ArgumentHelp("only ids that begin with P", valueName: "P"), completion: .documentIDs)
  var prefix: String?

  @Option(help: .limit)
  var limit: RowCount?

  @Option(help: .skip)
  var skip: RowCount?

  @Flag(help: "from the greatest id down")
  var descending = false

  @Flag(help: "print the documents too")
  var docs = false

  @Argument(help: .store, completion: .storeNames)
  var store: String

  func run(in context: Context) async throws {
    var pages = DocumentPages(store: try context.anyStore(store), request: request)
    guard var page = try await pages.next() else { return }
    let listing = try DocumentListing(context, first: page, hasDocuments: docs)
    while true {
      for row in page.rows { try listing.add(row) }
      guard let next = try await pages.next() else { break }
      page = next
    }
    try listing.finish()
  }

  private var request: ListRequest {
    var request = ListRequest()
    request.start = start
    request.end = end
    request.prefix = prefix
    request.descending = descending
    request.limit = limit?.value
    request.skip = skip?.value ?? 0
    request.documents = docs ? ReadOptions() : nil
    return request
  }
}
