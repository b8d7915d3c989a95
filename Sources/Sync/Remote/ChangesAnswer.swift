import Core
import HTTP

/// Reads the answer of a changes feed, also one that is cut short or not quite JSON.
///
/// Tolerated are rows without a line end, commas at the beginnings or ends of lines, empty lines, a
/// missing `pending`, and an answer that breaks off: the rows that came count, and the next request
/// goes on behind them.
struct ChangesAnswer {
  let page: ChangesPage

  init(_ body: HTTPBody, url: WebURL) async throws {
    var bytes: [UInt8] = []
    var failure: (any Error)?
    do {
      for try await chunk in body {
        guard bytes.count + chunk.count <= RemoteConnection.answerLimit else {
          throw HTTPError.bodyTooLarge(limit: Int64(RemoteConnection.answerLimit))
        }
        if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
      }
    } catch let error as HTTPError {
      failure = RemoteError.transport(error, url: url)
    }
    if failure == nil, let page = try Self.whole(bytes) {
      self.page = page
      return
    }
    guard let page = try Self.lines(bytes) else {
      throw failure
        ?? RemoteError.unexpected(detail: "a changes feed that is not JSON", url: url)
    }
    self.page = page
  }

  private static func whole(_ bytes: [UInt8]) throws -> ChangesPage? {
    var reader = AnswerReader()
    do {
      let (rows, last, pending) = try bytes.withUnsafeBytes { try reader.changes(in: $0) }
      guard let last = last.map(UpdateSequence.init) ?? rows.last?.sequence else { return nil }
      return ChangesPage(rows: rows, lastSequence: last, pending: pending)
    } catch is JSONError {
      return nil
    } catch is AnswerFault {
      return nil
    }
  }

  /// Reads line by line; nil when no line is of use.
  private static func lines(_ bytes: [UInt8]) throws -> ChangesPage? {
    var reader = AnswerReader()
    var rows: [Change] = []
    var last: JSON?
    var pending: Int?
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let text = trimmed(line)
      guard !text.isEmpty else { continue }
      if text.first == UInt8(ascii: "{"), text.last == UInt8(ascii: "}") {
        let row = try? Array(text).withUnsafeBytes { try reader.change(text: $0) }
        if let row = row ?? nil {
          rows.append(row)
          continue
        }
      }
      // The end of the feed stands in a line of its own, `"last_seq":…,"pending":0}`.
      let end = text.first == UInt8(ascii: "{") ? Array(text) : [UInt8(ascii: "{")] + text
      if let json = try? JSON(parsing: end), let sequence = json["last_seq"] {
        last = sequence
        pending = json["pending"]?.integerValue.map(Int.init)
      }
    }
    if let last {
      return ChangesPage(rows: rows, lastSequence: UpdateSequence(last), pending: pending)
    }
    guard let sequence = rows.last?.sequence else { return nil }
    // Cut short: there is more behind the last row.
    return ChangesPage(rows: rows, lastSequence: sequence, pending: 1)
  }

  /// A line without blanks, commas and brackets of the list around it.
  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let around: Set<UInt8> = [0x20, 0x09, 0x0d, UInt8(ascii: ",")]
    var text = line.drop { around.contains($0) }
    for opening in ["{\"results\":[", "["] where text.starts(with: opening.utf8) {
      text = text.dropFirst(opening.utf8.count).drop { around.contains($0) }
    }
    if text.first == UInt8(ascii: "]") {
      text = text.dropFirst().drop { around.contains($0) }
    }
    while let byte = text.last, around.contains(byte) { text.removeLast() }
    if text.first == UInt8(ascii: "{"), text.last == UInt8(ascii: "]") {
      text.removeLast()
      while let byte = text.last, around.contains(byte) { text.removeLast() }
    }
    return text
  }
}
