import CCurl

/// An HTTP client: keeps connections open, streams both ways, checks its peers.
///
/// Speaks http and https, HTTP/2 where it is offered over TLS. Certificates are always checked,
/// by authorities or by a pinned key: there is no way to turn that off.
///
///     let client = try HTTPClient()
///     let response = try await client.send(HTTPClientRequest(.get, WebURL("http://127.0.0.1:5984/")))
///     let bytes = try await response.bytes(upTo: 1 << 20)
///
/// Wraps libcurl (<https://curl.se/libcurl/c/>), loaded on first use; one thread moves all transfers.
public final class HTTPClient: Sendable {
  private let owner: CurlLoop.Owner
  private let options: Options

  /// Starts a client with a pool of connections of its own.
  ///
  /// - Throws: `HTTPError.libraryMissing`.
  public init(_ options: Options = Options()) throws(HTTPError) {
    guard tote_curl_load() == 0 else {
      throw .libraryMissing(name: "libcurl", package: "libcurl3-gnutls")
    }
    self.options = options
    owner = CurlLoop.Owner(try CurlLoop(options))
  }

  /// Sends a request and returns when the response's head is there.
  ///
  /// Redirects (301, 302, 303, 307, 308) are followed up to the request's limit. To another scheme,
  /// host or port `Authorization` and `Cookie` are not carried on, and never from https to http.
  /// Cancelling the task ends the transfer.
  ///
  /// - Throws: `HTTPError`, `CancellationError`, and what a streamed body throws.
  public func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
    var current = try Redirects.prepared(request)
    for count in 0... {
      let response = try await owner.loop.send(current, owner: owner)
      guard let location = Redirects.location(of: response), request.maximumRedirects > 0 else {
        return response
      }
      guard count < request.maximumRedirects else {
        throw HTTPError.redirectRefused(to: location, reason: "too many redirects")
      }
      let next = try Redirects.next(after: current, response, location)
      await response.discard()
      current = next
    }
    preconditionFailure("the loop above has no end")
  }
}

extension HTTPClient {
  /// How a client reaches and checks its peers.
  public struct Options: Sendable {
    /// How the peers of https are known.
    public var trust = Trust.system
    /// The limits of time of each request.
    public var timeouts = Timeouts()
    /// Proxies by scheme, as curl takes them (`http://proxy:3128`), with user-info if needed.
    public var proxies: [WebURL.Scheme: String] = [:]
    /// Hosts that are reached without a proxy, separated by commas; `*` is all.
    public var noProxy: String?
    /// The `User-Agent`.
    public var userAgent = "tote"
    /// Open connections to one host and port; more requests wait.
    public var connectionsPerHost = 16
    /// Whether HTTP/2 is offered to https servers.
    public var allowsHTTP2 = true

    /// The system's authorities, no proxy.
    public init() {}

    /// Reads `http_proxy`, `https_proxy` (or in capitals, but not `HTTP_PROXY`, which a CGI request
    /// can set), `all_proxy` and `no_proxy` from an environment.
    public mutating func takeProxies(from environment: [String: String]) {
      func value(_ names: String...) -> String? {
        names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
      }
      proxies[.http] = value("http_proxy", "all_proxy", "ALL_PROXY")
      proxies[.https] = value("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
      noProxy = value("no_proxy", "NO_PROXY")
    }
  }

  /// How a peer of https proves who it is.
  public enum Trust: Sendable, Equatable {
    /// By the system's authorities.
    case system
    /// By the authorities in a PEM file, instead of the system's.
    case authorities(path: String)
    /// By its public key alone: for peers that signed their certificate themselves.
    case pin(TLSPin)
    /// By the system's authorities and its public key.
    case systemAndPin(TLSPin)
  }

  /// Limits of time; nil is none.
  public struct Timeouts: Sendable, Equatable {
    /// For name look-up, connection and TLS handshake.
    public var connect: Duration? = .seconds(30)
    /// While nothing comes or goes and the peer is waited for.
    public var idle: Duration? = .seconds(60)
    /// For the whole exchange, body included.
    public var total: Duration?

    /// 30 s, 60 s, none.
    public init() {}
  }
}
