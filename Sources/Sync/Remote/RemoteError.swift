import Core
public import HTTP

/// An error that a server answered, or a failure to reach it.
public enum RemoteError: Error, Sendable {
  /// The server said no: its status, and CouchDB's `error` and `reason` if it sent them.
  case status(Int, error: String, reason: String, url: WebURL)
  /// The answer is not what the API promises.
  case unexpected(detail: String, url: WebURL)
  /// The server could not be reached, or the connection broke.
  case transport(HTTPError, url: WebURL)
}

extension RemoteError {
  /// Reads an answer that is an error.
  init(answer response: HTTPClientResponse) async {
    let bytes = (try? await response.bytes(upTo: 1 << 20)) ?? []
    let json = (try? JSON(parsing: bytes)) ?? .null
    var reason = json["reason"]?.stringValue ?? ""
    let schemes = response.headers.values(of: "WWW-Authenticate")
    if response.status == 401, reason.isEmpty,
      schemes.contains(where: { $0.lowercased().hasPrefix("digest") })
    {
      reason = "the server wants Digest authentication, which is not spoken here"
    }
    self = .status(
      response.status, error: json["error"]?.stringValue ?? "http_\(response.status)",
      reason: reason, url: response.url.withoutQuery)
  }

  /// The session or token that the request carried is no longer good.
  var isExpiry: Bool {
    guard case .status(let status, let error, _, _) = self else { return false }
    return status == 401 || (status == 403 && utf8Equal(error, "credentials_expired"))
  }
}

extension RemoteError: ReplicationFault {
  /// Overload, time-outs, broken connections and failures inside the server.
  public var isTransient: Bool {
    switch self {
    case .status(let status, _, _, _):
      status == 408 || status == 429 || status >= 500 && status != 501
    case .unexpected: true
    case .transport(let error, _): error.isTransient
    }
  }

  /// Who asks may not do this.
  public var isRefusal: Bool {
    if case .status(401, _, _, _) = self { return true }
    if case .status(403, _, _, _) = self { return true }
    return false
  }

  /// The request was too large as a whole.
  public var isTooLarge: Bool {
    if case .status(413, _, _, _) = self { true } else { false }
  }

  /// The documents of a write were refused, not the writer.
  public var concernsDocuments: Bool {
    guard case .status(let status, _, _, _) = self else { return false }
    return [400, 409, 412, 413, 415, 417, 422].contains(status)
  }
}

extension HTTPError {
  /// Trying again later may help.
  package var isTransient: Bool {
    switch self {
    case .nameNotResolved, .connectionFailed, .timedOut, .connectionClosed: true
    // Bytes that are damaged on their way look like a peer that breaks the protocol.
    case .protocolViolation, .transfer: true
    default: false
    }
  }
}

extension WebURL {
  /// The URL without its query, for messages: queries may be long.
  var withoutQuery: WebURL {
    var url = self
    url.query = nil
    return url
  }
}

extension RemoteError: CustomStringConvertible {
  /// One sentence; the URL in it has no user-info.
  public var description: String {
    switch self {
    case .status(let status, let error, let reason, let url):
      "\(url) answered \(status) \(error)\(reason.isEmpty ? "" : ": \(reason)")"
    case .unexpected(let detail, let url): "\(url) answered something unexpected: \(detail)"
    case .transport(let error, let url): "\(url.withoutQuery) cannot be reached: \(error)"
    }
  }
}
