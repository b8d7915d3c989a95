/// A session with the program, written down as it looks, that a test replays.
///
/// ```text
/// # A line before the first command, or after a `===` line, that starts with `#` is a remark.
/// >>> tote store create notes
/// created store 'notes'
/// === 0
///
/// >>> tote store get notes nobody
/// --- stderr
/// tote: document 'nobody' not found
/// === 66
///
/// >40> tote store list
/// ␛[1mNAME␛[0m
/// === 0
/// ```
///
/// - `>>>` runs a line of POSIX shell with pipes; `>40>` runs it on a terminal 40 cells wide, where
///   both streams are one and an escape character is written `␛`. `...` continues the command.
/// - The lines up to `--- stderr` or `===` are standard output, then standard error; without
///   `--- stderr` nothing may be written there. `===` holds the exit status as a shell shows it.
/// - `%{name}` stands for a word (letters, digits, `.`, `_`, `-`) that differs from run to run: its
///   first place captures, later ones, also in commands, must be the same. `%{_}` is any word,
///   `%{*}` any text in the line.
/// - An output line that starts like one of these marks has a `\` put before it, and
///   `\ no newline` says that the last line had no end.
public struct Transcript: Sendable, Equatable {
  /// One command and what it wrote.
  public struct Step: Sendable, Equatable {
    /// Blank and `#` lines that stand before the command.
    public var remarks: [String] = []
    /// The shell line; continuation lines are joined by newlines.
    public var command = ""
    /// The terminal's width in cells; `nil` for pipes.
    public var columns: UInt16?
    /// Lines of standard output, or of the terminal.
    public var output: [String] = []
    /// Lines of standard error.
    public var errors: [String] = []
    /// The exit status as a shell shows it.
    public var exitCode: Int32 = 0
    /// Line of the command in the file, from 1.
    public var line = 0
  }

  /// The commands, in order.
  public var steps: [Step] = []
  /// Lines after the last command's status.
  public var trailer: [String] = []

  /// Reads a transcript.
  ///
  /// - Parameter text: the file's text.
  /// - Throws: ``SupportError/badSetup(_:)`` naming the first line that makes no sense.
  public init(parsing text: String) throws {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    var reader = TranscriptReader()
    for (index, line) in lines.enumerated() {
      try reader.take(line, number: index + 1)
    }
    self = try reader.finish()
  }

  /// The transcript as text; reading it gives an equal transcript.
  public var text: String {
    var lines: [String] = []
    for step in steps {
      lines += step.remarks
      let mark = step.columns.map { ">\($0)> " } ?? ">>> "
      let parts = step.command.split(separator: "\n", omittingEmptySubsequences: false)
      lines.append(mark + (parts.first ?? ""))
      lines += parts.dropFirst().map { "... " + $0 }
      lines += step.output.map(Self.escaped)
      if !step.errors.isEmpty { lines += ["--- stderr"] + step.errors.map(Self.escaped) }
      lines.append("=== \(step.exitCode)")
    }
    return (lines + trailer).map { $0 + "\n" }.joined()
  }

  private static func escaped(_ line: String) -> String {
    let looksLikeMark =
      line.hasPrefix("=== ") || line.hasPrefix("--- stderr") || line.hasPrefix(">")
      || line.hasPrefix("... ") || (line.hasPrefix("\\") && line != noNewline)
    return looksLikeMark ? "\\" + line : line
  }

  /// The line that says that the text before it had no newline at its end.
  static let noNewline = "\\ no newline"

  /// Lines of some text as a transcript writes them.
  static func lines(of text: String) -> [String] {
    guard !text.isEmpty else { return [] }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() } else { lines.append(noNewline) }
    return lines
  }
}

/// Reads a transcript line by line.
private struct TranscriptReader {
  private enum Place { case between, output, errors }

  private var transcript = Transcript.empty
  private var step = Transcript.Step()
  private var place = Place.between
  private var hasOutput = false

  mutating func take(_ line: String, number: Int) throws {
    switch place {
    case .between:
      if let (columns, command) = Self.prompt(line) {
        step.command = command
        step.columns = columns
        step.line = number
        place = .output
        hasOutput = false
      } else if line.isEmpty || line.hasPrefix("#") {
        step.remarks.append(line)
      } else {
        throw SupportError.badSetup("line \(number): neither a command nor a remark: \(line)")
      }
    case .output, .errors:
      try takeOutput(line, number: number)
    }
  }

  private mutating func takeOutput(_ line: String, number: Int) throws {
    if line.hasPrefix("=== ") {
      guard let code = Int32(line.dropFirst(4)) else {
        throw SupportError.badSetup("line \(number): not an exit status: \(line)")
      }
      step.exitCode = code
      transcript.steps.append(step)
      step = Transcript.Step()
      place = .between
    } else if line == "--- stderr", place == .output {
      place = .errors
    } else if line.hasPrefix("... "), !hasOutput, place == .output {
      step.command += "\n" + line.dropFirst(4)
    } else if Self.prompt(line) != nil {
      throw SupportError.badSetup("line \(number): the command before has no '===' line")
    } else {
      let text = line.hasPrefix("\\") && line != Transcript.noNewline ? line.dropFirst() : line[...]
      hasOutput = true
      if place == .output {
        step.output.append(String(text))
      } else {
        step.errors.append(String(text))
      }
    }
  }

  func finish() throws -> Transcript {
    guard place == .between else {
      throw SupportError.badSetup("line \(step.line): the last command has no '===' line")
    }
    var result = transcript
    result.trailer = step.remarks
    return result
  }

  /// The width and the command of a `>>> …` or `>40> …` line.
  private static func prompt(_ line: String) -> (UInt16?, String)? {
    guard line.hasPrefix(">") else { return nil }
    let rest = line.dropFirst()
    guard let end = rest.firstIndex(of: " "), rest[..<end].last == ">" else { return nil }
    let mark = rest[..<end].dropLast()
    let command = String(rest[rest.index(after: end)...])
    if mark == ">" { return (nil, command) }
    guard let columns = UInt16(mark) else { return nil }
    return (columns, command)
  }
}

extension Transcript {
  fileprivate static var empty: Transcript { Transcript() }

  private init() {}
}
