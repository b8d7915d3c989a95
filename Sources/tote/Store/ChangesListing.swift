import Core

/// Prints changes, as CouchDB's `_changes`.
final class ChangesListing {
  private let context: Context
  private let list: ListWriter<ChangeLine>
  private let writer: DocumentWriter
  private let hasDocuments: Bool
  private var array: ArrayStream?

  /// Starts.
  ///
  /// - Parameters:
  ///   - context: where it is printed.
  ///   - isLive: whether each row is passed on at once.
  ///   - hasDocuments: whether documents are printed too.
  /// - Throws: `OutputError` when its start cannot be written.
  init(_ context: Context, isLive: Bool, hasDocuments: Bool) throws(OutputError) {
    self.context = context
    self.hasDocuments = hasDocuments
    list = ListWriter(context, isLive: isLive)
    writer = DocumentWriter(context, isList: true)
    if context.mode == .json { array = try ArrayStream(context, head: [], array: "results") }
  }

  func add(_ change: Change) throws {
    let line = ChangeLine(change: change, hasDocument: hasDocuments)
    switch context.mode {
    case .json: try array?.add(line.bytes)
    case .jsonLines: try writer.add(line.bytes)
    case .human: try list.add(line)
    }
  }

  func finish(last: UpdateSequence, pending: Int) throws {
    try array?.finish(
      tail: [("last_seq", last.json), ("pending", .integer(Int64(pending)))])
    if context.mode == .human { try list.finish() }
  }
}

/// A line of the list of changes.
struct ChangeLine: ListRow {
  let change: Change
  let hasDocument: Bool

  static let columns = [
    Column("SEQ", .number), Column("ID", .identifier),
    Column("REVISION", .identifier, dropOrder: 1), Column("", .identifier), Column("DOCUMENT"),
  ]

  var json: JSON { (try? JSON(parsing: bytes)) ?? .null }

  /// The row as CouchDB has it, made without parsing the document.
  var bytes: [UInt8] {
    var text: [UInt8] = Array("{\"seq\":\(change.sequence.json.serialized()),\"id\":".utf8)
    text += JSON.string(change.id).serializedBytes()
    text += Array(",\"changes\":[".utf8)
    for (index, revision) in change.revisions.enumerated() {
      text += Array("\(index == 0 ? "" : ","){\"rev\":\"\(revision)\"}".utf8)
    }
    text.append(UInt8(ascii: "]"))
    if change.isDeleted { text += Array(",\"deleted\":true".utf8) }
    if let document = change.document {
      text += Array(",\"doc\":".utf8)
      text += document.jsonBytes
    }
    text.append(UInt8(ascii: "}"))
    return text
  }

  func cells(on screen: Screen) -> [Cell] {
    let document = change.document.map { String(decoding: $0.jsonBytes, as: UTF8.self) }
    let cells = [
      Cell(change.sequence.description), Cell(change.id),
      Cell(change.revisions.map(\.description).joined(separator: " "), look: .dim),
      Cell(change.isDeleted ? "deleted" : "", look: .red),
    ]
    // Without documents the column must not be there for pipes either; on a terminal it is empty.
    return hasDocument || screen.isTerminal ? cells + [Cell(document ?? "")] : cells
  }
}
