/// Why a library did not do what was asked, for other reasons than the picture itself
/// (``PhotoRefusal``) or the store (`StoreError`, `RemoteError`).
public enum PhotoLibraryError: Error, Sendable, Hashable {
  /// A title longer than ``PhotoText/titleLimit``.
  case titleTooLong
  /// A text that cannot name a user; see ``PhotoText/userName(_:)``.
  case invalidUserName
  /// A password that is too short or too long.
  case invalidPassword
  /// There is a user of that name already.
  case userExists(name: String)
  /// There is no such user.
  case userNotFound(name: String)
  /// Too many wrong passwords came from there, or for that user.
  case tooManyTries(retryAfter: Duration)
  /// Too much waits already; try again soon.
  case busy
  /// A label of an API token that is empty or longer than ``PhotoSessions/labelLimit``.
  case invalidLabel
  /// A user has as many API tokens as there may be.
  case tooManyTokens
  /// The store changed again and again under a write.
  case contended
  /// The library was closed.
  case closed

  /// The reason as a stable word, for JSON and logs.
  public var code: String {
    switch self {
    case .titleTooLong: "title_too_long"
    case .invalidUserName: "invalid_username"
    case .invalidPassword: "invalid_password"
    case .userExists: "user_exists"
    case .userNotFound: "user_not_found"
    case .tooManyTries: "too_many_tries"
    case .busy: "busy"
    case .invalidLabel: "invalid_label"
    case .tooManyTokens: "too_many_tokens"
    case .contended: "conflict"
    case .closed: "closed"
    }
  }

  /// The reason for people.
  public var message: String {
    switch self {
    case .titleTooLong: "a title has at most \(PhotoText.titleLimit) characters"
    case .invalidUserName:
      "a user name has 1 to \(PhotoText.userNameLimit) letters a-z, digits, '.', '_' and '-', "
        + "and begins with a letter or digit"
    case .invalidPassword:
      "a password has \(PhotoUsers.passwordCharacters.lowerBound) to "
        + "\(PhotoUsers.passwordCharacters.upperBound) characters"
    case .userExists(let name): "there is a user '\(name)' already"
    case .userNotFound(let name): "user '\(name)' not found"
    case .tooManyTries: "too many wrong passwords; try again in a minute"
    case .busy: "too much is being done at once; try again soon"
    case .invalidLabel:
      "a token's label has 1 to \(PhotoSessions.labelLimit) characters"
    case .tooManyTokens: "there are \(PhotoSessions.tokenLimit) tokens already; remove one first"
    case .contended: "somebody else changed the same again and again; try again"
    case .closed: "the library is closed"
    }
  }
}

extension PhotoLibraryError: CustomStringConvertible {
  /// The code and the message.
  public var description: String { "\(code): \(message)" }
}
