import Glibc

/// The three standard streams with what is known about each.
struct Streams: Sendable {
  /// What is known about one output stream.
  struct Traits: Sendable {
    /// Whether the stream is a terminal.
    var isTerminal: Bool
    /// Whether colour may be written.
    var color: Bool
    /// Columns of the terminal, or 80.
    var width: Int
    /// Rows of the terminal, or 24.
    var height: Int
    /// Whether the terminal shows UTF-8; marks and borders fall back to ASCII where not.
    var isUTF8: Bool
  }

  /// Where results go.
  let output: OutputWriter
  /// Where progress, notes and errors go.
  let error: OutputWriter
  /// Where input comes from.
  let input: InputReader
  /// What is known about `output`.
  let outputTraits: Traits
  /// What is known about `error`.
  let errorTraits: Traits

  /// The process's streams.
  static func process(environment: Environment, color: ColorChoice) -> Streams {
    func traits(_ descriptor: Int32) -> Traits {
      let isTerminal = isatty(descriptor) == 1
      let size = isTerminal ? terminalSize(descriptor) : nil
      return Traits(
        isTerminal: isTerminal,
        color: decideColor(choice: color, environment: environment, isTerminal: isTerminal),
        width: decideWidth(columns: environment["COLUMNS"], terminal: size?.columns),
        height: size?.rows ?? 24, isUTF8: environment.isUTF8)
    }
    let (output, error) = (traits(STDOUT_FILENO), traits(STDERR_FILENO))
    return Streams(
      output: OutputWriter(descriptor: STDOUT_FILENO, flushesLines: output.isTerminal),
      error: OutputWriter(descriptor: STDERR_FILENO, flushesLines: true),
      input: InputReader(descriptor: STDIN_FILENO), outputTraits: output, errorTraits: error)
  }

  /// The same streams with results going elsewhere.
  func with(output: OutputWriter) -> Streams {
    Streams(
      output: output, error: error, input: input, outputTraits: outputTraits,
      errorTraits: errorTraits)
  }

  /// The style of results.
  var outputStyle: Style { Style(isEnabled: outputTraits.color) }
  /// The style of messages.
  var errorStyle: Style { Style(isEnabled: errorTraits.color) }

  /// Whether a person can be asked: both the answer's and the question's streams are terminals.
  var canAsk: Bool { input.isTerminal && errorTraits.isTerminal }

  private static func terminalSize(_ descriptor: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
  }
}

/// The width of a stream in cells: `COLUMNS` if it is a sensible positive integer, else the
/// terminal's, else 80.
func decideWidth(columns: String?, terminal: Int?) -> Int {
  if let columns, let value = Int(columns), value > 0, value <= 10_000 { return value }
  return terminal ?? 80
}

/// Opens `/dev/null` on each standard descriptor that is closed, so that a file opened later does
/// not become somebody's stdout.
func openMissingDescriptors() {
  for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
    // The lowest free descriptor is the one just found closed.
    _ = open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY)
  }
}
