/// The cells of one row of comma-separated values, found by a state machine that can be continued
/// when more bytes have come.
struct CSVRow {
  /// Where a cell's text lies in the window, without the quotes around it.
  struct Cell {
    var start: Int
    var end: Int
    var isQuoted = false
    var hasDoubledQuotes = false
  }

  private enum State {
    case cellStart, plain, quoted
    /// Behind a quote inside a quoted cell: its end, or the first of two.
    case quoteInQuoted
  }

  private var cells: [Cell] = []
  private var cell = Cell(start: 0, end: 0)
  private var state = State.cellStart
  private var position = 0
  /// The input ended inside a quoted cell.
  private(set) var isUnclosed = false

  var count: Int { cells.count }
  subscript(index: Int) -> Cell { cells[index] }

  /// A line with nothing on it.
  var isBlank: Bool {
    cells.count == 1 && cells[0].start == cells[0].end && !cells[0].isQuoted
  }

  mutating func reset() {
    cells.removeAll(keepingCapacity: true)
    cell = Cell(start: 0, end: 0)
    state = .cellStart
    position = 0
    isUnclosed = false
  }

  /// Goes on from where the last call stopped.
  ///
  /// - Returns: the row's bytes with its line end, 0 at the end of the input; `nil` when more bytes
  ///   are needed.
  mutating func scan(_ bytes: UnsafeRawBufferPointer, delimiter: UInt8, isAtEnd: Bool) -> Int? {
    while position < bytes.count {
      let byte = bytes[position]
      switch state {
      case .quoted:
        if byte == UInt8(ascii: "\"") { state = .quoteInQuoted }
      case .quoteInQuoted where byte == UInt8(ascii: "\""):
        cell.hasDoubledQuotes = true
        state = .quoted
      case .cellStart where byte == UInt8(ascii: "\""):
        cell.isQuoted = true
        cell.start = position + 1
        state = .quoted
      default:
        if byte == delimiter {
          endCell()
          cell = Cell(start: position + 1, end: position + 1)
          state = .cellStart
        } else if byte == UInt8(ascii: "\n") {
          endCell()
          return position + 1
        } else if byte == UInt8(ascii: "\r") {
          // A carriage return may be half of a line end; the other half may not be here yet.
          guard position + 1 < bytes.count || isAtEnd else { return nil }
          endCell()
          let isPair = position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "\n")
          return position + (isPair ? 2 : 1)
        } else if state == .quoteInQuoted {
          // Text behind the closing quote: taken as it stands, quote included.
          cell.hasDoubledQuotes = false
          cell.isQuoted = false
          cell.start -= 1
          state = .plain
        } else {
          state = .plain
        }
      }
      position += 1
    }
    guard isAtEnd else { return nil }
    if bytes.isEmpty { return 0 }
    isUnclosed = state == .quoted
    endCell()
    return position
  }

  private mutating func endCell() {
    cell.end = state == .quoteInQuoted ? position - 1 : position
    cells.append(cell)
  }
}
