/// A command line that cannot be run, ready to be shown as text or as an object.
public struct ParseFailure: Error, Sendable {
  /// The stable word for scripts; always `usage`.
  public let code = "usage"

  /// The sentences, lower case without a final period; never empty.
  public let messages: [String]

  /// The option concerned, if one is: as typed, dashes included.
  public let option: String?

  /// The operand or value concerned: the name of a missing one, else the word as typed.
  public let argument: String?

  /// The full name of the command the line meant, as far as it was understood: `tote todo add`.
  public let command: String

  /// The synopses of that command, without the word "usage".
  public let usage: [String]

  /// The exit status of every failure here.
  public let exitCode = ExitCode.validationFailure

  /// The first sentence.
  public var message: String { messages[0] }

  /// The command line that tells more: `tote todo add --help`.
  public var seeAlso: String { command + " --help" }

  /// The text for a person, several lines without a final line break: each sentence after the
  /// program's name, the usage, and where to read on.
  public func rendered(program: String) -> String {
    var lines = messages.map { "\(program): \($0)" }
    for (index, synopsis) in usage.enumerated() {
      lines.append((index == 0 ? "usage: " : "       ") + synopsis)
    }
    lines.append("see '\(seeAlso)'")
    return lines.joined(separator: "\n")
  }
}
