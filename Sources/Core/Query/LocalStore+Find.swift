private import Glibc

extension LocalStore {
  /// Finds documents and hands them over one by one, in order.
  ///
  /// The store is locked meanwhile: `body` must not call it.
  ///
  /// - Parameters:
  ///   - request: what to look for.
  ///   - body: takes a document, lent for the call; returns whether to go on.
  /// - Returns: what is to be told beside the documents.
  /// - Throws: ``QueryError``, `StoreError`, and what `body` throws.
  public func find(
    _ request: FindRequest, _ body: (borrowing FoundDocument) throws -> Bool
  ) throws -> FindSummary {
    try read { connection in
      var search = try Search(self, request, connection)
      return try search.run(body)
    }
  }

  /// Finds documents.
  ///
  /// - Parameter request: what to look for.
  /// - Returns: the documents, in order.
  /// - Throws: ``QueryError``, `StoreError`.
  public func find(_ request: FindRequest) throws -> FindResult {
    var documents: [Document] = []
    let summary = try find(request) { found in
      documents.append(found.document)
      return true
    }
    return FindResult(documents: documents, summary: summary)
  }

  /// Counts the documents that match, whatever the limit; sort and bookmark do not matter.
  ///
  /// - Parameter request: what to look for.
  /// - Returns: how many there are.
  /// - Throws: ``QueryError``, `StoreError`.
  public func count(_ request: FindRequest) throws -> Int {
    var request = request
    request.limit = nil
    request.skip = 0
    request.sort = []
    request.bookmark = nil
    return try read { connection in
      let search = try Search(self, request, connection)
      return try search.count()
    }
  }

  /// How a query would be answered, without answering it.
  ///
  /// - Parameter request: what to look for.
  /// - Returns: the plan.
  /// - Throws: ``QueryError``, `StoreError`.
  public func explain(_ request: FindRequest) throws -> QueryPlan {
    try read { connection in try Search(self, request, connection).plan }
  }
}

/// One query being answered on one connection.
private struct Search {
  let plan: QueryPlan
  private let store: LocalStore
  private let request: FindRequest
  private let connection: Connection
  private let index: IndexMaintainer.Index?
  /// The residual as an SQL function.
  private let matcher: QueryFunctions.Matcher?
  /// The residual where bytes of the body cannot tell: documents are made whole and evaluated.
  private let evaluated: Selector?
  private let keys: FieldKeys?
  private let bookmark: Bookmark?
  private var summary = FindSummary()

  init(_ store: LocalStore, _ request: FindRequest, _ connection: Connection) throws {
    try store.collation.checkAvailable()
    try store.indexMaintainer.registerFunctions(in: connection)
    let indexes = try store.indexMaintainer.indexes(store.collation, in: connection)
    let plan = try Self.plan(request, indexes, store, connection)
    self.plan = plan
    switch plan.source {
    case .index(let definition), .text(let definition):
      index = indexes.first {
        utf8Equal($0.definition.name, definition.name)
          && utf8Equal($0.definition.designDocument, definition.designDocument)
      }
    case .nothing, .documents: index = nil
    }
    let compiled = plan.residual.flatMap { residual in
      // Conflicts that are shown can be asked for, but are not in the body.
      request.conflicts && residual.root.paths.contains { $0.names.first == "_conflicts" }
        ? nil : ByteMatcher(residual, collation: store.collation)
    }
    matcher = compiled.map(QueryFunctions.Matcher.init)
    evaluated = compiled == nil ? plan.residual : nil
    keys =
      plan.servesSort || request.sort.isEmpty
      ? nil : FieldKeys(sort: request.sort, collation: store.collation)
    bookmark = try request.bookmark.map { try Bookmark($0, for: plan.order(of: request)) }
    self.store = store
    self.request = request
    self.connection = connection
  }

  private static func plan(
    _ request: FindRequest, _ indexes: [IndexMaintainer.Index], _ store: LocalStore,
    _ connection: Connection
  ) throws -> QueryPlan {
    let collation = store.collation
    let isPartitioned = store.isPartitioned
    // In a partitioned store an index serves the partitions, or the whole.
    let definitions = indexes.map(\.definition)
      .filter { !isPartitioned || $0.isPartitioned == (request.partition != nil) }
    if request.followsCouchDB, request.selector.root.textCount == 0 {
      return try MangoPlanner(request, indexes: definitions, collation: collation).plan()
    }
    let planner = QueryPlanner(indexes: definitions, collation: collation)
    let plan = try planner.plan(request)
    return try isBroad(plan, request, indexes, connection)
      ? planner.documentsPlan(for: request) : plan
  }

  /// Whether a page of documents is sooner found by walking all of them by id than by collecting and
  /// sorting what an index's range holds.
  ///
  /// Of n documents r are in the range: the page's documents are met after about page × n / r of the
  /// walk, and the range costs r.
  private static func isBroad(
    _ plan: QueryPlan, _ request: FindRequest, _ indexes: [IndexMaintainer.Index],
    _ connection: Connection
  ) throws -> Bool {
    guard case .index(let definition) = plan.source, request.sort.isEmpty,
      let limit = request.limit, request.useIndex == nil, plan.keyRanges.count == 1,
      let index = indexes.first(where: { $0.definition == definition })
    else { return false }
    let last = try connection.first("SELECT max(seq) FROM docs") { $0.integer(0) } ?? 0
    let page = Double(limit) + Double(request.skip) + 1
    let broad = max(500, Int((page * Double(last)).squareRoot()))
    let entries = try connection.first(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM \(index.table) WHERE key >= ? AND key < ? LIMIT \(broad))
      """, .blob(plan.keyRanges[0].lower), .blob(plan.keyRanges[0].upper)
    ) { $0.integer(0) }
    return entries == broad
  }

  // MARK: Documents

  mutating func run(_ body: (borrowing FoundDocument) throws -> Bool) throws -> FindSummary {
    if let refusal = plan.mango?.refusal { throw refusal }
    let start = Self.milliseconds()
    summary.warnings = plan.warnings
    summary.bookmark = request.bookmark
    summary.isWithoutBookmark = plan.mango?.isEmpty ?? false
    if plan.source != .nothing, request.limit != 0 { try readRows(body) }
    summary.examined = matcher?.examined ?? max(summary.examined, summary.count)
    if index != nil || plan.mango != nil { summary.keysExamined = summary.examined }
    if plan.residual != nil || index == nil, summary.examined > 10 * max(summary.count, 1) {
      summary.warnings.append(QueryPlan.examinedWarning)
    }
    if plan.mango?.isCovering == true { summary.examined = 0 }
    summary.readQuorum = request.viewOptions.readQuorum
    summary.milliseconds = Self.milliseconds() - start
    return summary
  }

  private mutating func readRows(
    _ body: (borrowing FoundDocument) throws -> Bool
  ) throws {
    let statement = FindStatement(
      plan, request, table: index?.table, matcher: matcher, keys: keys, bookmark: bookmark,
      isLimited: evaluated == nil)
    try connection.with(statement.text) { row in
      statement.bind(to: row)
      var last: (key: [UInt8], id: String)?
      var toSkip = evaluated == nil ? 0 : request.skip
      let limit = request.limit ?? .max
      while summary.count < limit, try row.step() {
        let found = try found(row)
        if let evaluated {
          summary.examined += 1
          guard evaluated.matches(found.document.json, collation: store.collation) else {
            continue
          }
          if toSkip > 0 {
            toSkip -= 1
            last = (row.array(5), found.id)
            continue
          }
        }
        summary.count += 1
        // Whoever asks for everything does not go on after it.
        if request.limit != nil { last = (row.array(5), found.id) }
        guard try body(found) else {
          last = (row.array(5), found.id)
          break
        }
      }
      if let last { summary.bookmark = bookmark(after: last) }
    }
    if summary.count == 0, request.skip > 0, summary.bookmark == nil {
      summary.bookmark = try bookmarkAfterAll()
    }
  }

  /// The bookmark of a page that lies behind the last match: going on there finds nothing, whereas
  /// without one a client would begin anew.
  private func bookmarkAfterAll() throws -> String? {
    guard evaluated == nil else { return nil }
    var plan = plan
    plan.isDescending.toggle()
    var request = request
    request.skip = 0
    request.limit = 1
    let statement = FindStatement(
      plan, request, table: index?.table, matcher: matcher, keys: keys, bookmark: nil,
      isLimited: true)
    return try connection.with(statement.text) { row in
      statement.bind(to: row)
      return try row.step() ? bookmark(after: (row.array(5), row.text(1))) : nil
    }
  }

  private func bookmark(after last: (key: [UInt8], id: String)) -> String? {
    let prefix = plan.servesSort ? plan.keyPrefix.count : 0
    return Bookmark(key: Array(last.key.dropFirst(prefix)), id: last.id).text(
      for: plan.order(of: request))
  }

  private func found(_ row: Statement) throws -> FoundDocument {
    let flags = RowFlags(rawValue: row.integer(3))
    let revision = try store.decodedRevision(row, column: 2)
    var whole: Document?
    if flags.contains(.attachments) || (request.conflicts && flags.contains(.conflicted)) {
      let id = row.text(1)
      var options = ReadOptions()
      options.conflicts = request.conflicts
      if let full = try store.row(id, in: connection) {
        whole = try store.document(id, full, revision, options, in: connection)
      }
    }
    return FoundDocument(
      idBytes: row.bytes(1), bodyBytes: row.bytes(4), revision: revision, whole: whole,
      fields: request.fields)
  }

  // MARK: Counting

  func count() throws -> Int {
    guard plan.source != .nothing else { return 0 }
    guard evaluated == nil else {
      var unlimited = self
      unlimited.summary = FindSummary()
      return try unlimited.run { _ in true }.count
    }
    let statement = FindStatement(counting: plan, table: index?.table, matcher: matcher)
    return try connection.with(statement.text) { row in
      statement.bind(to: row)
      return try row.step() ? row.integer(0) : 0
    }
  }

  private static func milliseconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) * 1000 + Double(now.tv_nsec) / 1_000_000
  }
}
