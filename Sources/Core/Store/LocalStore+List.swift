/// Which documents `allDocuments` lists.
public struct ListRequest: Sendable {
  /// The first id, inclusive; nil for the first there is.
  ///
  /// With `descending` the greatest.
  public var start: String?
  /// Whether `start` itself is listed.
  public var includesStart = true
  /// The last id; nil for the last there is.
  public var end: String?
  /// Whether `end` itself is listed.
  public var includesEnd = true
  /// Only ids that begin with this.
  public var prefix: String?
  /// From the greatest id down.
  public var descending = false
  /// At most so many rows; nil for all.
  public var limit: Int?
  /// Rows to pass over first.
  public var skip = 0
  /// Just these ids, in this order, with a row for each, found or not.
  public var ids: [String]?
  /// Bring the documents along, read with these options.
  public var documents: ReadOptions?
  /// Whether the rows are counted too: a walk over an index, of use on a first page only.
  public var countsRows = true

  /// All documents by id.
  public init() {}
}

/// One row of a listing.
public struct ListRow: Sendable {
  /// The document's id, or the one asked for.
  public var id: String
  /// The winner; nil when there is no such document.
  public var revision: RevisionID?
  /// The winner is a tombstone; only rows asked for by id can be.
  public var isDeleted: Bool
  /// The document, when asked for and not deleted.
  public var document: Document?

  /// A row with its parts.
  public init(
    id: String, revision: RevisionID?, isDeleted: Bool, document: Document? = nil
  ) {
    self.id = id
    self.revision = revision
    self.isDeleted = isDeleted
    self.document = document
  }
}

/// A listing of documents.
public struct DocumentList: Sendable {
  /// Live documents in the store; 0 when they were not to be counted.
  public var totalRows: Int
  /// Live documents before the first row, in the order of the listing; nil when ids were given or
  /// rows were not to be counted.
  public var offset: Int?
  /// The rows.
  public var rows: [ListRow]

  /// A listing with its parts.
  public init(
    totalRows: Int, offset: Int?, rows: [ListRow]
  ) {
    self.totalRows = totalRows
    self.offset = offset
    self.rows = rows
  }
}

extension LocalStore {
  /// Lists documents by id, in the order of the ids' bytes.
  public func allDocuments(_ request: ListRequest = ListRequest()) throws -> DocumentList {
    try read { connection in
      let total = request.countsRows ? try liveCount(in: connection) : 0
      if let ids = request.ids {
        return DocumentList(
          totalRows: total, offset: nil, rows: try rows(ids, request, in: connection))
      }
      let range = IDRange(request)
      let rows = try range.isEmpty ? [] : rows(range, request, in: connection)
      guard request.countsRows else {
        return DocumentList(totalRows: 0, offset: nil, rows: rows)
      }
      let before = try count(before: range, in: connection)
      return DocumentList(
        totalRows: total, offset: min(before + request.skip, total), rows: rows)
    }
  }

  /// Live documents in the store.
  func liveCount(in connection: Connection) throws -> Int {
    let counts = try connection.first(
      "SELECT (SELECT count(*) FROM docs), (SELECT count(*) FROM docs WHERE flags & 1)"
    ) { $0.integer(0) - $0.integer(1) }
    return counts ?? 0
  }

  private func rows(
    _ ids: [String], _ request: ListRequest, in connection: Connection
  ) throws -> [ListRow] {
    var ids = request.descending ? Array(ids.reversed()) : ids
    ids = Array(ids.dropFirst(request.skip).prefix(request.limit ?? .max))
    return try ids.map { id in
      if DocumentID.isLocal(id) {
        return try localDocument(id, in: connection).map { listRow($0, request) }
          ?? ListRow(id: id, revision: nil, isDeleted: false)
      }
      guard let row = try row(id, in: connection) else {
        return ListRow(id: id, revision: nil, isDeleted: false)
      }
      return try listRow(id, row, request, in: connection)
    }
  }

  private func rows(
    _ range: IDRange, _ request: ListRequest, in connection: Connection
  ) throws -> [ListRow] {
    let columns = request.documents == nil ? "id, rev" : "seq, rev, flags, tree, body, id"
    let order = request.descending ? "DESC" : "ASC"
    let sql = """
      SELECT \(columns) FROM docs WHERE \(range.condition) AND NOT flags & 1
      ORDER BY id \(order) LIMIT ? OFFSET ?
      """
    return try connection.with(sql) { statement in
      var next = range.bind(to: statement)
      statement.bind(next, request.limit ?? -1)
      next += 1
      statement.bind(next, request.skip)
      var rows: [ListRow] = []
      while try statement.step() {
        if request.documents == nil {
          let revision = try decodedRevision(statement, column: 1)
          rows.append(ListRow(id: statement.text(0), revision: revision, isDeleted: false))
        } else {
          rows.append(
            try listRow(statement.text(5), try decodedRow(statement), request, in: connection))
        }
      }
      return rows
    }
  }

  /// Lists local documents by id, in the order of the ids' bytes.
  ///
  /// - Parameter request: as for `allDocuments`.
  /// - Returns: the rows.
  /// - Throws: `StoreError` when the store cannot be read.
  public func localDocuments(_ request: ListRequest) throws -> [ListRow] {
    try read { connection in
      if let ids = request.ids {
        return try rows(ids.filter { DocumentID.isLocal($0) }, request, in: connection)
      }
      let range = IDRange(request)
      guard !range.isEmpty else { return [] }
      let sql = """
        SELECT id, rev, body FROM locals WHERE \(range.condition)
        ORDER BY id \(request.descending ? "DESC" : "ASC") LIMIT ? OFFSET ?
        """
      return try connection.with(sql) { statement in
        let next = range.bind(to: statement)
        statement.bind(next, request.limit ?? -1)
        statement.bind(next + 1, request.skip)
        var rows: [ListRow] = []
        while try statement.step() {
          rows.append(listRow(localDocument(statement), request))
        }
        return rows
      }
    }
  }

  private func listRow(_ document: Document, _ request: ListRequest) -> ListRow {
    ListRow(
      id: document.id, revision: document.revision, isDeleted: false,
      document: request.documents == nil ? nil : document)
  }

  private func listRow(
    _ id: String, _ row: DocumentRow, _ request: ListRequest, in connection: Connection
  ) throws -> ListRow {
    let isDeleted = row.flags.contains(.deleted)
    var result = ListRow(id: id, revision: row.revision, isDeleted: isDeleted)
    if let options = request.documents, !isDeleted {
      result.document = try document(id, row, row.revision, options, in: connection)
    }
    return result
  }

  /// Live documents that a listing passes before its range begins.
  private func count(before range: IDRange, in connection: Connection) throws -> Int {
    guard let condition = range.conditionBefore else { return 0 }
    return try connection.with(
      "SELECT count(*) FROM docs WHERE \(condition) AND NOT flags & 1"
    ) { statement in
      range.bindStart(to: statement)
      return try statement.step() ? statement.integer(0) : 0
    }
  }
}

/// The ids a listing covers, as SQL; comparisons are by bytes, SQLite's default for text.
private struct IDRange {
  private let start: String?
  private let includesStart: Bool
  private let end: String?
  private let includesEnd: Bool
  private let descending: Bool
  private let prefix: String?

  init(_ request: ListRequest) {
    start = request.start
    includesStart = request.includesStart
    end = request.end
    includesEnd = request.includesEnd
    descending = request.descending
    prefix = request.prefix?.utf8.isEmpty == true ? nil : request.prefix
  }

  var isEmpty: Bool {
    guard let start, let end else { return false }
    if utf8Equal(start, end) { return !includesEnd || !includesStart }
    return descending ? utf8Less(start, end) : utf8Less(end, start)
  }

  var condition: String {
    var terms: [String] = []
    if start != nil {
      let sign = descending ? "<" : ">"
      terms.append("id \(sign)\(includesStart ? "=" : "") ?")
    }
    if end != nil {
      let sign = descending ? ">" : "<"
      terms.append("id \(sign)\(includesEnd ? "=" : "") ?")
    }
    if prefix != nil { terms.append("id >= ? AND substr(id, 1, length(?)) = ?") }
    // The upper bound of a prefix lets the index end the scan.
    if upperBound != nil { terms.append("id < ?") }
    return terms.isEmpty ? "1" : terms.joined(separator: " AND ")
  }

  /// Binds the condition's parameters and returns the number of the next one.
  func bind(to statement: Statement) -> Int32 {
    var values: [SQLiteValue] = []
    if let start { values.append(.text(start)) }
    if let end { values.append(.text(end)) }
    if let prefix { values += [.text(prefix), .text(prefix), .text(prefix)] }
    if let upperBound { values.append(.utf8(upperBound)) }
    for (index, value) in values.enumerated() { statement.bind(Int32(index + 1), value) }
    return Int32(values.count + 1)
  }

  var conditionBefore: String? {
    start == nil ? nil : descending ? "id > ?1" : "id < ?1"
  }

  func bindStart(to statement: Statement) {
    if let start { statement.bind(1, start) }
  }

  /// The least byte string above every string with the prefix; nil when there is none.
  private var upperBound: [UInt8]? {
    guard let prefix else { return nil }
    var bytes = Array(prefix.utf8)
    while let last = bytes.popLast() {
      if last < 0xff { return bytes + [last + 1] }
    }
    return nil
  }
}
