/// Reads comma-separated values with a header row (RFC 4180) as JSON objects.
///
/// A cell in quotes is a string. A cell without is `true`, `false`, `null` or a number when it is
/// written exactly so, and a string otherwise; numbers with a leading zero, a plus sign or an exponent
/// stay strings, since they are mostly codes, and so do those with more digits than would survive. An
/// empty cell is left out; `""` is the empty string. Cells of `_id` and `_rev` are always strings.
/// Lines end with CR LF, LF or CR; cells may hold line ends.
struct CSVReader: RecordReader, ~Copyable {
  private var window: InputWindow
  private let place: ProblemPlace
  private let maximumLength: Int
  private let delimiter: UInt8
  /// The names of the columns as JSON strings, each with its colon; empty before the header is read.
  private var header: [[UInt8]] = []
  private var stringColumns: Set<Int> = []
  private var row = CSVRow()
  private var json = ByteBuffer(capacity: 4096)
  private var pending = 0

  let isProvenComplete = false

  init(
    _ source: any ByteSource, place: ProblemPlace, maximumLength: Int, delimiter: UInt8
  ) {
    window = InputWindow(source)
    self.place = place
    self.maximumLength = maximumLength
    self.delimiter = delimiter
  }

  var bytesRead: Int { window.bytesRead }

  mutating func next() throws(TransferError) -> RecordStep {
    if header.isEmpty {
      try readHeader()
      if header.isEmpty { return .end }
    }
    while true {
      let line = try readRow()
      guard pending > 0 else { return .end }
      if row.isBlank { continue }
      guard row.count == header.count else {
        return .problem(
          place.problem(
            "the row has \(row.count) cells, the header has \(header.count)", line: line))
      }
      if row.isUnclosed {
        return .problem(place.problem("a quote is not closed", line: line))
      }
      writeObject()
      let bytes = json.unownedBytes
      return .record(InputRecord(bytes: bytes, line: line, column: 1))
    }
  }

  /// Splits the next row into cells and returns the line it begins on.
  private mutating func readRow() throws(TransferError) -> Int {
    window.take(pending)
    pending = 0
    row.reset()
    let line = window.line
    while true {
      if let length = row.scan(window.bytes, delimiter: delimiter, isAtEnd: window.isAtEnd) {
        pending = length
        return line
      }
      guard window.count <= maximumLength else {
        throw .malformed(
          place.problem(
            "the row is longer than \(maximumLength) bytes; a quote may be missing", line: line))
      }
      _ = try window.fill()
    }
  }

  private mutating func readHeader() throws(TransferError) {
    let line = try readRow()
    guard pending > 0 else { return }
    guard !row.isUnclosed else {
      throw .malformed(place.problem("a quote is not closed", line: line))
    }
    var names: Set<UTF8Key> = []
    for index in 0..<row.count {
      let name = text(of: row[index])
      guard !name.isEmpty, let name = String(validating: name, as: UTF8.self) else {
        throw .malformed(place.problem("column \(index + 1) has no name", line: line))
      }
      guard names.insert(UTF8Key(name)).inserted else {
        throw .malformed(place.problem("two columns are named '\(name)'", line: line))
      }
      if name == "_id" || name == "_rev" { stringColumns.insert(index) }
      header.append(JSON.string(name).serializedBytes() + [UInt8(ascii: ":")])
    }
  }

  /// The text of a cell, its doubled quotes halved.
  private func text(of cell: CSVRow.Cell) -> [UInt8] {
    var bytes: [UInt8] = []
    var index = cell.start
    while index < cell.end {
      let byte = window[index]
      bytes.append(byte)
      index += cell.hasDoubledQuotes && byte == UInt8(ascii: "\"") ? 2 : 1
    }
    return bytes
  }

  // MARK: JSON

  private mutating func writeObject() {
    json.reset()
    json.append(UInt8(ascii: "{"))
    for index in 0..<row.count {
      let cell = row[index]
      if cell.start == cell.end && !cell.isQuoted { continue }
      if json.count > 1 { json.append(UInt8(ascii: ",")) }
      json.append(header[index])
      if cell.hasDoubledQuotes {
        let bytes = text(of: cell)
        bytes.withUnsafeBytes { json.appendJSONString($0) }
        continue
      }
      let bytes = UnsafeRawBufferPointer(rebasing: window.bytes[cell.start..<cell.end])
      if cell.isQuoted || stringColumns.contains(index) || !CSVValue.isTyped(bytes) {
        json.appendJSONString(bytes)
      } else {
        json.append(bytes)
      }
    }
    json.append(UInt8(ascii: "}"))
  }
}

/// The rule by which cells without quotes have types; see ``CSVReader``.
enum CSVValue {
  /// Whether the cell's text is a JSON word or a number that is safe to read as one.
  static func isTyped(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first else { return false }
    switch first {
    case UInt8(ascii: "t"): return bytes.elementsEqual("true".utf8)
    case UInt8(ascii: "f"): return bytes.elementsEqual("false".utf8)
    case UInt8(ascii: "n"): return bytes.elementsEqual("null".utf8)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return isNumber(bytes)
    default: return false
    }
  }

  private static func isNumber(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes[...]
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    let whole = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    guard let lead = whole.first, lead != UInt8(ascii: "0") || whole.count == 1 else {
      return false
    }
    rest = rest.dropFirst(whole.count)
    if rest.isEmpty { return whole.count <= 18 }
    guard rest.first == UInt8(ascii: ".") else { return false }
    let fraction = rest.dropFirst()
    return !fraction.isEmpty && whole.count + fraction.count <= 15
      && fraction.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
  }
}
