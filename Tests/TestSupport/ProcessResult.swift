import Glibc

/// How a program under test ended and what it wrote.
public struct ProcessResult: Sendable {
  /// How a process ended.
  public enum Status: Sendable, Equatable, CustomStringConvertible {
    /// It returned or called `exit`.
    case exited(Int32)
    /// A signal ended it.
    case signalled(Int32)

    /// The number that a shell shows as `$?`.
    public var shellCode: Int32 {
      switch self {
      case .exited(let code): code
      case .signalled(let signal): 128 + signal
      }
    }

    /// `exit 74` or `signal 9`.
    public var description: String {
      switch self {
      case .exited(let code): "exit \(code)"
      case .signalled(let signal): "signal \(signal)"
      }
    }

    init(waitStatus: Int32) {
      let signal = waitStatus & 0x7F
      self = signal == 0 ? .exited((waitStatus >> 8) & 0xFF) : .signalled(signal)
    }
  }

  /// How it ended.
  public var status: Status
  /// The bytes it wrote to standard output, if that was a pipe.
  public var standardOutput: [UInt8]
  /// The bytes it wrote to standard error, if that was a pipe.
  public var standardError: [UInt8]
  /// The bytes it wrote to its terminal, if it had one; the terminal writes `\r\n` for a newline.
  public var terminalOutput: [UInt8]
  /// The most memory it was seen to hold, in bytes; 0 if it was too short-lived to be looked at.
  public var peakMemory: Int

  /// Standard output as text; invalid UTF-8 shows as U+FFFD.
  public var output: String { String(decoding: standardOutput, as: UTF8.self) }
  /// Standard error as text; invalid UTF-8 shows as U+FFFD.
  public var errors: String { String(decoding: standardError, as: UTF8.self) }
  /// What the terminal was sent, as text.
  public var screen: String { String(decoding: terminalOutput, as: UTF8.self) }
  /// The lines of ``output``, without their ends.
  public var lines: [String] {
    var lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }
  /// The number that a shell shows as `$?`.
  public var exitCode: Int32 { status.shellCode }
}
