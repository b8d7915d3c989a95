import Core

/// Prints the documents a query finds, as they come.
struct FindListing {
  let context: Context
  let withStatistics: Bool

  /// Runs the query and prints its answer.
  ///
  /// - Parameters:
  ///   - request: the query.
  ///   - store: where to look.
  /// - Throws: `QueryError`, `StoreError`, `OutputError`.
  func run(_ request: FindRequest, in store: any DocumentStore) async throws {
    let summary: FindSummary
    if context.mode == .human, !request.fields.isEmpty {
      summary = try await printTable(request, store)
    } else {
      summary = try await printDocuments(request, store)
    }
    guard context.mode != .json else { return }
    for warning in summary.warnings { try context.step(warning) }
    if withStatistics {
      try context.note(
        "\(counted(summary.count, "document")) found, \(summary.examined) examined, "
          + "\(summary.keysExamined) index entries")
    }
    if let limit = request.limit, limit > 0, summary.count == limit,
      let bookmark = summary.bookmark, context.streams.outputTraits.isTerminal
    {
      try context.note("for the next page: --bookmark \(bookmark)")
    }
  }

  private func printDocuments(
    _ request: FindRequest, _ store: any DocumentStore
  ) async throws -> FindSummary {
    var array =
      context.mode == .json ? try ArrayStream(context, head: [], array: "docs") : nil
    let writer = DocumentWriter(context, isList: false)
    var buffer = ByteBuffer(capacity: 4096)
    let summary = try await store.find(request) { found in
      buffer.reset()
      found.append(to: &buffer)
      try buffer.withUnsafeBytes { bytes in
        if array != nil { try array?.add(bytes) } else { try writer.add(bytes) }
      }
      return true
    }
    let tail = summary.json(withStatistics: withStatistics)
    try array?.finish(tail: tail.map { ($0.key, $0.value) })
    return summary
  }

  private func printTable(
    _ request: FindRequest, _ store: any DocumentStore
  ) async throws -> FindSummary {
    let paths = request.fields
    let columns = paths.map { path in
      Column(path.text.uppercased(), ["_id", "_rev"].contains(path.text) ? .identifier : .text)
    }
    var table = TableStream(context, columns: columns)
    let summary = try await store.find(request) { found in
      let document = found.document.json
      let cells = paths.map { path in
        Cell(path.value(in: document).map(FieldOutput.plain) ?? "")
      }
      try table.add(cells)
      return true
    }
    try table.finish()
    return summary
  }
}

/// Prints rows whose columns are known only at run time; on a terminal in blocks that are aligned.
struct TableStream {
  private static let blockLimit = 1_000

  private let screen: Screen
  private let columns: [Column]
  private var block: [[Cell]] = []
  private var hasHeader = false

  init(_ context: Context, columns: [Column]) {
    screen = context.screen
    self.columns = columns
  }

  /// Prints a row.
  mutating func add(_ cells: [Cell]) throws(OutputError) {
    guard screen.isTerminal else { return try screen.line(Table.plainLine(of: cells)) }
    block.append(cells)
    if block.count >= Self.blockLimit { try finish() }
  }

  /// Prints what is left.
  mutating func finish() throws(OutputError) {
    guard !block.isEmpty else { return }
    try screen.table(columns, block, withHeader: !hasHeader)
    hasHeader = true
    block.removeAll()
  }
}

/// How many documents match.
struct CountResult: CommandResult {
  let count: Int

  var json: JSON { ["count": .integer(Int64(count))] }

  func show(on screen: Screen) throws(OutputError) { try screen.line(String(count)) }
}

/// How a query would be answered, as CouchDB's `_explain`.
struct ExplainResult: CommandResult {
  let store: String
  let request: FindRequest
  let plan: QueryPlan

  var json: JSON { plan.json(for: request, database: store) }

  func show(on screen: Screen) throws(OutputError) {
    var pairs: [(name: String, value: String)] = [
      ("reads", source), ("selector", request.selector.json.serialized()),
    ]
    if let residual = plan.residual {
      pairs.append(("tests each for", residual.json.serialized()))
    }
    // An open end has no value.
    for (name, bound) in [("from", plan.startKey), ("to", plan.endKey)] where !bound.isEmpty {
      pairs.append((name, JSON.array(bound).serialized()))
    }
    if !request.sort.isEmpty {
      pairs.append(("sort", plan.servesSort ? "as they are read" : "after reading"))
    }
    for warning in plan.warnings { pairs.append(("warning", warning)) }
    try screen.pairs(pairs)
  }

  private var source: String {
    switch plan.source {
    case .nothing: "nothing: the selector cannot hold"
    case .documents: "all documents"
    case .index(let index): "index '\(index.name)'"
    case .text(let index): "text index '\(index.name)'"
    }
  }
}
