import Core

/// Reads a listing of documents in pages, so that a long one needs no memory.
struct DocumentPages {
  private static let rowsAtFirst = 1_000
  private static let rowsAtMost = 10_000
  /// What a page should weigh, in bytes.
  private static let pageBytes = 8 << 20

  private let store: any DocumentStore
  private var request: ListRequest
  private var rest: Int
  private var size = rowsAtFirst
  private var isDone = false

  init(store: any DocumentStore, request: ListRequest) {
    self.store = store
    self.request = request
    rest = request.limit ?? .max
  }

  /// The next page; nil at the end, but never the first time.
  mutating func next() async throws -> DocumentList? {
    guard !isDone else { return nil }
    request.limit = min(size, rest)
    let page = try await store.allDocuments(request)
    rest -= page.rows.count
    isDone = page.rows.count < size || rest == 0
    if let last = page.rows.last {
      // The next page starts at the last row, and passes over it.
      request.start = last.id
      request.skip = 1
      resize(after: page)
    }
    return page
  }

  /// Documents may be tiny or huge: a page is as long as the last one suggests.
  private mutating func resize(after page: DocumentList) {
    let bytes = page.rows.reduce(0) { $0 + 100 + ($1.document?.body.bytes.count ?? 0) }
    let fitting = DocumentPages.pageBytes * page.rows.count / max(bytes, 1)
    size = min(max(fitting, 10), DocumentPages.rowsAtMost)
  }
}

/// Prints a listing of documents, as CouchDB's `_all_docs`.
final class DocumentListing {
  private let context: Context
  private let hasDocuments: Bool
  private var array: ArrayStream?
  private let list: ListWriter<DocumentLine>
  private let writer: DocumentWriter

  /// Starts a listing.
  ///
  /// - Parameters:
  ///   - context: where it is printed.
  ///   - first: its first page, which tells how many documents there are.
  ///   - hasDocuments: whether documents are printed too.
  /// - Throws: `OutputError` when its start cannot be written.
  init(_ context: Context, first: DocumentList, hasDocuments: Bool) throws(OutputError) {
    self.context = context
    self.hasDocuments = hasDocuments
    list = ListWriter(context)
    writer = DocumentWriter(context, isList: true)
    if context.mode == .json {
      array = try ArrayStream(
        context,
        head: [
          ("total_rows", .integer(Int64(first.totalRows))),
          ("offset", first.offset.map { .integer(Int64($0)) } ?? .null),
        ], array: "rows")
    }
  }

  func add(_ row: Core.ListRow) throws {
    switch context.mode {
    case .json: try array?.add(DocumentLine(row: row).bytes)
    case .jsonLines: try writer.add(DocumentLine(row: row).bytes)
    case .human:
      if hasDocuments {
        if let document = row.document { try writer.add(document.jsonBytes) }
      } else {
        try list.add(DocumentLine(row: row))
      }
    }
  }

  func finish() throws {
    switch context.mode {
    case .json: try array?.finish()
    case .jsonLines: break
    case .human: try list.finish()
    }
  }
}

/// A line of the list of documents.
struct DocumentLine: ListRow {
  let row: Core.ListRow

  static let columns = [Column("ID", .identifier), Column("REVISION", .identifier, dropOrder: 1)]

  var json: JSON { (try? JSON(parsing: bytes)) ?? .null }

  /// The row as CouchDB has it, made without parsing the document.
  var bytes: [UInt8] {
    let id = JSON.string(row.id).serializedBytes()
    var text: [UInt8] = Array("{\"id\":".utf8)
    text += id
    text += Array(",\"key\":".utf8)
    text += id
    text += Array(",\"value\":{\"rev\":\"\(row.revision?.description ?? "")\"}".utf8)
    if let document = row.document {
      text += Array(",\"doc\":".utf8)
      text += document.jsonBytes
    }
    text.append(UInt8(ascii: "}"))
    return text
  }

  func cells(on screen: Screen) -> [Cell] {
    [Cell(row.id), Cell(row.revision?.description ?? "", look: .dim)]
  }
}
