import Glibc

/// Asks a terminal what it can show.
///
/// All questions go out at once. The last one, for the device's attributes, is answered by every
/// terminal, so that nobody waits for an answer that will not come.
enum TerminalQuery {
  /// The longest wait, in milliseconds; enough for a terminal on the other side of the world.
  private static let limit = 600

  /// A picture of one pixel, with which kitty only checks whether it could be shown.
  private static let kitty = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
  /// Sets a colour, asks which colour is set (DECRQSS), and takes it back.
  private static let colour = "\u{1B}[48;2;1;2;3m\u{1B}P$qm\u{1B}\\\u{1B}[0m"
  /// Cell size in pixels; registers for sixel colours.
  private static let sizes = "\u{1B}[16t\u{1B}[?1;1;0S"
  /// Primary device attributes (DA1).
  private static let attributes = "\u{1B}[c"

  /// Asks the terminal that stdin and an output stream share.
  ///
  /// It is not asked when that would take keys somebody typed already, or stop a job in the
  /// background; nor where a question would be seen as text.
  ///
  /// - Parameters:
  ///   - input: where keys and answers come from.
  ///   - output: the descriptor that pictures go to.
  ///   - environment: tells the terminal's name.
  /// - Returns: what it said, or nil when it was not asked.
  static func ask(
    input: Int32, output: Int32, _ environment: Environment
  ) -> TerminalAnswers? {
    guard let name = environment.nonEmpty("TERM"), name != "dumb", name != "linux",
      isatty(output) == 1, tcgetpgrp(input) == getpgrp(), !isReadable(input, milliseconds: 0)
    else { return nil }
    // GNU screen would hand parts of a question on to the terminal it runs in.
    if environment.nonEmpty("STY") != nil { return nil }
    let isMultiplexed = PictureTerminal.isMultiplexed(environment)
    var settings = termios()
    guard tcgetattr(input, &settings) == 0 else { return nil }
    let original = settings
    let restore: @Sendable () -> Void = {
      var saved = original
      tcsetattr(input, TCSANOW, &saved)
    }
    let cleanup = Cleanup.add(restore)
    defer {
      restore()
      Cleanup.remove(cleanup)
    }
    settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
    tcsetattr(input, TCSANOW, &settings)
    // tmux would take kitty's question for a window's title.
    let text = (isMultiplexed ? colour : kitty + colour + sizes) + attributes
    let failure = Array(text.utf8).withUnsafeBytes { writeAll($0, to: output) }
    guard failure == nil else { return nil }
    return TerminalAnswers(answer(input))
  }

  private static func answer(_ input: Int32) -> [UInt8] {
    let deadline = monotonicMilliseconds() + UInt64(limit)
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1024)
    while !TerminalAnswers.isComplete(bytes), bytes.count < 16_384 {
      let now = monotonicMilliseconds()
      guard now < deadline, isReadable(input, milliseconds: Int32(deadline - now)) else { break }
      let count = read(input, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return bytes
  }

  private static func isReadable(_ descriptor: Int32, milliseconds: Int32) -> Bool {
    var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waited, 1, milliseconds) > 0
  }
}

/// The size of a terminal's cells in pixels, if its driver knows it.
func terminalCellSize(_ descriptor: Int32) -> CellSize? {
  var size = winsize()
  guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0,
    size.ws_xpixel > 0, size.ws_ypixel > 0
  else { return nil }
  let cell = CellSize(
    width: Int(size.ws_xpixel / size.ws_col), height: Int(size.ws_ypixel / size.ws_row))
  return cell.width > 0 && cell.height > 0 ? cell : nil
}
