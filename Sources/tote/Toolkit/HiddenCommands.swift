import ArgumentParser
import Core
import Glibc

/// What scripts of ours ask for, told before the line is parsed: `__complete`, `__docs FOLDER` and
/// `--dump-commands`.
enum HiddenCommands {
  /// Answers the line if it is one of these.
  ///
  /// - Parameters:
  ///   - words: the words after the program's name.
  ///   - context: where the answer goes.
  /// - Returns: whether it was.
  /// - Throws: output errors, or `CommandError` when the pages cannot be written.
  static func answer(_ words: [String], _ context: Context) throws -> Bool {
    switch words.first {
    case "__complete": try complete(Array(words.dropFirst()), context)
    case "__docs" where words.count == 2: try Documentation.write(to: words[1])
    case "--dump-commands" where words.count == 1:
      try context.emit(json: try JSON(encoding: CommandDump(CommandTree(ToteRoot.self))))
    default: return false
    }
    return true
  }

  /// Completions say nothing on errors; `TOTE_COMPLETION_LOG` names a file that tells more.
  private static func complete(_ words: [String], _ context: Context) throws {
    var variables: [String: String] = [:]
    for name in ["TOTE_HOME", "HOME", "XDG_DATA_HOME"] {
      if let value = context.environment[name] { variables[name] = value }
    }
    let lines = ToteRoot.completionLines(words, environment: variables)
    if let path = context.environment.nonEmpty("TOTE_COMPLETION_LOG") {
      log("\(words)\n\(lines)", to: path)
    }
    try context.streams.output.write(lines)
  }

  private static func log(_ text: String, to path: String) {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = Array(text.utf8).withUnsafeBytes { writeAll($0, to: descriptor) }
  }
}
