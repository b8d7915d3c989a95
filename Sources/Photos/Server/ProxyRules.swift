import Core
import Glibc
import HTTP

/// Tells who really makes a request that came through a proxy.
///
/// What a request says of its way counts only when its sender is a proxy that the person named:
/// otherwise anybody could take any address.
struct ProxyRules: Sendable {
  /// Where a request came from, and how it was addressed.
  struct Origin: Sendable {
    /// The client's address.
    var address: String
    /// The host as the client named it, with its port; nil in HTTP/1.0.
    var host: String?
    /// Whether the client used https.
    var isSecure: Bool
    /// Whether a proxy handed the request on, one of ours or not.
    var isForwarded: Bool
  }

  private let trusted: [String]

  /// - Parameter trusted: the numeric addresses of proxies.
  init(_ trusted: [String]) { self.trusted = trusted }

  func origin(of request: HTTPRequest) -> Origin {
    let headers = request.headers
    var origin = Origin(
      address: request.peer, host: headers["Host"], isSecure: request.isSecure,
      isForwarded: headers.contains("X-Forwarded-For") || headers.contains("Forwarded")
        || headers.contains("Via"))
    guard isTrusted(request.peer) else { return origin }
    // Each proxy appends the address it was called from: the last one that is no proxy of ours is
    // the client's, whatever stands before it.
    for address in headers.tokens(of: "X-Forwarded-For").reversed() {
      guard Self.isAddress(address) else { break }
      origin.address = address
      guard isTrusted(address) else { break }
    }
    if let host = headers.values(of: "X-Forwarded-Host").last, Self.isHost(host) {
      origin.host = host
    }
    if let scheme = headers.tokens(of: "X-Forwarded-Proto").last {
      origin.isSecure = scheme == "https"
    }
    return origin
  }

  private func isTrusted(_ address: String) -> Bool {
    trusted.contains { utf8Equal($0, address) }
  }

  private static func isAddress(_ text: String) -> Bool {
    var bytes = in6_addr()
    return inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1
  }

  private static func isHost(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: ".-:[]".utf8.contains(byte)
        }
      }
  }
}
