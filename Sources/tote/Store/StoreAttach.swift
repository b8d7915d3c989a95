import ArgumentParser
import Core

/// `tote store attach`.
struct StoreAttach: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "attach", abstract: "attach files to a document",
    discussion: """
      All files become attachments in one new revision of the document; one of the same name is \
      replaced. An attachment is named after its file, or by '--name'. Its type is told by the \
      file's first bytes and its extension, unless '--type' says it. '-' reads standard input and \
      needs '--name'.
      """)

  static let examples = [
    Example("tote store attach notes milk label.jpg receipt.pdf", "two files"),
    Example("tote store attach notes milk - --name log.txt", "what a pipe delivers"),
  ]

  static let outputKeys = Written.outputKeys
  static let exitCodes = ExitClass.documented(
    .failed, .usage, .invalidInput, .notFound, .inputOutput, .conflict, .notPermitted)
  static let seeAlso = ["tote store attachments", "tote store fetch", "tote store detach"]

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("the attachment's name", valueName: "N"))
  var name: String?

  @Option(help: ArgumentHelp("the attachment's media type, such as image/jpeg", valueName: "T"))
  var type: String?

  @Option(
    help: ArgumentHelp("the revision that is replaced", valueName: "R"), completion: .revisions)
  var rev: RevisionID?

  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(help: .document, completion: .documentIDs)
  var document: String

  @Argument(
    help: ArgumentHelp("files to attach; '-' reads standard input", valueName: "FILE"),
    completion: .file())
  var files: [String]

  func validate() throws {
    if name != nil && files.count > 1 {
      throw ValidationError("'--name' goes with one file, and \(files.count) are given")
    }
    if name == nil && files.contains("-") {
      throw ValidationError("'-' needs '--name', the attachment's name")
    }
    if let name, name.isEmpty || name.utf8.first == UInt8(ascii: "_") {
      throw ValidationError("'--name' cannot be '\(name)': it must not be empty or begin with '_'")
    }
  }

  func run(in context: Context) async throws {
    let store = try context.anyStore(store)
    // Before gigabytes are copied: is there anything to attach them to?
    _ = try await existing(in: store)
    var staged: [Attachment] = []
    var failures = PartialFailure()
    for file in files {
      do {
        let upload = AttachmentUpload(store: store, context: context)
        staged.append(try upload.stage(file, name: name, type: type))
      } catch {
        try failures.add(error)
      }
    }
    if !staged.isEmpty {
      let revision = try await attach(staged, in: store)
      try context.emit(Written(id: document, revision: revision))
      for attachment in staged {
        try context.note(
          "attached '\(attachment.name)' (\(attachment.contentType), "
            + "\(humanSize(attachment.length)))")
      }
    }
    try failures.finish(inputs: files.count)
  }

  private func attach(_ new: [Attachment], in store: any DocumentStore) async throws -> RevisionID {
    let names = Set(new.map { UTF8Key($0.name) })
    func extended(_ document: Document) -> Document {
      var document = document
      document.attachments.removeAll { names.contains(UTF8Key($0.name)) }
      document.attachments += new
      return document
    }
    if rev != nil { return try await store.put(extended(try await existing(in: store))) }
    return try await store.update(document) { current in
      guard let current else { throw missing(in: store) }
      return extended(current)
    }.revision
  }

  private func existing(in store: any DocumentStore) async throws -> Document {
    do {
      return try await store.document(document, ReadOptions(revision: rev))
    } catch StoreError.documentNotFound where rev == nil {
      throw missing(in: store)
    }
  }

  private func missing(in store: any DocumentStore) -> CommandError {
    CommandError(
      .notFound, "not_found", "document '\(document)' not found",
      hint:
        "make it first: tote store put \(shellQuoted(store.name)) \(shellQuoted(document)) '{}'",
      details: [("id", .string(document))])
  }
}
