/// A todo read from a file of another program.
public struct ImportedTodo: Sendable, Hashable {
  /// The document id the file names, or `nil` for a new one.
  public var id: String?
  /// The todo.
  public var item: TodoItem
  /// The line it stood on, from 1.
  public var line: Int

  /// Creates an imported todo.
  public init(id: String?, item: TodoItem, line: Int) {
    self.id = id
    self.item = item
    self.line = line
  }
}

extension ImportedTodo {
  /// The todo a store has, with what the file says about it; what only the store knows stays.
  ///
  /// - Parameters:
  ///   - old: the todo in the store.
  ///   - zone: the zone in which a day of the file is compared with a time of the store, which is
  ///     kept when it falls on that day.
  /// - Returns: the todo to write; equal to `old` when the file says nothing new.
  public func updating(_ old: TodoItem, zone: LocalZone) -> TodoItem {
    var result = old
    for key in ["name", "priority", "done", "completed", "due", "tags", "project"] {
      if key == "completed", let mine = old.completed, case .day(let day)? = item.completed,
        mine.day(in: zone) == day
      {
        continue
      }
      if result.fields[key] != item.fields[key] { result.fields[key] = item.fields[key] }
    }
    for (key, value) in item.fields where result.fields[key] == nil { result.fields[key] = value }
    return result
  }
}

/// A place in a file that could not be read.
public struct ImportProblem: Error, Sendable, Hashable {
  /// The line, from 1.
  public let line: Int
  /// The column in characters, from 1.
  public let column: Int
  /// What is wrong, lower case without a final period.
  public let message: String

  /// Creates a problem.
  public init(line: Int, column: Int = 1, message: String) {
    self.line = line
    self.column = column
    self.message = message
  }
}

/// What a file held: the todos that could be read, and what could not.
public struct TodoImport: Sendable {
  /// The todos in file order.
  public var todos: [ImportedTodo] = []
  /// What could not be read, in file order.
  public var problems: [ImportProblem] = []

  /// An empty result.
  public init() {}
}

/// A todo list written for another program.
public struct TodoExport: Sendable {
  /// The file's text.
  public var text: String
  /// What the format cannot hold, one sentence each.
  public var losses: [String]

  /// Creates an export.
  public init(text: String, losses: [String] = []) {
    self.text = text
    self.losses = losses
  }
}

/// Splits text into lines at LF, CR LF or CR, a byte order mark dropped; a last empty line is no line.
func importLines(_ text: String) -> [(number: Int, text: String)] {
  var lines: [(Int, String)] = []
  var current: [UInt8] = []
  var number = 1
  var bytes = Array(text.utf8)[...]
  if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
  var isAfterReturn = false
  for byte in bytes {
    if byte == 0x0A, isAfterReturn {
      isAfterReturn = false
      continue
    }
    isAfterReturn = byte == 0x0D
    if byte == 0x0A || byte == 0x0D {
      lines.append((number, String(decoding: current, as: UTF8.self)))
      current.removeAll(keepingCapacity: true)
      number += 1
    } else {
      current.append(byte)
    }
  }
  if !current.isEmpty { lines.append((number, String(decoding: current, as: UTF8.self))) }
  return lines
}

/// Percent-codes everything but unreserved characters of RFC 3986.
func percentEncoded(_ text: String) -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var bytes: [UInt8] = []
  for byte in text.utf8 {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
    default: bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}

/// Undoes `percentEncoded`, or `nil` when the text is not that.
func percentDecoded(_ text: some StringProtocol) -> String? {
  func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
  let source = Array(text.utf8)
  var bytes: [UInt8] = []
  var index = 0
  while index < source.count {
    if source[index] == 0x25 {
      guard index + 2 < source.count, let high = value(source[index + 1]),
        let low = value(source[index + 2])
      else { return nil }
      bytes.append(high << 4 | low)
      index += 3
    } else {
      bytes.append(source[index])
      index += 1
    }
  }
  return String(validating: bytes, as: UTF8.self)
}
