import Core

extension Context {
  /// Gets a new password: from a file, asked for twice, or as a line of standard input.
  ///
  /// - Parameters:
  ///   - user: whose it is, for the question.
  ///   - file: the file; `-` is standard input; nil asks.
  /// - Returns: the password, not empty.
  /// - Throws: `CommandError` when it is missing, empty, or typed differently the second time.
  func newPassword(of user: String, file: String?) throws -> String {
    if let file, file != "-" {
      let line = try readFile(file).prefix { $0 != UInt8(ascii: "\n") }
      guard let text = String(validating: line, as: UTF8.self) else {
        throw CommandError.invalidInput("the password in '\(file)' is not UTF-8 text")
      }
      return try checked(text)
    }
    guard file == nil, streams.input.isTerminal else {
      guard let line = try streams.input.readLine() else {
        throw CommandError.usage(
          "the password of '\(user)' is missing",
          hint: "give it as a line of standard input, or pass --password-file F")
      }
      return try checked(line)
    }
    let shown = Sanitizer.terminalSafe(user)
    let first = try prompt.secret("new password of \(shown): ", option: "--password-file F") ?? ""
    _ = try checked(first)
    let second = try prompt.secret("once more: ", option: "--password-file F") ?? ""
    guard utf8Equal(first, second) else {
      throw CommandError.usage("the passwords differ; nothing was changed")
    }
    return first
  }

  /// A line without the carriage return of files from elsewhere.
  private func checked(_ text: String) throws -> String {
    let line = text.utf8.last == 0x0d ? String(decoding: text.utf8.dropLast(), as: UTF8.self) : text
    guard !line.isEmpty else { throw CommandError.usage("the password is empty") }
    return line
  }
}
