/// What can go wrong below the level of HTTP statuses, on either side.
///
/// No text in here shows the user-info of a URL.
public enum HTTPError: Error, Sendable, Equatable {
  /// A library is not installed; `package` is Debian's name of it.
  case libraryMissing(name: String, package: String)
  /// A URL that is none, or neither http nor https.
  case invalidURL(String)
  /// A request that must not be sent: a header with a line end, a bad method.
  case invalidRequest(String)
  /// The name of a host or proxy has no address.
  case nameNotResolved(host: String, code: Int, text: String)
  /// Nobody accepts connections there, or the way is closed.
  case connectionFailed(host: String, code: Int, text: String)
  /// The TLS handshake or the check of the peer failed.
  case tls(TLSFailure, host: String, code: Int, text: String)
  /// A limit of time was passed.
  case timedOut(TimeLimit)
  /// The peer closed the connection, or it broke, before the message was complete.
  case connectionClosed(text: String)
  /// A body is larger than its reader allows.
  case bodyTooLarge(limit: Int64)
  /// The peer does not keep to HTTP, or to an encoding it names.
  case protocolViolation(text: String)
  /// A redirect that must not be followed: too many, from https to http, or to another scheme.
  case redirectRefused(to: String, reason: String)
  /// A certificate or key cannot be made or read.
  case identity(code: Int, text: String)
  /// The server cannot listen; `code` is `errno`.
  case cannotListen(address: String, port: UInt16, code: Int, text: String)
  /// A file cannot be read; `code` is `errno`.
  case file(path: String, code: Int, text: String)
  /// Any other failure of libcurl.
  case transfer(code: Int, text: String)

  /// Why TLS failed.
  public enum TLSFailure: Sendable, Equatable {
    /// The peer's public key is not the pinned one.
    case pinMismatch
    /// The certificate is not signed by a known authority, has expired, or is for another name.
    case untrusted
    /// No common version or cipher, or the peer does not speak TLS.
    case handshake
    /// The file of authorities cannot be read.
    case authorities
  }

  /// Which limit of time was passed.
  public enum TimeLimit: String, Sendable, Equatable {
    /// Connecting, with name look-up and TLS.
    case connect
    /// No byte moved.
    case idle
    /// The whole exchange.
    case total
  }
}

extension HTTPError: CustomStringConvertible {
  /// One sentence in lower case, with the number and text of the library that failed.
  public var description: String {
    switch self {
    case .libraryMissing(let name, let package):
      "\(name) is not installed (Debian package '\(package)')"
    case .invalidURL(let text): "'\(text)' is not an http or https URL"
    case .invalidRequest(let text): text
    case .nameNotResolved(let host, let code, let text):
      "cannot find the host '\(host)': \(text) (curl \(code))"
    case .connectionFailed(let host, let code, let text):
      "cannot connect to '\(host)': \(text) (curl \(code))"
    case .tls(.pinMismatch, let host, let code, _):
      "the key of '\(host)' is not the expected one (curl \(code))"
    case .tls(_, let host, let code, let text):
      "no secure connection to '\(host)': \(text) (curl \(code))"
    case .timedOut(.connect): "connecting took too long"
    case .timedOut(.idle): "the peer went silent"
    case .timedOut(.total): "the request took too long"
    case .connectionClosed(let text): "the connection closed early: \(text)"
    case .bodyTooLarge(let limit): "the body is larger than \(limit) bytes"
    case .protocolViolation(let text): "the peer broke the protocol: \(text)"
    case .redirectRefused(let target, let reason): "redirect to '\(target)' refused: \(reason)"
    case .identity(let code, let text): "certificate or key not usable: \(text) (gnutls \(code))"
    case .cannotListen(let address, let port, let code, let text):
      "cannot listen on '\(address)' port \(port): \(text) (errno \(code))"
    case .file(let path, let code, let text): "cannot read '\(path)': \(text) (errno \(code))"
    case .transfer(let code, let text): "\(text) (curl \(code))"
    }
  }
}
