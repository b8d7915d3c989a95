import ArgumentParser
import Core

/// `tote store attachments`.
struct StoreAttachments: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "attachments", abstract: "list the attachments of a document")

  static let examples = [
    Example("tote store attachments notes milk", "names, types and sizes"),
    Example("tote store attachments notes milk --json", "the same for a script"),
  ]

  static let outputKeys = [
    OutputKey("name", "string", "the attachment's name"),
    OutputKey("content_type", "string", "its media type"),
    OutputKey("length", "integer", "its bytes"),
    OutputKey("digest", "string", "'md5-' and the MD5 of its bytes in base 64"),
    OutputKey("revpos", "integer", "generation of the revision that brought it"),
  ]

  static let exitCodes = ExitClass.documented(.notFound, .inputOutput)
  static let seeAlso = ["tote store attach", "tote store fetch"]

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("those of this revision", valueName: "R"), completion: .revisions)
  var rev: RevisionID?

  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(help: .document, completion: .documentIDs)
  var document: String

  func run(in context: Context) async throws {
    let found = try await context.anyStore(store).document(
      document, ReadOptions(revision: rev))
    try context.emit(rows: found.attachments.map(AttachmentLine.init))
    if found.attachments.isEmpty { try context.note("'\(document)' has no attachments") }
  }
}

/// A line of the list of attachments.
struct AttachmentLine: ListRow {
  let attachment: Attachment

  static let columns = [
    Column("NAME", .identifier), Column("TYPE", dropOrder: 2), Column("SIZE", .number),
    Column("DIGEST", .identifier, dropOrder: 1),
  ]

  var json: JSON {
    [
      "name": .string(attachment.name), "content_type": .string(attachment.contentType),
      "length": .integer(Int64(attachment.length)), "digest": .string(attachment.digest),
      "revpos": .integer(Int64(attachment.revisionPosition)),
    ]
  }

  func cells(on screen: Screen) -> [Cell] {
    [
      Cell(attachment.name), Cell(attachment.contentType),
      Cell(humanSize(attachment.length), plain: String(attachment.length)),
      Cell(attachment.digest, look: .dim),
    ]
  }
}
