/// Everything that decides how a program under test is started.
public struct Launch: Sendable {
  /// What a standard stream of the program is connected to.
  public enum Stream: Sendable, Equatable {
    /// A pipe to the test: input is ``Launch/input``, output is collected.
    case pipe
    /// The pseudo-terminal that ``Launch/terminal`` asks for.
    case terminal
    /// A file: opened for reading as standard input, else created or opened for writing.
    case file(String)
    /// Not open at all, as after `>&-` in a shell.
    case closed
    /// A pipe whose other end is already gone.
    case brokenPipe
  }

  /// The size of a pseudo-terminal, in character cells.
  public struct TerminalSize: Sendable, Equatable {
    /// Cells across.
    public var columns: UInt16
    /// Lines.
    public var rows: UInt16

    /// Makes a size.
    ///
    /// - Parameters:
    ///   - columns: cells across.
    ///   - rows: lines.
    public init(columns: UInt16 = 80, rows: UInt16 = 24) {
      self.columns = columns
      self.rows = rows
    }
  }

  /// Path of the program.
  public var executable: String
  /// Its arguments, without the name.
  public var arguments: [String]
  /// Its whole environment; nothing is inherited.
  public var environment: [String: String]
  /// The folder it starts in; `nil` for the test's own.
  public var directory: String?
  /// What is written to its standard input if that is a pipe, which is then closed.
  public var input: [UInt8] = []
  /// Whether the standard input pipe stays open after ``input``, for ``ChildProcess/write(_:)``.
  public var keepsInputOpen = false
  /// Where standard input comes from.
  public var standardInput = Stream.pipe
  /// Where standard output goes.
  public var standardOutput = Stream.pipe
  /// Where standard error goes.
  public var standardError = Stream.pipe
  /// The pseudo-terminal that becomes the program's controlling terminal; `nil` for none.
  public var terminal: TerminalSize?

  /// Describes a start with pipes on all three streams and empty standard input.
  ///
  /// - Parameters:
  ///   - executable: path of the program.
  ///   - arguments: its arguments, without the name.
  ///   - environment: its whole environment.
  public init(_ executable: String, _ arguments: [String] = [], environment: [String: String] = [:])
  {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
  }
}
