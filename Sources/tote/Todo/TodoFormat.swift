import ArgumentParser
import Core

/// The file formats todos are exchanged in.
enum TodoFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  case todotxt, json, ical

  /// The format a file's name or beginning tells.
  static func guess(path: String?, content: [UInt8] = []) -> TodoFormat {
    let name = path?.lowercased() ?? ""
    if name.hasSuffix(".ics") || name.hasSuffix(".ical") { return .ical }
    if name.hasSuffix(".json") || name.hasSuffix(".jsonl") { return .json }
    let text = content.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    if text == 0x5B || text == 0x7B { return .json }
    let calendar = Array("BEGIN:VCALENDAR".utf8)
    if content.starts(with: calendar) || content.dropFirst(3).starts(with: calendar) {
      return .ical
    }
    return .todotxt
  }

  /// Reads a file.
  func read(_ bytes: [UInt8], _ context: Context) -> TodoImport {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      var result = TodoImport()
      let line = bytes.prefix(validLength(bytes)).count { $0 == 0x0A } + 1
      result.problems = [ImportProblem(line: line, message: "the text is not valid UTF-8")]
      return result
    }
    switch self {
    case .todotxt: return TodoText(zone: context.zone).read(text)
    case .json: return TodoJSON().read(bytes)
    case .ical: return TodoCalendar(zone: context.zone, now: context.now).read(text)
    }
  }

  /// Writes a list.
  func write(_ records: [TodoRecord], _ context: Context) -> TodoExport {
    switch self {
    case .todotxt: TodoText(zone: context.zone).write(records)
    case .json: TodoJSON().write(records)
    case .ical: TodoCalendar(zone: context.zone, now: context.now).write(records)
    }
  }

  /// How many bytes at the beginning are valid UTF-8, to the line.
  private func validLength(_ bytes: [UInt8]) -> Int {
    var valid = 0
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      guard String(validating: line, as: UTF8.self) != nil else { break }
      valid += line.count + 1
    }
    return valid
  }
}
