import Core
import HTTP

/// A listing of documents by id, sent in pages: however long it is, only a page is in memory.
struct Listing: Sendable {
  let store: LocalStore
  let wanted: ListRequest
  /// Just these keys, in this order; a key that is no string finds nothing, but has its row.
  let keys: [JSON]?
  let updateSequence: JSON?
  /// How many documents there are to list, when that is not all of the store.
  var totalRows: Int?

  /// Rows read at once: fewer when each brings a document, or its attachments' bytes.
  private var pageSize: Int {
    guard let options = wanted.documents else { return 2_000 }
    return options.attachmentBytes ? 20 : 200
  }

  /// The answer: with its length when it is one page, else a stream.
  func response() async throws -> HTTPResponse {
    var pages = Pages(self)
    let first = try pages.next()
    guard pages.isAtEnd else {
      let rest = pages
      return HTTPResponse(
        headers: ["Content-Type": "application/json", "Cache-Control": "must-revalidate"],
        body: .stream(length: nil) { writer in
          try await writer.write(first)
          try await Self.send(rest) { try await writer.write($0) }
          try await writer.write("\n")
        })
    }
    return .json(200, bytes: first + Pages.end)
  }

  /// Sends the listing as an object, without a line end.
  func write(_ send: ([UInt8]) async throws -> Void) async throws {
    try await Self.send(Pages(self), send)
  }

  private static func send(
    _ pages: Pages, _ send: ([UInt8]) async throws -> Void
  ) async throws {
    var pages = pages
    while !pages.isAtEnd {
      try Task.checkCancellation()
      try await send(try pages.next())
    }
    try await send(Pages.end)
  }

  /// How far a listing has come.
  private struct Pages: Sendable {
    private let listing: Listing
    private var request: ListRequest
    /// Keys that still want their row.
    private var keys: ArraySlice<JSON>?
    private var rest: Int
    private var isFirst = true
    private(set) var isAtEnd = false

    static let end = Array("\n]}".utf8)

    init(_ listing: Listing) {
      self.listing = listing
      request = listing.wanted
      rest = listing.wanted.limit ?? .max
      guard let keys = listing.keys else { return }
      // Skipped and cut here, so that each page has keys of its own.
      let ordered = request.descending ? Array(keys.reversed()) : keys
      self.keys = ordered.dropFirst(request.skip).prefix(rest)
      request.skip = 0
      request.descending = false
    }

    /// The next page's text, the head of the object before the first.
    mutating func next() throws -> [UInt8] {
      let size = min(rest, listing.pageSize)
      var asked: [JSON]?
      if let keys {
        asked = Array(keys.prefix(size))
        self.keys = keys.dropFirst(size)
        // Ids of other kinds than those that are listed are not found either.
        let prefix = request.prefix ?? ""
        request.ids = asked?.map { key in
          key.stringValue.flatMap { $0.utf8.starts(with: prefix.utf8) ? $0 : nil } ?? ""
        }
        request.limit = nil
      } else {
        request.limit = size
      }
      let page = try listing.store.allDocuments(request)
      var text = ByteBuffer(capacity: 1 << 14)
      if isFirst { appendHead(page, to: &text) }
      for (index, row) in page.rows.enumerated() {
        text.append(isFirst && index == 0 ? "\n" : ",\n")
        try append(row, key: asked?[index], to: &text)
      }
      // The comma belongs before a row only if there was one.
      if !page.rows.isEmpty || keys != nil { isFirst = isFirst && page.rows.isEmpty }
      advance(past: page, size: size)
      return text.bytes()
    }

    private mutating func advance(past page: DocumentList, size: Int) {
      request.countsRows = false
      if let keys {
        isAtEnd = keys.isEmpty
        return
      }
      rest -= page.rows.count
      isAtEnd = page.rows.count < size || rest == 0
      guard let last = page.rows.last else { return }
      request.start = last.id
      request.includesStart = false
      request.skip = 0
    }

    private func appendHead(_ page: DocumentList, to text: inout ByteBuffer) {
      let total = listing.totalRows ?? page.totalRows
      text.append("{\"total_rows\":\(total),\"offset\":")
      // As CouchDB counts: among all documents, but never beyond the rows there are.
      text.append(page.offset.map { String(min($0, total)) } ?? "null")
      if let sequence = listing.updateSequence {
        text.append(",\"update_seq\":")
        text.append(sequence.serializedBytes())
      }
      text.append(",\"rows\":[")
    }

    private func append(_ row: ListRow, key: JSON?, to text: inout ByteBuffer) throws {
      guard let revision = row.revision else {
        text.append("{\"key\":")
        text.append((key ?? .string(row.id)).serializedBytes())
        text.append(",\"error\":\"not_found\"}")
        return
      }
      text.append("{\"id\":")
      text.appendJSONString(row.id)
      text.append(",\"key\":")
      text.appendJSONString(row.id)
      text.append(",\"value\":{\"rev\":\"\(revision)\"")
      if row.isDeleted { text.append(",\"deleted\":true") }
      text.append("}")
      if request.documents != nil {
        text.append(",\"doc\":")
        text.append(try row.document?.expanded().jsonBytes ?? Array("null".utf8))
      }
      text.append("}")
    }
  }
}
