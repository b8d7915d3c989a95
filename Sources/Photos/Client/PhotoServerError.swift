/// Why a photo server did not do what was asked; that it cannot be reached is an `HTTPError`.
public enum PhotoServerError: Error, Sendable, Hashable {
  /// The server refused: the HTTP status, its own code and message, and the seconds after which it
  /// may be tried again if it named any.
  case refused(status: Int, code: String, message: String, retryAfter: Int?)
  /// The answer is not that of a photo server.
  case unexpected(detail: String)
  /// A file cannot be read; the number is the system's error.
  case unreadable(path: String, code: Int32)

  /// The server's own code, or `unexpected_answer` or `unreadable`.
  public var code: String {
    switch self {
    case .refused(_, let code, _, _): code
    case .unexpected: "unexpected_answer"
    case .unreadable: "unreadable"
    }
  }

  /// The reason for people.
  public var message: String {
    switch self {
    case .refused(_, _, let message, _): message
    case .unexpected(let detail): "the server does not answer as a photo server: \(detail)"
    case .unreadable(let path, let code): "'\(path)' cannot be read (error \(code))"
    }
  }
}

extension PhotoServerError: CustomStringConvertible {
  /// The code and the message.
  public var description: String { "\(code): \(message)" }
}
