import Core

/// The result of a command: one value, printed as JSON or for people.
///
/// Its JSON keys are the command's `outputKeys`, in that order, `null` where there is nothing.
protocol CommandResult: Sendable {
  /// The value for scripts.
  var json: JSON { get }

  /// Prints the value for people.
  func show(on screen: Screen) throws(OutputError)
}

/// One line of a listing.
protocol ListRow: Sendable {
  /// The columns people see.
  static var columns: [Column] { get }

  /// The value for scripts.
  var json: JSON { get }

  /// The fields of the columns, in their order.
  func cells(on screen: Screen) -> [Cell]
}

extension Context {
  /// Prints a command's result.
  func emit(_ result: some CommandResult) throws(OutputError) {
    guard mode == .human else { return try emit(json: result.json) }
    try result.show(on: screen)
  }

  /// Prints a listing: a table, a JSON array, or an object a line; an empty one is an empty array or
  /// nothing.
  func emit<Row: ListRow>(rows: some Sequence<Row>) throws(OutputError) {
    let list = ListWriter<Row>(self)
    for row in rows { try list.add(row) }
    try list.finish()
  }

  /// Prints a value as JSON: indented on a terminal, on one line elsewhere and in `--jsonl`.
  func emit(json: JSON) throws(OutputError) {
    try streams.output.writeLine(json.serialized(jsonStyle))
  }

  fileprivate var jsonStyle: JSONStyle {
    let isPretty = mode != .jsonLines && streams.outputTraits.isTerminal
    return (isPretty ? JSONStyle.pretty : .compact).escapingSeparators
  }
}

/// Prints a listing row by row, so that a long one needs no memory.
///
/// On a terminal the first thousand rows decide the widths of all.
final class ListWriter<Row: ListRow> {
  private static var blockLimit: Int { 1000 }

  private let context: Context
  private let screen: Screen
  private var block: [[Cell]] = []
  private var count = 0
  private var hasHeader = false

  /// Starts a listing.
  ///
  /// - Parameters:
  ///   - context: where it is printed.
  ///   - isLive: whether a reader waits for each row; then every row is passed on at once.
  init(_ context: Context, isLive: Bool = false) {
    self.context = context
    screen = context.screen
    if isLive { context.streams.output.flushEachWrite() }
    self.isLive = isLive
  }

  private let isLive: Bool

  /// Prints a row.
  func add(_ row: Row) throws(OutputError) {
    let output = context.streams.output
    switch context.mode {
    case .jsonLines:
      try output.writeLine(row.json.serialized(context.jsonStyle))
    case .json:
      let text = row.json.serialized(context.jsonStyle)
      if context.streams.outputTraits.isTerminal {
        try output.write((count == 0 ? "[\n  " : ",\n  ") + text.replacing("\n", with: "\n  "))
      } else {
        try output.write((count == 0 ? "[" : ",") + text)
      }
    case .human:
      guard screen.isTerminal else {
        try output.writeLine(Table.plainLine(of: row.cells(on: screen)))
        break
      }
      block.append(row.cells(on: screen))
      if isLive || block.count >= Self.blockLimit { try writeBlock() }
    }
    count += 1
  }

  /// Ends the listing.
  func finish() throws(OutputError) {
    if context.mode == .json {
      let isTerminal = context.streams.outputTraits.isTerminal
      try context.streams.output.writeLine(count == 0 ? "[]" : isTerminal ? "\n]" : "]")
    }
    try writeBlock()
  }

  private func writeBlock() throws(OutputError) {
    guard !block.isEmpty else { return }
    try screen.table(Row.columns, block, withHeader: !hasHeader)
    hasHeader = true
    block.removeAll()
  }
}
