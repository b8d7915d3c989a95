/// A shell the program can complete in.
public enum CompletionShell: String, CaseIterable, ExpressibleByArgument, Sendable {
  /// GNU bash 4.2 or later.
  case bash
  /// zsh 5 or later.
  case zsh
  /// fish 3 or later.
  case fish

  /// The script that makes the shell ask `program` at each Tab.
  ///
  /// - Parameter program: The program's name, letters, digits and `-` only.
  /// - Returns: The script's text, which ends in a line break.
  public func script(program: String) -> String {
    switch self {
    case .bash: BashCompletionScript.text(program: program)
    case .zsh: ZshCompletionScript.text(program: program)
    case .fish: FishCompletionScript.text(program: program)
    }
  }

  /// The name under which the shell finds the script: `tote.bash`, `_tote`, `tote.fish`.
  public func fileName(program: String) -> String {
    switch self {
    case .bash: program + ".bash"
    case .zsh: "_" + program
    case .fish: program + ".fish"
    }
  }
}

extension ParsableCommand {
  /// Answers the hidden command the scripts call: `tote __complete SHELL CURSOR -- WORDS…`.
  ///
  /// CURSOR is the index in WORDS of the word at the cursor, the program's name being 0; that word is
  /// given up to the cursor. From bash CURSOR is `line` and the only word is the line as typed up to
  /// the cursor, since bash itself splits words at `:` and `=`.
  ///
  /// - Parameters:
  ///   - arguments: The words after `__complete`.
  ///   - environment: The variables of the run.
  /// - Returns: The lines of `CompletionAnswer.lines`; empty when the arguments make no sense.
  public static func completionLines(
    _ arguments: [String], environment: [String: String] = [:]
  ) -> String {
    guard arguments.count > 3, let shell = CompletionShell(rawValue: arguments[0]),
      arguments[2] == "--"
    else { return "" }
    var words = Array(arguments[3...])
    if arguments[1] == "line" {
      words = ShellWords.split(words[0])
    } else {
      guard let cursor = Int(arguments[1]), words.indices.contains(cursor) else { return "" }
      words.removeSubrange((cursor + 1)...)
      // fish hands over the word at the cursor as typed; the words before it come without quotes.
      if shell == .fish { words[cursor] = ShellWords.unquoted(words[cursor]) }
    }
    guard words.count > 1 else { return "" }
    let prefix = words.removeLast()
    return completions(
      words: Array(words.dropFirst()), prefix: prefix, environment: environment
    ).lines
  }

  /// What may stand at the cursor.
  ///
  /// - Parameters:
  ///   - words: The words before the one at the cursor, unquoted, without the program's name.
  ///   - prefix: The word at the cursor up to the cursor, unquoted; may be empty.
  ///   - environment: The variables of the run.
  /// - Returns: Candidates that start with `prefix`, and what the shell adds.
  public static func completions(
    words: [String], prefix: String, environment: [String: String] = [:]
  ) -> CompletionAnswer {
    var engine = CompletionEngine(
      root: self, words: words, prefix: prefix, environment: environment)
    return engine.complete()
  }
}
