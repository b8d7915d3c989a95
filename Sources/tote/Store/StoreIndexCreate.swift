import ArgumentParser
import Core

/// `tote store index create`.
struct StoreIndexCreate: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "make an index",
    discussion: """
      An index over several fields serves conditions on the first of them, and sorts by all. A field \
      is written 'FIELD:desc' where greater values come first; all have the same direction. With \
      '--text' the words in the fields are indexed, for 'tote store find --text'.

      Making the same index twice makes one. One of the same name over other fields is replaced.
      """)

  static let examples = [
    Example("tote store index create notes priority due", "for conditions on 'priority'"),
    Example("tote store index create notes title body --text --name words", "for words"),
    Example("tote store index create notes due --type TodoItem", "of one type of documents only"),
  ]

  static let outputKeys = [
    OutputKey("result", "string", "'created' or 'exists'"),
    OutputKey("id", "string", "the design document it belongs to"),
    OutputKey("name", "string", "its name"),
  ]

  static let exitCodes = ExitClass.documented(.usage, .invalidInput, .notFound, .inputOutput)
  static let seeAlso = ["tote store find", "tote store index list"]

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("the index's name; made from its fields by default", valueName: "N"))
  var name: String?

  @Flag(help: "index the words in the fields")
  var text = false

  @Option(
    help: ArgumentHelp("only documents whose '@datatype' is T", valueName: "T"),
    completion: .datatypes)
  var type: String?

  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(help: ArgumentHelp("fields to index", valueName: "FIELD"), completion: .fields)
  var fields: [SortOrder]

  func validate() throws {
    if let name, name.isEmpty { throw ValidationError("'--name' must not be empty") }
    let directions = Set(fields.flatMap(\.fields).map(\.isDescending))
    if directions.count > 1 {
      throw ValidationError("all fields of an index have the same direction")
    }
  }

  /// A name that says what the index is over, different for each that can be made.
  private var readableName: String {
    let parts = fields.flatMap(\.fields).map { $0.path.text + ($0.isDescending ? ":desc" : "") }
    return ([text ? "text" : nil, type].compactMap(\.self) + parts).joined(separator: ",")
  }

  func run(in context: Context) async throws {
    let store = try context.anyStore(store)
    let filter = try type.map { try Selector(["@datatype": ["$eq": .string($0)]]) }
    let name = name ?? readableName
    let definition = try IndexDefinition(
      kind: text ? .text : .json, fields: fields.flatMap(\.fields),
      partialFilter: filter ?? .everything, name: name, designDocument: name)
    let outcome = try await store.createIndex(definition)
    if context.mode != .human {
      try context.emit(
        json: [
          "result": .string(outcome.rawValue), "id": .string(definition.designDocument),
          "name": .string(definition.name),
        ])
    }
    try context.note(
      outcome == .created
        ? "created index '\(definition.name)'" : "index '\(definition.name)' exists already")
  }
}
