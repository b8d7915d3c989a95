import ArgumentParser
import Core

/// `tote store get`.
struct StoreGet: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "print documents",
    discussion: """
      Prints the current revision of each document, or with '--rev' an older one whose text is still \
      kept. With '--json' one document is printed as it is and several as an array, in which one that \
      cannot be read is a row with 'error' and 'reason'.

      '--field' prints only the value at a path such as 'address.city': text as it is, anything else \
      as JSON; an empty line where there is none. With '--json' it is an object of the paths asked for.
      """)

  static let examples = [
    Example("tote store get notes milk", "one document"),
    Example("tote store get notes milk --field title", "one value, for a script"),
    Example("tote store get notes milk bread --json", "two documents as an array"),
    Example("tote store get notes milk --conflicts --revs", "with what is known of its revisions"),
  ]

  static let outputKeys = [
    OutputKey("_id", "string", "the document's id"),
    OutputKey("_rev", "string", "the revision printed"),
    OutputKey("…", "any", "the document's own members"),
    OutputKey("_deleted", "boolean", "true for a tombstone, else absent"),
    OutputKey("_revisions", "object", "'start' and 'ids' of the ancestors, with '--revs'"),
    OutputKey("_attachments", "object", "the attachments by name, absent when there are none"),
    OutputKey("_conflicts", "array of strings", "losing revisions, with '--conflicts', if any"),
  ]

  static let exitCodes = ExitClass.documented(.failed, .invalidInput, .notFound, .inputOutput)
  static let seeAlso = ["tote store ls", "tote store find", "tote store history"]

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("print this revision", valueName: "R"), completion: .revisions)
  var rev: RevisionID?

  @Flag(help: "tell the revisions in conflict with it")
  var conflicts = false

  @Flag(help: "tell the revisions it descends from")
  var revs = false

  @Flag(help: "put the attachments' bytes in, as base 64")
  var attachments = false

  @Option(
    help: ArgumentHelp("print only this field; may be repeated", valueName: "PATH"),
    completion: .fields)
  var field: [FieldPath] = []

  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(help: .documents, completion: .documentIDs)
  var documents: [String]

  func validate() throws {
    if rev != nil && documents.count > 1 {
      throw ValidationError("'--rev' goes with one document, and \(documents.count) are named")
    }
  }

  func run(in context: Context) async throws {
    let store = try context.anyStore(store)
    var failures = PartialFailure()
    try await context.paged { try await printAll(from: store, in: $0, &failures) }
    try failures.finish(inputs: documents.count)
  }

  private func printAll(
    from store: any DocumentStore, in context: Context, _ failures: inout PartialFailure
  ) async throws {
    let isList = documents.count > 1
    let writer = DocumentWriter(context, isList: isList)
    for id in documents {
      do {
        let document = try await store.document(id, options)
        try field.isEmpty
          ? writer.add(document.jsonBytes)
          : FieldOutput(paths: field).write(document.json, to: writer, context)
      } catch {
        let known = try failures.noting(error)
        if isList && context.mode != .human {
          try writer.add(errorRow(id: id, known).serializedBytes())
        }
      }
    }
    try writer.finish()
  }

  private var options: ReadOptions {
    var options = ReadOptions(revision: rev)
    options.conflicts = conflicts
    options.history = revs
    options.attachmentBytes = attachments
    return options
  }
}

/// Prints some fields of a document.
struct FieldOutput {
  let paths: [FieldPath]

  func write(_ document: JSON, to writer: DocumentWriter, _ context: Context) throws {
    let values = paths.map { $0.value(in: document) }
    guard context.mode == .human else {
      let members = zip(paths, values).map { ($0.text, $1 ?? .null) }
      return try writer.add(JSON.object(JSONObject(members)).serializedBytes())
    }
    let texts = values.map { $0.map(Self.plain) ?? "" }
    let line = texts.count == 1 ? texts[0] : Table.plainLine(of: texts.map { Cell($0) })
    try context.screen.data(line)
  }

  /// A value for a shell: text without quotes, anything else as JSON.
  static func plain(_ value: JSON) -> String { value.stringValue ?? value.serialized() }
}
