import ArgumentParser
import Core

/// `tote store fetch`.
struct StoreFetch: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch", abstract: "read an attachment",
    discussion: """
      Writes the attachment's bytes to standard output, or to a file that appears only when it is \
      complete. What is not text is not written to a terminal. The bytes are checked against their \
      digest; if they are damaged, the status is 74.
      """)

  static let examples = [
    Example("tote store fetch notes milk label.jpg --output label.jpg", "into a file"),
    Example("tote store fetch notes milk log.txt | tail", "into a pipe"),
  ]

  static let outputKeys = [
    OutputKey("name", "string", "the attachment's name"),
    OutputKey("content_type", "string", "its media type"),
    OutputKey("length", "integer", "its bytes"),
    OutputKey("digest", "string", "'md5-' and the MD5 of its bytes in base 64"),
    OutputKey("output", "string", "the file written"),
  ]

  static let exitCodes = ExitClass.documented(.usage, .notFound, .cannotCreate, .inputOutput)
  static let seeAlso = ["tote store attachments", "tote store attach"]

  @OptionGroup var global: GlobalOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("the file to write; '-' is standard output", valueName: "F"),
    completion: .file())
  var output: String?

  @Option(
    help: ArgumentHelp("the attachment of this revision", valueName: "R"), completion: .revisions)
  var rev: RevisionID?

  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(help: .document, completion: .documentIDs)
  var document: String

  @Argument(
    help: ArgumentHelp("the attachment's name", valueName: "NAME"), completion: .attachmentNames)
  var name: String

  func validate() throws {
    let isToFile = output != nil && output != "-"
    if !isToFile && (global.json || global.jsonLines) {
      throw ValidationError(
        "standard output cannot hold both the attachment and JSON: give a file with '--output'")
    }
  }

  func run(in context: Context) async throws {
    let store = try context.anyStore(store)
    guard let output, output != "-" else {
      try await copy(from: store, context, begin: { try refuseTerminal($0, context) }) {
        try context.streams.output.write($0)
      }
      return
    }
    var file: OutputFile?
    let attachment = try await copy(
      from: store, context, begin: { _ in file = try OutputFile(path: output) }
    ) { try file?.write($0) }
    try file?.commit()
    if context.mode != .human { try context.emit(json: Self.json(attachment, output)) }
    try context.note("wrote '\(output)' (\(humanSize(attachment.length)))")
  }

  /// What is not text would upset a terminal.
  private func refuseTerminal(_ attachment: Attachment, _ context: Context) throws {
    guard context.streams.outputTraits.isTerminal, output == nil,
      !FileType.isText(attachment.contentType)
    else { return }
    throw CommandError.usage(
      "'\(name)' is \(attachment.contentType) and would upset the terminal",
      hint: "give a file with '--output F', or '--output -' to write it all the same")
  }

  @discardableResult
  private func copy(
    from store: any DocumentStore, _ context: Context, begin: (Attachment) throws -> Void,
    to write: (UnsafeRawBufferPointer) throws -> Void
  ) async throws -> Attachment {
    var attachment = Attachment(name: name, contentType: "")
    var done = 0
    try await store.readAttachment(
      named: name, of: document, revision: rev,
      begin: { found in
        attachment = found
        try begin(found)
      },
      { piece in
        try write(piece)
        done += piece.count
        try Task.checkCancellation()
        let (done, total) = (done, attachment.length)
        context.progress.update { "copied \(humanSize(done)) of \(humanSize(total))" }
      })
    context.progress.clear()
    return attachment
  }

  private static func json(_ attachment: Attachment, _ output: String) -> JSON {
    [
      "name": .string(attachment.name), "content_type": .string(attachment.contentType),
      "length": .integer(Int64(attachment.length)), "digest": .string(attachment.digest),
      "output": .string(output),
    ]
  }
}
