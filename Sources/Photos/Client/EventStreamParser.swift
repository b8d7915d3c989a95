/// Reads the lines of an event stream (HTML, "Server-sent events", §9.2.6).
struct EventStreamParser {
  /// One event.
  struct Event: Equatable {
    var name: String
    var data: String
  }

  /// The stream breaks the rules of what is reasonable.
  struct TooLong: Error {}

  /// The id that the stream last set; it stays for events without one.
  private(set) var lastID: String?
  /// Milliseconds to wait before connecting again, when the stream named any.
  private(set) var retry: Int?

  private var line: [UInt8] = []
  private var name = ""
  private var data: [UInt8] = []
  private var hasData = false
  private var afterReturn = false
  private var isFirstLine = true

  /// Bytes of one event.
  private static let limit = 1 << 20

  init(lastID: String? = nil) { self.lastID = lastID }

  /// Takes the next bytes and gives the events that they end.
  mutating func feed(_ bytes: [UInt8]) throws(TooLong) -> [Event] {
    var events: [Event] = []
    for byte in bytes {
      // A line ends with CR, LF or both.
      if byte == 0x0a, afterReturn {
        afterReturn = false
        continue
      }
      afterReturn = byte == 0x0d
      guard byte == 0x0a || byte == 0x0d else {
        guard line.count < Self.limit else { throw TooLong() }
        line.append(byte)
        continue
      }
      if let event = try endLine() { events.append(event) }
      line.removeAll(keepingCapacity: true)
    }
    return events
  }

  private mutating func endLine() throws(TooLong) -> Event? {
    if isFirstLine {
      isFirstLine = false
      if line.starts(with: [0xef, 0xbb, 0xbf]) { line.removeFirst(3) }
    }
    guard !line.isEmpty else { return dispatch() }
    let colon = line.firstIndex(of: 0x3a) ?? line.endIndex
    // A comment, such as a heartbeat.
    guard colon != line.startIndex else { return nil }
    var value = line[min(colon + 1, line.endIndex)...]
    if value.first == 0x20 { value = value.dropFirst() }
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "event": name = String(decoding: value, as: UTF8.self)
    case "data":
      guard data.count + value.count < Self.limit else { throw TooLong() }
      if hasData { data.append(0x0a) }
      data += value
      hasData = true
    case "id" where !value.contains(0): lastID = String(decoding: value, as: UTF8.self)
    case "retry": retry = Int(String(decoding: value, as: UTF8.self)) ?? retry
    default: break
    }
    return nil
  }

  private mutating func dispatch() -> Event? {
    defer { (name, data, hasData) = ("", [], false) }
    guard hasData else { return nil }
    return Event(name: name, data: String(decoding: data, as: UTF8.self))
  }
}
