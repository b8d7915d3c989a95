/// An exit status thrown by a command that has said all there is to say.
public struct ExitCode: Error, RawRepresentable, Hashable, Sendable {
  /// The status, 0 to 255.
  public let rawValue: Int32

  /// The status with the given number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The status with the given number.
  public init(_ code: Int32) { rawValue = code }

  /// Done.
  public static let success = ExitCode(0)

  /// Failed.
  public static let failure = ExitCode(1)

  /// The command line was wrong (`EX_USAGE`).
  public static let validationFailure = ExitCode(64)

  /// Whether the status means success.
  public var isSuccess: Bool { rawValue == 0 }
}

/// A message for the user about values that do not go together.
public struct ValidationError: Error, CustomStringConvertible, Sendable {
  /// The sentences, lower case without a final period; never empty.
  public let messages: [String]

  /// The first sentence.
  public var message: String { messages[0] }

  /// One sentence.
  public init(_ message: String) { messages = [message] }

  /// Several sentences, all reported; beside the mirrored API.
  ///
  /// - Precondition: `messages` is not empty.
  public init(messages: [String]) {
    precondition(!messages.isEmpty, "a validation error needs a sentence")
    self.messages = messages
  }

  /// The sentences, joined by line breaks.
  public var description: String { messages.joined(separator: "\n") }

  /// The standard sentence about two options that exclude each other; beside the mirrored API.
  public static func exclusive(_ first: String, _ second: String) -> ValidationError {
    ValidationError("'\(first)' and '\(second)' cannot be used together")
  }

  /// The standard sentence about an option that needs another one; beside the mirrored API.
  public static func requires(_ option: String, _ needed: String) -> ValidationError {
    ValidationError("'\(option)' needs '\(needed)' as well")
  }

  /// The standard sentence when exactly one of several options is wanted; beside the mirrored API.
  public static func oneOf(_ options: [String]) -> ValidationError {
    let quoted = options.map { "'\($0)'" }
    return ValidationError("give one of \(listed(quoted, conjunction: "and"))")
  }
}

/// A reason to stop that is no failure.
public enum CleanExit: Error, CustomStringConvertible, Sendable {
  /// Show the help of a command, or of the one parsed.
  case helpRequest((any ParsableCommand.Type)? = nil)

  /// Print a message and stop.
  case message(String)

  /// The message, or a fixed word for help.
  public var description: String {
    switch self {
    case .helpRequest: "--help"
    case .message(let text): text
    }
  }
}
