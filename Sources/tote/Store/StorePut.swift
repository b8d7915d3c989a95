import ArgumentParser
import Core

/// `tote store put`.
struct StorePut: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "put", abstract: "write a document",
    discussion: """
      A new document needs no revision; without DOC it gets the '_id' in the JSON, or a new id. To \
      change a document, name the revision that is replaced, by '--rev' or as '_rev' in the JSON; if \
      it is no longer the current one, the command fails with status 75 and changes nothing.

      '--merge' changes only the members given (RFC 7396: null removes one), on the current \
      revision. '--replace-latest' writes over the current revision, whichever it is.

      A lone operand after STORE is the document if it is '-' or starts with '{', else the id; an id \
      that looks like that is given with '--id'. Attachments stay only where '--merge' is used, or \
      where '_attachments' lists them.
      """)

  static let examples = [
    Example("tote store put notes '{\"title\": \"Milk\"}'", "a new document with a new id"),
    Example("tote store put notes milk '{\"title\": \"Milk\"}'", "a new document 'milk'"),
    Example("tote store put notes milk --merge '{\"done\": true}'", "change one member"),
    Example("tote store put notes milk --file milk.json --rev 1-f3b2a41cbbd6a9aa0b5d0ac8f31c2c41"),
    Example("tote store put notes - --type Note", "read the document from standard input"),
  ]

  static let outputKeys = Written.outputKeys
  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .inputOutput, .conflict)
  static let seeAlso = ["tote store edit", "tote store import", "tote store attach"]

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp("the document's id; the operand is then the document", valueName: "ID"))
  var id: String?

  @Option(
    help: ArgumentHelp("read the document from a file", valueName: "F"),
    completion: .file(extensions: ["json"]))
  var file: String?

  @Option(
    help: ArgumentHelp("the revision that is replaced", valueName: "R"), completion: .revisions)
  var rev: RevisionID?

  @Option(
    help: ArgumentHelp("set '@datatype', the document's type", valueName: "T"),
    completion: .datatypes)
  var type: String?

  @Flag(help: "change only the members given")
  var merge = false

  @Flag(help: "write over the current revision, whichever it is")
  var replaceLatest = false

  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(
    help: ArgumentHelp("the document's id", valueName: "DOC"), completion: .documentIDs)
  var document: String?

  @Argument(help: ArgumentHelp("the document; '-' reads standard input", valueName: "JSON|-"))
  var body: String?

  func validate() throws {
    if merge && replaceLatest { throw ValidationError.exclusive("--merge", "--replace-latest") }
    if replaceLatest && rev != nil { throw ValidationError.exclusive("--replace-latest", "--rev") }
    if id != nil && body != nil {
      throw ValidationError("the id is given twice: by '--id' and as an operand")
    }
    let operands = self.operands
    if file != nil && operands.body != nil {
      throw ValidationError("the document is given twice: as an operand and by '--file'")
    }
    if file == nil && operands.body == nil {
      throw ValidationError("missing the document: give JSON, '-' or '--file F'")
    }
  }

  func run(in context: Context) async throws {
    let store = try context.anyStore(store)
    var members = try input.object(
      "the document", hint: "to store many documents, use 'tote store import'", in: context)
    if let type { members["@datatype"] = .string(type) }
    let writer = DocumentPut(store: store, context: context)
    let written =
      merge
      ? try await writer.merge(members, into: operands.id, revision: rev)
      : try await writer.put(
        members, id: operands.id, revision: rev, replacesLatest: replaceLatest)
    try context.emit(written)
  }

  /// What the operands mean.
  private var operands: (id: String?, body: String?) {
    if let id { return (id, document) }
    if let body { return (document, body) }
    guard let lone = document else { return (nil, nil) }
    let isBody = lone == "-" || lone.utf8.first { $0 > 0x20 } == UInt8(ascii: "{")
    return isBody ? (nil, lone) : (lone, nil)
  }

  private var input: JSONInput {
    if let file { return file == "-" ? .standardInput : .file(file) }
    let body = operands.body ?? ""
    return body == "-" ? .standardInput : .text(body, name: "the document")
  }
}
