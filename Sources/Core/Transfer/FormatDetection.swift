/// Looks at the first bytes of an input: whether it is compressed, and what format it has.
struct FormatDetection {
  /// Reads the input from its beginning, decompressed, without a byte order mark.
  let source: any ByteSource
  /// What the content looks like.
  let format: ImportFormat
  /// What separates the cells, if it is CSV.
  let delimiter: UInt8

  private static let headSize = 64 << 10

  init(_ input: any ByteSource, name: String) throws(TransferError) {
    var source = input
    var head = try Self.head(of: source)
    if head.starts(with: [0x1F, 0x8B]) {
      source = try GzipSource(ReplayedSource(head, then: source), name: name)
      head = try Self.head(of: source)
    }
    if head.starts(with: [0xEF, 0xBB, 0xBF]) { head.removeFirst(3) }
    self.source = ReplayedSource(head, then: source)
    format = Self.format(of: head)
    delimiter = Self.delimiter(of: head)
  }

  /// The first line, but at most 64 KiB, with whatever came along: a slow pipe is not waited for.
  private static func head(of source: any ByteSource) throws(TransferError) -> [UInt8] {
    var head: [UInt8] = []
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: headSize, alignment: 1)
    defer { block.deallocate() }
    while head.count < headSize {
      let count = try source.read(
        into: UnsafeMutableRawBufferPointer(rebasing: block[..<(headSize - head.count)]))
      if count == 0 { break }
      head += block[..<count]
      if head.count > 3, block[..<count].contains(UInt8(ascii: "\n")) { break }
    }
    return head
  }

  // MARK: Format

  private static func format(of head: [UInt8]) -> ImportFormat {
    let text = head.drop { isSpace($0) }
    switch text.first {
    case nil: return .jsonLines
    case UInt8(ascii: "["): return isBackup(text) ? .couchbackup : .json
    case UInt8(ascii: "{"): return formatOfObject(text)
    default: return .csv
    }
  }

  /// Lines that are arrays of documents, the first one complete.
  private static func isBackup(_ text: ArraySlice<UInt8>) -> Bool {
    guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else { return false }
    let line = text[..<end]
    return length(of: line) == line.count - (line.last == UInt8(ascii: "\r") ? 1 : 0)
      && text[(end + 1)...].first { !isSpace($0) } == UInt8(ascii: "[")
  }

  private static func formatOfObject(_ text: ArraySlice<UInt8>) -> ImportFormat {
    let end = text.firstIndex(of: UInt8(ascii: "\n"))
    let line = text[..<(end ?? text.endIndex)]
    let key = firstKey(of: line)
    if key == "name", isBackupHeader(line) { return .couchbackup }
    // What wraps documents in CouchDB's answers; the reader for JSON looks closer.
    if ["docs", "rows", "total_rows", "offset", "update_seq", "new_edits"].contains(key) {
      return .json
    }
    if let length = length(of: line) {
      return line.dropFirst(length).allSatisfy(isSpace) ? .jsonLines : .json
    }
    // An object that goes on behind the line end was written for reading.
    return end == nil && text.count >= headSize ? .jsonLines : .json
  }

  private static func isBackupHeader(_ line: ArraySlice<UInt8>) -> Bool {
    guard let json = try? JSON(parsing: Array(line)) else { return false }
    return json["name"]?.stringValue == "@cloudant/couchbackup"
  }

  /// The length of the JSON value at the front; `nil` when its end is not in the text.
  private static func length(of text: ArraySlice<UInt8>) -> Int? {
    text.withUnsafeBytes { bytes in
      var span = ValueSpan()
      return span.scan(bytes, isAtEnd: false) ? span.length : nil
    }
  }

  /// The name of an object's first member.
  private static func firstKey(of text: ArraySlice<UInt8>) -> String {
    let rest = text.dropFirst().drop { isSpace($0) }
    guard rest.first == UInt8(ascii: "\"") else { return "" }
    return String(decoding: rest.dropFirst().prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// The separator that stands most often in the first line, outside of quotes.
  private static func delimiter(of head: [UInt8]) -> UInt8 {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    for byte in head {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { break }
      counts[byte, default: 0] += 1
    }
    let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
    // The comma wins a tie, so that a single column stays one.
    return candidates.reduce(candidates[0]) {
      counts[$1, default: 0] > counts[$0, default: 0] ? $1 : $0
    }
  }
}
