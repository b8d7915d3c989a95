/// Reads JSON values one after the other: arrays of documents, bare documents, CouchDB's answers.
///
/// An array is never in memory as a whole, only the element at hand. The structure between elements
/// is validated here, since nothing can be found again behind a mistake in it.
struct JSONStreamReader: RecordReader, ~Copyable {
  /// Where in the structure the reader stands.
  private enum State {
    /// Between top-level values.
    case top
    /// Inside an array, before its first element.
    case arrayStart
    /// Inside an array, behind an element.
    case arrayNext
    /// Inside a wrapping object, behind the array of documents.
    case wrapperTail
  }

  private var window: InputWindow
  private let place: ProblemPlace
  private let maximumLength: Int
  private var state = State.top
  /// Whether the array belongs to a wrapping object, which must be closed behind it.
  private var isWrapped = false
  /// Whether the elements are rows that hold the document as their `doc` member.
  private var hasRows = false
  /// Length of the value that was handed out last.
  private var pending = 0
  private var isFirst = true
  private var rowScanner = JSONTape()

  let isProvenComplete = false

  init(_ source: any ByteSource, place: ProblemPlace, maximumLength: Int) {
    window = InputWindow(source)
    self.place = place
    self.maximumLength = maximumLength
  }

  var bytesRead: Int { window.bytesRead }

  mutating func next() throws(TransferError) -> RecordStep {
    window.take(pending)
    pending = 0
    while true {
      let byte = try window.skipWhitespace()
      switch state {
      case .top:
        guard let byte else { return .end }
        if let step = try topLevel(byte) { return step }
      case .arrayStart:
        guard let byte else { throw unexpected(nil) }
        if byte == UInt8(ascii: "]") {
          closeArray()
        } else {
          state = .arrayNext
          if let step = try element(byte) { return step }
        }
      case .arrayNext:
        guard byte == UInt8(ascii: ",") else {
          guard byte == UInt8(ascii: "]") else { throw unexpected(byte) }
          closeArray()
          continue
        }
        window.take(1)
        guard let first = try window.skipWhitespace() else { throw unexpected(nil) }
        if let step = try element(first) { return step }
      case .wrapperTail:
        try skipWrapperTail(byte)
      }
    }
  }

  // MARK: Top level

  private mutating func topLevel(_ byte: UInt8) throws(TransferError) -> RecordStep? {
    switch byte {
    case UInt8(ascii: "["):
      window.take(1)
      isWrapped = false
      hasRows = false
      state = .arrayStart
      return nil
    case UInt8(ascii: "{"):
      if try enterWrapper() { return nil }
      let record = try wholeValue()
      if isFirst, Self.isBackupHeader(record.bytes) {
        isFirst = false
        window.take(pending)
        pending = 0
        return nil
      }
      isFirst = false
      return .record(record)
    default: throw unexpected(byte)
    }
  }

  /// The first line of couchbackup's newer files.
  private static func isBackupHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count < 1000, let json = try? JSON(parsing: bytes) else { return false }
    return json["name"]?.stringValue == "@cloudant/couchbackup"
  }

  /// Steps into `{"docs":[` or `{…,"rows":[`.
  ///
  /// - Returns: false when the object is no such wrapper; nothing is taken then.
  private mutating func enterWrapper() throws(TransferError) -> Bool {
    // The wrapper's members before the array are few and small: they are in the first block.
    guard let head = try WrapperHead(&window) else { return false }
    window.take(head.length)
    hasRows = head.hasRows
    isWrapped = true
    state = .arrayStart
    return true
  }

  private mutating func closeArray() {
    window.take(1)
    isFirst = false
    state = isWrapped ? .wrapperTail : .top
  }

  /// Passes over what stands behind the array of documents, up to the wrapper's end.
  private mutating func skipWrapperTail(_ byte: UInt8?) throws(TransferError) {
    switch byte {
    case UInt8(ascii: "}"):
      window.take(1)
      state = .top
    case UInt8(ascii: ","), UInt8(ascii: ":"):
      window.take(1)
    case nil, UInt8(ascii: "]"): throw unexpected(byte)
    default:
      _ = try wholeValue()
      window.take(pending)
      pending = 0
    }
  }

  // MARK: Elements

  private mutating func element(_ byte: UInt8) throws(TransferError) -> RecordStep? {
    if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") { throw unexpected(byte) }
    let record = try wholeValue()
    guard hasRows else { return .record(record) }
    return documentOfRow(record)
  }

  /// The `doc` member of a row.
  private mutating func documentOfRow(_ record: InputRecord) -> RecordStep {
    do throws(JSONError) {
      try rowScanner.parse(record.bytes)
    } catch {
      return .problem(place.problem(.json(error), in: record))
    }
    guard let token = rowScanner.member("doc", of: 0, in: record.bytes),
      rowScanner[token].kind == .object
    else {
      return .problem(
        place.problem(
          "the row has no document: list with 'include_docs=true'", line: record.line,
          column: record.column))
    }
    let range = rowScanner[token]
    let offset = Int(range.offset)
    let bytes = UnsafeRawBufferPointer(
      rebasing: record.bytes[offset..<offset + Int(range.length)])
    // Good enough for a message: rows are written on one line.
    return .record(InputRecord(bytes: bytes, line: record.line, column: record.column + offset))
  }

  /// The value that begins at the front of the window; taken at the next call.
  private mutating func wholeValue() throws(TransferError) -> InputRecord {
    let line = window.line
    let column = window.columnsTaken + 1
    var span = ValueSpan()
    while !span.scan(window.bytes, isAtEnd: window.isAtEnd) {
      guard window.count <= maximumLength else {
        throw .malformed(
          place.problem(
            "the record is longer than \(maximumLength) bytes", line: line, column: column))
      }
      if try !window.fill(), !span.canEndWithInput {
        window.takeAll()
        throw unexpected(nil)
      }
    }
    pending = span.length
    let bytes = UnsafeRawBufferPointer(rebasing: window.bytes[..<span.length])
    return InputRecord(bytes: bytes, line: line, column: column)
  }

  private func unexpected(_ byte: UInt8?) -> TransferError {
    var reason = JSONError.Reason.unexpectedEnd
    if let byte {
      reason = .unexpectedCharacter(Unicode.Scalar(byte < 0x80 ? UInt32(byte) : 0xFFFD) ?? " ")
    }
    return .malformed(
      place.problem(reason.text, line: window.line, column: window.columnsTaken + 1))
  }
}
