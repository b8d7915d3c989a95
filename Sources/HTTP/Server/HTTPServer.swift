import CMicroHTTPD
import Glibc

/// An HTTP/1.1 server: listens, checks what comes, and runs an async handler for each request.
///
/// Handlers run as Swift tasks on threads of their own, so they may block for a while; the server's
/// other threads only move bytes. While a handler does not
/// read its request's body, the client is held back, and so is a handler that writes faster than
/// its client reads. When a client goes away, or a limit of time is passed, the handler's task is
/// cancelled.
///
///     let server = try HTTPServer { request in
///       HTTPResponse(text: "hello \(request.segments.first ?? "")\n")
///     }
///     print(server.port)
///     await server.stop()
///
/// Wraps libmicrohttpd (<https://www.gnu.org/software/libmicrohttpd/>), loaded on first use.
public final class HTTPServer: Sendable {
  /// Answers one request.
  public typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

  private let core: ServerCore

  /// Starts listening; requests are answered when this returns.
  ///
  /// - Throws: `HTTPError.libraryMissing`, or `.cannotListen` with `errno`.
  public init(
    _ options: Options = Options(), handler: @escaping Handler
  ) throws(HTTPError) {
    guard tote_mhd_load() == 0 else {
      throw .libraryMissing(name: "libmicrohttpd", package: "libmicrohttpd12")
    }
    core = try ServerCore(options, handler: handler)
  }

  deinit { core.abandon() }

  /// The port that is listened on, also when any was asked for.
  public var port: UInt16 { core.port }

  /// How many connections are open and how many requests are being answered now.
  public var load: (connections: Int, requests: Int) { core.load() }

  /// Stops: accepts no more, lets running requests end for a while, then cuts them.
  ///
  /// Returns when every handler's connection is closed and the server's threads have ended. A second
  /// call returns at once.
  ///
  /// - Parameter draining: how long running requests may take to end.
  public func stop(draining: Duration = .seconds(5)) async {
    await core.stop(draining: draining)
  }
}

extension HTTPServer {
  /// Where and how a server listens.
  public struct Options: Sendable {
    /// A numeric address; `::` is IPv6 and IPv4 at once.
    public var address = "127.0.0.1"
    /// The port; 0 takes a free one.
    public var port: UInt16 = 0
    /// The key and certificate for TLS; nil is plain HTTP.
    public var identity: TLSIdentity?
    /// The limits.
    public var limits = Limits()
    /// Threads that move bytes; each has a share of the connections.
    public var threads = 2
    /// The methods that reach the handler; others are answered 405 or, unknown ones, 501.
    public var methods = HTTPMethod.common
    /// Answers requests without a body before a handler is started; nil leaves it to the handler.
    ///
    /// It must not wait for anything: it runs on a thread that moves the bytes of many connections.
    public var immediate: (@Sendable (HTTPRequest) -> HTTPReusableResponse?)?
    /// Makes the answer to a request that the server itself refuses, of a status and a reason.
    public var refusal: @Sendable (_ status: Int, _ reason: String) -> HTTPResponse = {
      status, reason in
      HTTPResponse(status: status, text: reason + "\n")
    }

    /// Loopback, a free port, no TLS, the limits below.
    public init() {}
  }

  /// What a client may ask of a server.
  public struct Limits: Sendable {
    /// Open connections in all; more wait to be accepted.
    public var connections = 4096
    /// Open connections from one address, 0 for no limit; more are closed at once.
    public var connectionsPerAddress = 0
    /// Bytes of a request line's target; more are answered 414.
    public var targetBytes = 16 << 10
    /// Header fields; more are answered 431.
    public var headerCount = 100
    /// Bytes of all header fields; more are answered 431.
    public var headerBytes = 32 << 10
    /// Bytes of a body as sent; more are answered 413, at the headers if these say so.
    public var bodyBytes: Int64 = 4 << 30
    /// A connection on which nothing moves is closed, with or without a request.
    public var idle = Duration.seconds(60)
    /// How long the head of a request may take, from its first line.
    public var head = Duration.seconds(30)
    /// How long a handler may take until its response begins; then the answer is 503.
    public var response = Duration.seconds(3600)
    /// The least bytes a second of a body, averaged over its time after a grace of 30 s; slower
    /// senders are cut.
    public var bodyRate: Int64 = 64
    /// Memory for each connection's buffers in bytes; pieces of a body are up to half of it, and
    /// what of a request's head does not fit is refused by libmicrohttpd itself.
    ///
    /// It is cleared after each request, so more makes small requests slower.
    public var connectionMemory = 32 << 10
    /// Bodies up to so many bytes are complete before their handler starts, which spares both sides
    /// waiting for each other.
    public var completeBody: Int64 = 64 << 10

    /// The limits above.
    public init() {}
  }
}
