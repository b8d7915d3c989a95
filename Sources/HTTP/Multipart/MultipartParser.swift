import Glibc

/// Takes a multipart body apart as its bytes come (RFC 2046 §5.1), whatever their chunking.
///
/// Holds back only what may be the beginning of a delimiter, and the head of a part. Preamble and
/// epilogue are dropped. A nested multipart is a part's body: give it a parser of its own.
public struct MultipartParser: Sendable {
  /// What has been found.
  public enum Event: Sendable, Equatable {
    /// A part begins, with these headers; there may be none.
    case begin(HTTPHeaders)
    /// Bytes of the part's body, never empty.
    case bytes([UInt8])
    /// The part has ended.
    case end
  }

  private enum State { case preamble, head, body, epilogue }

  /// CR, LF, two dashes and the boundary.
  private let delimiter: [UInt8]
  private let headLimit: Int
  private let partLimit: Int
  private var state = State.preamble
  /// What cannot be judged yet.
  ///
  /// It begins as if a line end had come before the body, and each part's
  /// body begins with the line end of its head: so a delimiter always begins with one.
  private var pending: [UInt8] = [0x0d, 0x0a]
  /// Bytes at the front of `pending` that are not the part's.
  private var borrowed = 2
  private var partCount = 0

  /// - Parameters:
  ///   - boundary: as the `Content-Type` names it, without dashes.
  ///   - headLimit: bytes of one part's headers.
  ///   - partLimit: parts in all.
  public init(boundary: String, headLimit: Int = 16 << 10, partLimit: Int = 100_000) {
    delimiter = Array("\r\n--\(boundary)".utf8)
    self.headLimit = headLimit
    self.partLimit = partLimit
  }

  /// Whether the closing delimiter has come.
  public var isComplete: Bool { state == .epilogue }

  /// Takes bytes and reports what they complete, in order.
  ///
  /// - Throws: `HTTPError.protocolViolation` for a malformed head or too many parts, and what
  ///   `report` throws; the parser is of no use afterwards.
  public mutating func parse(_ bytes: [UInt8], _ report: (Event) throws -> Void) throws {
    var data = bytes
    if !pending.isEmpty {
      data = pending + bytes
      pending = []
    }
    var position = 0
    loop: while position < data.count {
      switch state {
      case .preamble, .body:
        guard let next = try search(data, position, report) else {
          break loop
        }
        position = next
      case .head:
        guard let next = try parseHead(data, position, report) else { break loop }
        position = next
      case .epilogue: return
      }
    }
  }

  /// Checks that the body is complete.
  ///
  /// - Throws: `HTTPError.protocolViolation` when the closing delimiter has not come.
  public func finish() throws(HTTPError) {
    guard isComplete else { throw .protocolViolation(text: "the multipart body is truncated") }
  }

  /// Looks for a delimiter from a position; gives the position after it, nil when more is needed.
  private mutating func search(
    _ data: [UInt8], _ start: Int, _ report: (Event) throws -> Void
  ) throws -> Int? {
    var index = start
    while true {
      index = nextReturn(data, index)
      let available = min(delimiter.count, data.count - index)
      guard matches(data, index, available) else {
        index += 1
        continue
      }
      // Two bytes more decide whether it is a delimiter, and which.
      let end = index + delimiter.count
      guard end + 2 <= data.count else {
        try emit(data, start..<index, report)
        hold(data, from: index, keepingBorrowed: index == start)
        return nil
      }
      switch (data[end], data[end + 1]) {
      case (0x2d, 0x2d):
        try close(data, start..<index, report)
        state = .epilogue
        return end + 2
      case (0x0d, 0x0a), (0x20, _), (0x09, _):
        try close(data, start..<index, report)
        try startPart()
        return end
      default:
        // The boundary is the beginning of a longer text: plain data.
        index += 1
      }
    }
  }

  /// The next carriage return from an index, or the end.
  private func nextReturn(_ data: [UInt8], _ index: Int) -> Int {
    data.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, index < bytes.count,
        let found = memchr(base + index, 0x0d, bytes.count - index)
      else { return bytes.count }
      return UnsafeRawPointer(found) - base
    }
  }

  private func matches(_ data: [UInt8], _ index: Int, _ count: Int) -> Bool {
    guard count > 0 else { return true }
    return data.withUnsafeBytes { bytes in
      delimiter.withUnsafeBytes { delimiter in
        guard let left = bytes.baseAddress, let right = delimiter.baseAddress else { return false }
        return memcmp(left + index, right, count) == 0
      }
    }
  }

  private mutating func hold(_ data: [UInt8], from index: Int, keepingBorrowed: Bool) {
    pending = Array(data[index...])
    if !keepingBorrowed { borrowed = 0 }
  }

  private mutating func emit(
    _ data: [UInt8], _ range: Range<Int>, _ report: (Event) throws -> Void
  ) throws {
    guard !range.isEmpty else { return }
    let own = range.lowerBound + min(borrowed, range.count)
    borrowed -= own - range.lowerBound
    guard state == .body, own < range.upperBound else { return }
    try report(.bytes(Array(data[own..<range.upperBound])))
  }

  private mutating func close(
    _ data: [UInt8], _ range: Range<Int>, _ report: (Event) throws -> Void
  ) throws {
    try emit(data, range, report)
    borrowed = 0
    if state == .body { try report(.end) }
  }

  private mutating func startPart() throws(HTTPError) {
    partCount += 1
    guard partCount <= partLimit else {
      throw .protocolViolation(text: "more than \(partLimit) parts")
    }
    state = .head
  }

  /// Parses a head, which begins with the rest of the delimiter's line and ends with an empty line.
  private mutating func parseHead(
    _ data: [UInt8], _ start: Int, _ report: (Event) throws -> Void
  ) throws -> Int? {
    let limit = min(data.count, start + headLimit)
    var index = start
    while index + 4 <= limit {
      if data[index] == 0x0d, data[index + 1] == 0x0a, data[index + 2] == 0x0d,
        data[index + 3] == 0x0a
      {
        try report(.begin(try Self.headers(data[start..<index])))
        state = .body
        // The empty line's end may be the delimiter's beginning, when there is no body.
        borrowed = 2
        return index + 2
      }
      index += 1
    }
    guard data.count - start < headLimit else {
      throw HTTPError.protocolViolation(text: "a part's head is longer than \(headLimit) bytes")
    }
    pending = Array(data[start...])
    return nil
  }

  private static func headers(_ bytes: ArraySlice<UInt8>) throws(HTTPError) -> HTTPHeaders {
    var lines: [[UInt8]] = []
    // The first line is what follows the delimiter: blanks.
    for line in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).dropFirst() {
      let text = line.last == 0x0d ? line.dropLast() : line
      if let first = text.first, first == 0x20 || first == 0x09, !lines.isEmpty {
        // A folded line goes on with the last one (RFC 5322 §2.2.3).
        lines[lines.count - 1] += [0x20] + trimmingBlanks(text)
      } else {
        lines.append(Array(text))
      }
    }
    var headers = HTTPHeaders()
    for line in lines where !line.isEmpty {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
        case let name = trimmingBlanks(line[..<colon]).text, isToken(name)
      else { throw .protocolViolation(text: "a part has a malformed header") }
      headers.add(name, trimmingBlanks(line[(colon + 1)...]).text)
    }
    return headers
  }
}
