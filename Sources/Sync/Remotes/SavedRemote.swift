import Core
public import HTTP

/// A database on a server under a short name, with what is needed to reach it.
///
/// No description shows a secret.
public struct SavedRemote: Sendable, Hashable {
  /// The name.
  public var name: String
  /// The database's URL, without user-info.
  public var url: WebURL
  /// How to prove who asks.
  public var secret: Secret
  /// The public key the server must have.
  public var pin: TLSPin?
  /// A PEM file with the authorities that are trusted instead of the system's.
  public var authorities: String?

  /// How a saved remote proves who asks.
  public enum Secret: Sendable, Hashable {
    /// Not at all.
    case none
    /// A user's name and password.
    case password(user: String, password: String)
    /// A bearer token.
    case token(String)
    /// An API key of IBM Cloud.
    case iamKey(String)
  }

  /// Describes a remote; user-info in the URL becomes the secret unless another is given.
  public init(
    name: String, url: WebURL, secret: Secret? = nil, pin: TLSPin? = nil, authorities: String? = nil
  ) {
    self.name = name
    self.url = url.withoutUserInfo
    self.secret =
      secret ?? url.user.map { .password(user: $0, password: url.password ?? "") } ?? .none
    self.pin = pin
    self.authorities = authorities
  }

  /// The user's name; nil without one.
  public var user: String? {
    if case .password(let user, _) = secret { user } else { nil }
  }

  /// How the server of https proves who it is.
  public var trust: HTTPClient.Trust {
    if let authorities { return .authorities(path: authorities) }
    return pin.map { .pin($0) } ?? .system
  }
}

extension SavedRemote: CustomStringConvertible {
  /// The name and the URL.
  public var description: String { "\(name) (\(url))" }
}

extension SavedRemote {
  /// The remote as its file holds it, secrets included.
  var json: JSON {
    var members: JSONObject = ["url": .string(url.description)]
    switch secret {
    case .none: break
    case .password(let user, let password):
      members["user"] = .string(user)
      members["password"] = .string(password)
    case .token(let token): members["token"] = .string(token)
    case .iamKey(let key): members["iam_key"] = .string(key)
    }
    if let pin { members["pin"] = .string(pin.description) }
    if let authorities { members["ca"] = .string(authorities) }
    return .object(members)
  }

  /// Reads what `json` wrote; nil when it is something else.
  init?(name: String, json: JSON) {
    guard let text = json["url"]?.stringValue, let url = try? WebURL(text) else { return nil }
    var secret = Secret.none
    if let user = json["user"]?.stringValue {
      secret = .password(user: user, password: json["password"]?.stringValue ?? "")
    } else if let token = json["token"]?.stringValue {
      secret = .token(token)
    } else if let key = json["iam_key"]?.stringValue {
      secret = .iamKey(key)
    }
    self.init(
      name: name, url: url, secret: secret, pin: json["pin"]?.stringValue.flatMap { TLSPin($0) },
      authorities: json["ca"]?.stringValue)
  }
}
