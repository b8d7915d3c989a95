public import HTTP

/// How a client proves who it is to a server.
///
/// No description shows a secret.
public enum RemoteCredentials: Sendable, CustomStringConvertible {
  /// Not at all.
  case none
  /// A user's name and password: a session cookie where the server gives one, else Basic.
  case password(user: String, password: String)
  /// A user's name and password with every request: the server is known to have no sessions.
  case basic(user: String, password: String)
  /// A token in `Authorization: Bearer`.
  case bearer(String)
  /// An API key that a token service changes into bearer tokens of about an hour (IBM Cloud IAM).
  case apiKey(String, tokens: WebURL)

  /// The token service of IBM Cloud, which Cloudant trusts.
  public static let cloudTokens = WebURL(
    scheme: .https, host: "iam.cloud.ibm.com", path: "/identity/token")

  /// Takes the credentials out of a URL, where they are percent-decoded once.
  public init(from url: WebURL) {
    if let user = url.user {
      self = .password(user: user, password: url.password ?? "")
    } else {
      self = .none
    }
  }

  /// What may be shown.
  public var description: String {
    switch self {
    case .none: "anonymous"
    case .password(let user, _), .basic(let user, _): user
    case .bearer: "token"
    case .apiKey: "API key"
    }
  }
}
