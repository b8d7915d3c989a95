import Core
import Glibc

/// Asks a person, and only a person: both stdin and stderr must be terminals.
struct Prompt: Sendable {
  let streams: Streams
  /// Whether `--no-input` forbids questions.
  let isForbidden: Bool

  /// Asks a question whose safe answer is no; end of input is no.
  ///
  /// - Parameters:
  ///   - question: without the choices, such as `delete 12 documents?`.
  ///   - option: the option that answers it beforehand, such as `--yes`.
  /// - Returns: whether the answer was yes.
  /// - Throws: a usage error naming the option when nobody can be asked.
  func confirm(_ question: String, option: String = "--yes") throws -> Bool {
    try requirePerson(option: option)
    try ask(question + " [y/N] ")
    let answer = try streams.input.readLine()?.trimmingSpaces().lowercased()
    return answer == "y" || answer == "yes"
  }

  /// Asks for a name to be typed in full, for what cannot be undone.
  func confirm(byTyping name: String, _ question: String, option: String = "--yes") throws -> Bool {
    try requirePerson(option: option)
    try ask("\(question)\ntype '\(Sanitizer.terminalSafe(name))' to go on: ")
    guard let answer = try streams.input.readLine() else { return false }
    return utf8Equal(answer.trimmingSpaces(), name)
  }

  /// Whether there is a person who may be asked.
  var canAsk: Bool { !isForbidden && streams.canAsk }

  /// Asks for a secret; what is typed is not shown.
  ///
  /// The terminal is restored when the answer is complete and also when a signal ends the process.
  func secret(_ question: String, option: String) throws -> String? {
    try requirePerson(option: option)
    return try withoutEcho(option: option) {
      try ask(question)
      return try streams.input.readLine()
    }
  }

  /// Asks for a passphrase; what is typed is not shown, and lies in wiped memory only.
  ///
  /// - Returns: nil at the end of input.
  func passphrase(_ question: String) throws -> SecretBytes? {
    let option = "--passphrase-file FILE"
    try requirePerson(option: option)
    return try withoutEcho(option: option) {
      try ask(question)
      return try streams.input.readSecretLine()
    }
  }

  private func withoutEcho<Answer>(
    option: String, _ body: () throws -> Answer
  ) throws -> Answer {
    let descriptor = streams.input.fileDescriptor
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else {
      throw CommandError.usage("cannot ask for a secret here", hint: "pass \(option)")
    }
    let original = settings
    let restore: @Sendable () -> Void = {
      var saved = original
      tcsetattr(descriptor, TCSAFLUSH, &saved)
    }
    let cleanup = Cleanup.add(restore)
    defer {
      restore()
      Cleanup.remove(cleanup)
    }
    settings.c_lflag &= ~tcflag_t(ECHO)
    // Ctrl-Z would leave the shell behind it with a terminal that does not echo: 10 is VSUSP, and 0
    // means no key.
    settings.c_cc.10 = 0
    tcsetattr(descriptor, TCSAFLUSH, &settings)
    let answer = try body()
    try streams.error.write("\n")
    return answer
  }

  private func requirePerson(option: String) throws(CommandError) {
    if isForbidden {
      throw .usage(
        "a confirmation is needed, and '--no-input' forbids asking", hint: "pass \(option)")
    }
    guard streams.canAsk else {
      throw .usage(
        "a confirmation is needed, and there is no terminal to ask at", hint: "pass \(option)")
    }
  }

  private func ask(_ text: String) throws(OutputError) {
    try streams.output.flush()
    try streams.error.write(text)
    try streams.error.flush()
  }
}
