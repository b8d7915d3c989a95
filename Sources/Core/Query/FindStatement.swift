/// The SQL of a query, and what is bound to it.
struct FindStatement {
  private enum Binding {
    case value(SQLiteValue)
    case object(AnyObject)
  }

  private(set) var text = ""
  private var bindings: [Binding] = []

  /// The columns `seq, id, rev, flags, body, k`; `k` is the sort key, NULL where rows come by id.
  ///
  /// Rows of `docs` are `d`, entries of an index `i`.
  init(
    _ plan: QueryPlan, _ request: FindRequest, table: String?, matcher: QueryFunctions.Matcher?,
    keys: FieldKeys?, bookmark: Bookmark?, isLimited: Bool
  ) {
    if matcher != nil, keys == nil, table == nil, isLimited, request.limit == nil,
      plan.idRanges.allSatisfy({ $0.lower.isEmpty && $0.upper == nil })
    {
      addMatchesFirst(plan, request, matcher, bookmark)
      return
    }
    let usesIndexOrder = plan.servesSort && table != nil && plan.text == nil
    let key = keys != nil ? "tote_sort_key(?, d.body, d.id)" : usesIndexOrder ? "i.key" : "NULL"
    add("SELECT d.seq, d.id, d.rev, d.flags, d.body, \(key) AS k")
    if let keys { bindings.append(.object(keys)) }
    addSource(plan, table)
    addConditions(plan, table, matcher)
    addBookmark(bookmark, plan, keys, usesIndexOrder)
    let direction = plan.isDescending ? " DESC" : ""
    add(
      keys != nil || usesIndexOrder
        ? " ORDER BY k\(direction), d.id\(direction)" : " ORDER BY d.id\(direction)")
    if isLimited {
      add(" LIMIT ? OFFSET ?", .integer(request.limit ?? -1), .integer(request.skip))
    }
  }

  /// Finds all matches in the table's own order and sorts just them by id: walking the documents by id
  /// costs a look-up for each, which only pays where the walk may end early.
  ///
  /// The join keeps the order of its left side, which has one because of its LIMIT.
  private mutating func addMatchesFirst(
    _ plan: QueryPlan, _ request: FindRequest, _ matcher: QueryFunctions.Matcher?,
    _ bookmark: Bookmark?
  ) {
    add("SELECT d.seq, d.id, d.rev, d.flags, d.body, NULL AS k")
    add(" FROM (SELECT d.seq AS s FROM docs d NOT INDEXED")
    addConditions(plan, nil, matcher)
    addBookmark(bookmark, plan, nil, false)
    add(
      " ORDER BY d.id\(plan.isDescending ? " DESC" : "") LIMIT -1 OFFSET ?", .integer(request.skip))
    add(") h CROSS JOIN docs d ON d.seq = h.s")
  }

  /// The statement that counts the matches.
  init(
    counting plan: QueryPlan, table: String?, matcher: QueryFunctions.Matcher?
  ) {
    add("SELECT count(*)")
    addSource(plan, table)
    addConditions(plan, table, matcher)
  }

  func bind(to statement: Statement) {
    for (index, binding) in bindings.enumerated() {
      let place = Int32(index + 1)
      switch binding {
      case .value(let value): statement.bind(place, value)
      case .object(let object): QueryFunctions.bind(object, at: place, to: statement)
      }
    }
  }

  private mutating func add(_ sql: String, _ values: SQLiteValue...) {
    text += sql
    bindings += values.map(Binding.value)
  }

  private mutating func addSource(_ plan: QueryPlan, _ table: String?) {
    guard let table else {
      add(" FROM docs d")
      return
    }
    if plan.text != nil {
      add(" FROM \(table) i CROSS JOIN docs d ON d.seq = i.rowid")
    } else if plan.keyRanges.count == 1 {
      add(" FROM \(table) i CROSS JOIN docs d ON d.seq = i.seq")
    } else {
      let rows = Array(repeating: "(?, ?)", count: plan.keyRanges.count).joined(separator: ", ")
      add(" FROM (VALUES \(rows)) r")
      for range in plan.keyRanges {
        bindings += [.value(.blob(range.lower)), .value(.blob(range.upper))]
      }
      add(" CROSS JOIN \(table) i ON i.key >= r.column1 AND i.key < r.column2")
      add(" CROSS JOIN docs d ON d.seq = i.seq")
    }
  }

  private mutating func addConditions(
    _ plan: QueryPlan, _ table: String?, _ matcher: QueryFunctions.Matcher?
  ) {
    add(" WHERE 1")
    // SQLite tests the conditions in this order: what only few rows are left for comes last.
    if !readsIndex(plan), plan.idRanges.allSatisfy({ $0.lower.isEmpty && $0.upper == nil }) {
      addMatcher(matcher)
      addLiveness()
    } else {
      addCandidates(plan, table)
      addMatcher(matcher)
    }
  }

  /// Neither tombstones nor design documents.
  private mutating func addLiveness() {
    add(" AND NOT d.flags & 1 AND NOT (d.id >= '_design/' AND d.id < '_design0')")
  }

  private mutating func addMatcher(_ matcher: QueryFunctions.Matcher?) {
    guard let matcher else { return }
    // A column that is named is copied for every row.
    let id = matcher.matcher.usesID ? "d.id" : "NULL"
    let revision = matcher.matcher.usesRevision ? "d.rev" : "NULL"
    add(" AND tote_match(?, d.body, \(id), \(revision))")
    bindings.append(.object(matcher))
  }

  private mutating func addCandidates(_ plan: QueryPlan, _ table: String?) {
    // Indexes hold live documents only.
    if !readsIndex(plan) { addLiveness() }
    if let text = plan.text, let table {
      // A text index's own name is the column that stands for all of its words.
      add(" AND i.\(table) MATCH ?", .text(TextQuery(text).expression ?? "\"\""))
    } else if readsIndex(plan), plan.keyRanges.count == 1 {
      add(
        " AND i.key >= ? AND i.key < ?", .blob(plan.keyRanges[0].lower),
        .blob(plan.keyRanges[0].upper))
    }
    addIDs(plan.idRanges)
  }

  private func readsIndex(_ plan: QueryPlan) -> Bool {
    switch plan.source {
    case .index, .text: true
    case .nothing, .documents: false
    }
  }

  private mutating func addIDs(_ ranges: [QueryPlan.IDRange]) {
    guard ranges.count != 1 else {
      if !ranges[0].lower.isEmpty { add(" AND d.id >= ?", .utf8(ranges[0].lower)) }
      if let upper = ranges[0].upper { add(" AND d.id < ?", .utf8(upper)) }
      return
    }
    guard !ranges.isEmpty else { return }
    // One parameter however many ids: SQLite limits the number of parameters.
    let ids = ranges.map { JSON.string(String(decoding: $0.lower, as: UTF8.self)) }
    add(
      " AND d.id IN (SELECT value FROM json_each(?))",
      .utf8(JSON.array(ids).serializedBytes()))
  }

  /// Goes on after the last row of the page before.
  private mutating func addBookmark(
    _ bookmark: Bookmark?, _ plan: QueryPlan, _ keys: FieldKeys?, _ usesIndexOrder: Bool
  ) {
    guard let bookmark else { return }
    let sign = plan.isDescending ? "<" : ">"
    if let keys {
      add(" AND (tote_sort_key(?, d.body, d.id), d.id) \(sign) (?, ?)")
      bindings.append(.object(keys))
      bindings += [.value(.blob(bookmark.key)), .value(.text(bookmark.id))]
    } else if usesIndexOrder {
      // The first condition bounds the scan of the table, the second passes over equal keys.
      let key = plan.keyPrefix + bookmark.key
      add(" AND i.key \(sign)= ?", .blob(key))
      add(" AND (i.key, d.id) \(sign) (?, ?)", .blob(key), .text(bookmark.id))
    } else {
      add(" AND d.id \(sign) ?", .text(bookmark.id))
    }
  }
}
