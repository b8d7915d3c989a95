import ArgumentParser
import Core

/// `tote store index list`.
struct StoreIndexList: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "list the indexes of a store",
    discussion: "The first one, the documents by id, is always there.")

  static let examples = [
    Example("tote store index list notes", "names, kinds and fields"),
    Example("tote store index list notes --json", "as CouchDB lists them"),
  ]

  static let outputKeys = [
    OutputKey("total_rows", "integer", "how many there are"),
    OutputKey("indexes", "array of objects", "the indexes; with '--jsonl' one a line"),
    OutputKey("indexes.ddoc", "string or null", "the design document it belongs to"),
    OutputKey("indexes.name", "string", "its name"),
    OutputKey("indexes.type", "string", "'json', 'text' or 'special'"),
    OutputKey("indexes.def", "object", "its 'fields' and 'partial_filter_selector'"),
  ]

  static let exitCodes = ExitClass.documented(.notFound, .inputOutput)
  static let seeAlso = ["tote store index create", "tote store index rm"]

  @OptionGroup var global: GlobalOptions

  @Argument(help: .store, completion: .storeNames)
  var store: String

  func run(in context: Context) async throws {
    let rows =
      [IndexLine(json: IndexDefinition.allDocumentsJSON)]
      + (try await context.anyStore(store).indexes().map { IndexLine(json: $0.json) })
    guard context.mode == .json else { return try context.emit(rows: rows) }
    try context.emit(
      json: ["total_rows": .integer(Int64(rows.count)), "indexes": .array(rows.map(\.json))])
  }
}

/// A line of the list of indexes.
struct IndexLine: ListRow {
  let json: JSON

  static let columns = [
    Column("NAME", .identifier), Column("TYPE", .identifier), Column("FIELDS"),
    Column("ONLY", dropOrder: 1),
  ]

  func cells(on screen: Screen) -> [Cell] {
    let filter = json["def"]?["partial_filter_selector"]?.serialized() ?? ""
    let fields = json["def"]?["fields"]?.arrayValue ?? []
    return [
      Cell(json["name"]?.stringValue ?? ""), Cell(json["type"]?.stringValue ?? ""),
      Cell(fields.map(Self.field).joined(separator: " ")), Cell(filter, look: .dim),
    ]
  }

  /// `{"due":"desc"}` as it is typed.
  private static func field(_ json: JSON) -> String {
    guard let member = json.objectValue?.first else { return json.stringValue ?? "" }
    return member.key + (member.value == "desc" ? ":desc" : "")
  }
}
