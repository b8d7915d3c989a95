import Core

/// Where a command's JSON comes from.
enum JSONInput: Sendable {
  /// The text of an operand or option; `name` says which in errors.
  case text(String, name: String)
  case standardInput
  case file(String)

  /// Reads an operand: `-` is standard input, `@FILE` a file, anything else the text itself.
  init(argument: String, name: String) {
    if argument == "-" {
      self = .standardInput
    } else if argument.hasPrefix("@") {
      self = .file(String(argument.dropFirst()))
    } else {
      self = .text(argument, name: name)
    }
  }

  /// Reads the bytes.
  ///
  /// - Throws: `InputError` when a file cannot be read.
  func bytes(in context: Context) throws -> [UInt8] {
    switch self {
    case .text(let text, _): return Array(text.utf8)
    case .file(let path): return try readFile(path)
    case .standardInput:
      if context.streams.input.isTerminal {
        try context.note("reading from the terminal, Ctrl-D ends")
      }
      return try context.streams.input.readAll()
    }
  }

  /// Reads and parses the value.
  ///
  /// - Throws: `CommandError` with line and column when it is not JSON.
  func json(in context: Context) throws -> JSON {
    let bytes = try bytes(in: context)
    do {
      return try JSON(parsing: bytes)
    } catch {
      throw CommandError.notJSON(error, name: name)
    }
  }

  /// Reads an object.
  ///
  /// - Parameters:
  ///   - what: what the object is, for the error: `the document`.
  ///   - hint: what to do when it is something else.
  ///   - context: the command's.
  /// - Returns: its members.
  /// - Throws: `InputError`, or `CommandError` when it is no object.
  func object(_ what: String, hint: String? = nil, in context: Context) throws -> JSONObject {
    let json = try json(in: context)
    guard case .object(let members) = json else {
      throw CommandError.invalidInput(
        "\(what) must be a JSON object, and this is \(json.kindName)", hint: hint)
    }
    return members
  }

  /// The input as an error names it.
  var name: String {
    switch self {
    case .text(_, let name): name
    case .standardInput: "standard input"
    case .file(let path): "'\(path)'"
    }
  }
}

extension CommandError {
  /// Text that is no JSON.
  static func notJSON(_ error: JSONError, name: String) -> CommandError {
    .invalidInput(
      "\(name) is not valid JSON: \(error.message)",
      details: [
        ("line", .integer(Int64(error.line))), ("column", .integer(Int64(error.column))),
        ("offset", .integer(Int64(error.offset))),
      ])
  }
}
