/// Writes the winners of a store as comma-separated values.
///
/// The store is read twice, on one consistent state: once to learn the columns, once to write.
struct CSVExport {
  private let store: LocalStore
  private let options: ExportOptions
  private let sink: ExportSink

  private static let sql = """
    SELECT id, body FROM docs WHERE NOT flags & \(RowFlags.deleted.rawValue) ORDER BY seq
    """

  init(_ store: LocalStore, _ options: ExportOptions, _ sink: ExportSink) {
    self.store = store
    self.options = options
    self.sink = sink
  }

  func run(_ connection: Connection) throws -> ExportSummary {
    let columns = try columns(connection)
    let places = Dictionary(
      uniqueKeysWithValues: columns.enumerated().map { (UTF8Key($1), $0) })
    var summary = ExportSummary()
    var buffer = ByteBuffer(capacity: ExportSink.blockSize + 4096)
    buffer.append(literal: "_id")
    for column in columns {
      buffer.append(literal: ",")
      appendString(column, to: &buffer)
    }
    buffer.append(literal: "\r\n")
    try connection.with(Self.sql) { statement in
      while try statement.step() {
        try appendRow(statement, columns.count, places, to: &buffer)
        summary.records += 1
        if buffer.count >= ExportSink.blockSize { try sink.drain(&buffer) }
        if summary.records % 5_000 == 0 {
          summary.bytes = sink.bytesWritten
          try options.progress?(summary)
        }
      }
    }
    try sink.drain(&buffer)
    return summary
  }

  /// Every member that any document has, sorted by bytes.
  private func columns(_ connection: Connection) throws -> [String] {
    var names: Set<UTF8Key> = []
    var tape = JSONTape()
    try connection.with(Self.sql) { statement in
      while try statement.step() {
        let body = statement.bytes(1)
        try parse(body, with: &tape)
        for key in tape.keys(in: body) { names.insert(UTF8Key(key)) }
      }
    }
    return names.sorted().map(\.string)
  }

  private func parse(_ body: UnsafeRawBufferPointer, with tape: inout JSONTape) throws {
    do throws(JSONError) {
      try tape.parse(body)
    } catch {
      throw store.damaged("the body of a document is no JSON: \(error.message)")
    }
  }

  private func appendRow(
    _ statement: Statement, _ columnCount: Int, _ places: [UTF8Key: Int],
    to buffer: inout ByteBuffer
  ) throws {
    var cells = [JSON?](repeating: nil, count: columnCount)
    let body = try JSON(parsing: statement.bytes(1))
    for (key, value) in body.objectValue ?? [:] {
      if let place = places[UTF8Key(key)] { cells[place] = value }
    }
    appendString(statement.text(0), to: &buffer)
    for cell in cells {
      buffer.append(literal: ",")
      guard let cell else { continue }
      append(cell, to: &buffer)
    }
    buffer.append(literal: "\r\n")
  }

  private func append(_ value: JSON, to buffer: inout ByteBuffer) {
    switch value {
    case .string(let text): appendString(text, to: &buffer)
    case .array, .object: appendQuoted(value.serialized(), to: &buffer)
    default: buffer.append(value)
    }
  }

  /// Quotes a string where RFC 4180 demands it, and where it would be read as something else.
  private func appendString(_ text: String, to buffer: inout ByteBuffer) {
    let mustQuote =
      text.isEmpty
      || text.utf8.contains {
        $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") || $0 <= 0x20
      }
    var text = text
    if mustQuote || text.withUTF8({ CSVValue.isTyped(UnsafeRawBufferPointer($0)) }) {
      appendQuoted(text, to: &buffer)
    } else {
      buffer.append(text)
    }
  }

  private func appendQuoted(_ text: String, to buffer: inout ByteBuffer) {
    buffer.append(literal: "\"")
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") { buffer.append(byte) }
      buffer.append(byte)
    }
    buffer.append(literal: "\"")
  }
}

extension JSONTape {
  /// The names of the root object's members.
  fileprivate func keys(in bytes: UnsafeRawBufferPointer) -> [String] {
    var keys: [String] = []
    var child = 1
    while child < count {
      keys.append(string(at: child, in: bytes))
      child = Int(self[child + 1].next)
    }
    return keys
  }
}
