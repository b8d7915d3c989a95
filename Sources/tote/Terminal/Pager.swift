import Glibc

/// Shows long text through the reader's pager.
enum Pager {
  /// The pager to use, or `nil` when none is wanted: `TOTE_PAGER`, then `PAGER`, then `less -FRX`;
  /// empty or `cat` means none.
  static func command(_ environment: Environment) -> String? {
    let choice = environment["TOTE_PAGER"] ?? environment["PAGER"] ?? "less -FRX"
    let trimmed = choice.trimmingSpaces()
    return trimmed.isEmpty || trimmed == "cat" ? nil : trimmed
  }

  /// Writes to stdout, through the pager when that is a terminal and the text fills more than a
  /// screen.
  ///
  /// A pager that was closed early is no error.
  static func show(
    _ bytes: [UInt8], streams: Streams, environment: Environment
  ) throws(OutputError) {
    let lines = bytes.count(where: { $0 == 0x0A })
    guard streams.outputTraits.isTerminal, lines >= streams.outputTraits.height,
      let command = command(environment)
    else { return try streams.output.write(bytes) }
    try streams.output.flush()
    guard send(bytes, to: command) else { return try streams.output.write(bytes) }
  }

  /// Whether the pager could be started.
  private static func send(_ bytes: [UInt8], to command: String) -> Bool {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return false }
    for end in ends { closeOnExec(end) }
    guard
      let child = ChildProcess.start(
        command: command, arguments: [], input: ends[0], closing: [ends[1]])
    else {
      close(ends[0])
      close(ends[1])
      return false
    }
    close(ends[0])
    return SignalWatch.withForegroundChild {
      _ = bytes.withUnsafeBytes { writeAll($0, to: ends[1]) }
      close(ends[1])
      // 127 is the shell's word for "no such command": then nothing was shown.
      return child.wait() != .exited(127)
    }
  }
}

extension String {
  /// The text without spaces and tabs at its ends.
  func trimmingSpaces() -> String {
    var slice = self[...]
    while let first = slice.first, first == " " || first == "\t" { slice.removeFirst() }
    while let last = slice.last, last == " " || last == "\t" { slice.removeLast() }
    return String(slice)
  }
}
