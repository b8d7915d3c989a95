/// A program on a terminal of its own, with a person's keys.
///
/// ```swift
/// let session = try PseudoTerminal(tote.launch(["store", "delete", "notes"]))
/// try session.waitFor("type the name")
/// session.type("notes\r")
/// let result = try session.finish()
/// ```
public final class PseudoTerminal {
  private let process: ChildProcess

  /// Starts a program whose chosen streams are a terminal; the others stay as the launch says.
  ///
  /// - Parameters:
  ///   - launch: how it is started.
  ///   - size: the terminal's size. `COLUMNS` and `LINES` are removed from the environment, so that
  ///     the program asks the terminal.
  ///   - streams: numbers of the streams that are the terminal.
  /// - Throws: ``SupportError`` if it cannot be started.
  public init(
    _ launch: Launch, size: Launch.TerminalSize = .init(), streams: Set<Int> = [0, 1, 2]
  ) throws {
    var launch = launch
    launch.terminal = size
    launch.environment["COLUMNS"] = nil
    launch.environment["LINES"] = nil
    if streams.contains(0) { launch.standardInput = .terminal }
    if streams.contains(1) { launch.standardOutput = .terminal }
    if streams.contains(2) { launch.standardError = .terminal }
    process = try ChildProcess(launch)
  }

  /// Types keys: `\r` is Return, `\t` Tab, `\u{3}` Ctrl-C, `\u{4}` Ctrl-D.
  ///
  /// - Parameter keys: what to type.
  public func type(_ keys: String) {
    process.type(keys)
  }

  /// Sends a signal to the program.
  ///
  /// - Parameter signal: its number.
  public func send(_ signal: Int32) {
    process.send(signal)
  }

  /// Waits until the terminal has shown a text since the last wait.
  ///
  /// - Parameters:
  ///   - text: what to wait for.
  ///   - limit: how long.
  /// - Returns: everything shown since the last wait, up to and with the text.
  /// - Throws: ``SupportError/timedOut(_:)``, with what was shown instead.
  @discardableResult
  public func waitFor(_ text: String, within limit: Duration = .seconds(30)) throws -> String {
    try process.waitForScreen(text, within: limit)
  }

  /// Waits until the program ends.
  ///
  /// - Parameter limit: how long; past it the program is killed.
  /// - Returns: how it ended; ``ProcessResult/screen`` holds what the terminal was sent.
  /// - Throws: ``SupportError/timedOut(_:)`` if it had to be killed.
  public func finish(within limit: Duration = .seconds(30)) throws -> ProcessResult {
    try process.finish(within: limit)
  }
}

extension String {
  /// The text without terminal control sequences and carriage returns, as a person reads it.
  public var withoutEscapes: String {
    var result = String.UnicodeScalarView()
    var scalars = Substring(self).unicodeScalars
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\r": continue
      case "\u{1B}": scalars.dropEscapeSequence()
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}

extension Substring.UnicodeScalarView {
  /// Drops the rest of a sequence whose escape character is already gone (ECMA-48 §5.4 and §5.6).
  fileprivate mutating func dropEscapeSequence() {
    switch popFirst() {
    case "[":
      while let scalar = popFirst() {
        if (0x40...0x7E).contains(scalar.value) { return }
      }
    case "]":
      while let scalar = popFirst() {
        if scalar == "\u{7}" { return }
        if scalar == "\u{1B}" {
          _ = popFirst()
          return
        }
      }
    default: return
    }
  }
}
