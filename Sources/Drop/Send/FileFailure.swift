/// Why one file was not sent; the others are.
public struct FileFailure: Error, Sendable, Hashable {
  /// A stable word for scripts.
  public var code: Code
  /// The reason, in lower case and without a final period; it goes behind the file's name.
  public var message: String

  /// The kinds of failures.
  public enum Code: String, Sendable {
    /// It is not there, or no longer.
    case notFound = "not_found"
    /// It may not be read.
    case forbidden = "forbidden"
    /// Reading it failed.
    case io = "io"
    /// It is not the file any more that was offered.
    case changed = "changed"
    /// What was wanted of it cannot be done.
    case unsupported = "unsupported"
    /// The receiver's person, or the receiver itself, does not want it.
    case refused = "refused"
    /// The receiver has no room for it.
    case noSpace = "no_space"
    /// What arrived is not what was sent.
    case digest = "digest_mismatch"
    /// The receiver does not keep to its own protocol.
    case unexpected = "unexpected_answer"
    /// The receiver was lost, or the run ended, before it was the file's turn.
    case notSent = "not_sent"
  }

  /// A failure with its parts.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
