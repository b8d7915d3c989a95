import Glibc

/// Reads JSON Lines: a record is what stands between two line feeds.
///
/// Only U+000A ends a line. If the last line is the end line of an export, its count and digest are
/// compared with what came before.
struct LineReader: RecordReader, ~Copyable {
  private var window: InputWindow
  private let place: ProblemPlace
  private let maximumLength: Int
  private var digest = SHA256()
  private var records = 0
  /// The bytes of the record that was handed out last, with its line feed; taken at the next call.
  private var pending = 0
  private(set) var isProvenComplete = false

  init(_ source: any ByteSource, place: ProblemPlace, maximumLength: Int) {
    window = InputWindow(source)
    self.place = place
    self.maximumLength = maximumLength
  }

  var bytesRead: Int { window.bytesRead }

  mutating func next() throws(TransferError) -> RecordStep {
    while true {
      takePending()
      var searched = 0
      var end = window.lineFeed(from: 0)
      while end == nil {
        searched = window.count
        if searched > maximumLength { return try skipLongLine() }
        if try !window.fill() { break }
        end = window.lineFeed(from: searched)
      }
      let length = end ?? window.count
      pending = end == nil ? length : length + 1
      guard pending > 0 else { return .end }
      let bytes = UnsafeRawBufferPointer(rebasing: window.bytes[..<length])
      if Self.isBlank(bytes) { continue }
      if let line = EndLine(bytes) {
        try check(line)
        continue
      }
      guard !isProvenComplete else {
        throw .incomplete(input: place.input, detail: "there is text after its end line")
      }
      records += 1
      return .record(InputRecord(bytes: bytes, line: window.line, column: 1))
    }
  }

  private mutating func takePending() {
    guard pending > 0 else { return }
    digest.update(UnsafeRawBufferPointer(rebasing: window.bytes[..<pending]))
    window.takeLine(pending)
    pending = 0
  }

  private mutating func check(_ line: EndLine) throws(TransferError) {
    guard !isProvenComplete else {
      throw .incomplete(input: place.input, detail: "it has two end lines")
    }
    guard line.count == records else {
      throw .incomplete(
        input: place.input,
        detail: "it has \(records) records, its end line tells of \(line.count)")
    }
    guard hexadecimal(digest.finish()) == line.digest else {
      throw .incomplete(
        input: place.input, detail: "its content is not what its end line was made for")
    }
    isProvenComplete = true
  }

  private mutating func skipLongLine() throws(TransferError) -> RecordStep {
    let problem = place.problem(
      "the line is longer than \(maximumLength) bytes", line: window.line)
    records += 1
    while true {
      if let end = window.lineFeed(from: 0) {
        pending = end + 1
        break
      }
      digest.update(window.bytes)
      window.takeAll()
      if try !window.fill() { break }
    }
    return .problem(problem)
  }

  @inline(__always)
  private static func isBlank(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // Almost every line begins with its document.
    bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
  }
}

/// The last line of an export: `{"_end":true,"count":…,"sha256":"…"}`.
struct EndLine {
  /// Records before this line.
  var count: Int
  /// SHA-256 of all bytes before this line, 64 lower-case hexadecimal digits.
  var digest: String

  init(count: Int, digest: String) {
    self.count = count
    self.digest = digest
  }

  /// Reads the line; `nil` when it is something else.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count < 200, Self.mayBe(bytes), let json = try? JSON(parsing: bytes),
      json["_end"]?.boolValue == true, let count = json["count"]?.integerValue,
      let digest = json["sha256"]?.stringValue
    else { return nil }
    self.count = Int(count)
    self.digest = digest
  }

  /// The line's text, without a line feed.
  var text: String { "{\"_end\":true,\"count\":\(count),\"sha256\":\"\(digest)\"}" }

  /// Whether the line begins like one; cheap, since it is asked of every record.
  @inline(__always)
  private static func mayBe(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let mark: StaticString = "{\"_end\""
    guard let base = bytes.baseAddress, bytes.count > mark.utf8CodeUnitCount else { return false }
    return memcmp(base, mark.utf8Start, mark.utf8CodeUnitCount) == 0
  }
}
