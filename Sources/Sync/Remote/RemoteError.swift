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
    return [400, 403, 409, 412, 413, 415, 417, 422].contains(status)
  }
}

extension HTTPError {
  /// Trying again later may help.
  var isTransient: Bool {
    switch self {
    case .nameNotResolved, .connectionFailed, .timedOut, .connectionClosed: true
    default: false
    }
  }
}

extension RemoteError: CustomStringConvertible {
  /// One sentence; the URL in it has no user-info.
  public var description: String {
    switch self {
    case .status(let status, let error, let reason, let url):
      "\(url) answered \(status) \(error): \(reason)"
    case .unexpected(let detail, let url): "\(url) answered something unexpected: \(detail)"
    case .transport(let error, let url): "\(url) cannot be reached: \(error)"
    }
  }
}
