public import Core
public import HTTP
import Synchronization

/// Serves local stores over CouchDB's HTTP API, so that its replicator, PouchDB and the client
/// libraries of CouchDB and Cloudant work against them unchanged.
///
/// What needs JavaScript (views, shows, lists, filter and validation functions) is answered 501;
/// design documents are stored and replicated all the same.
public final class Listener: Sendable {
  private let options: Options
  private let pool: StorePool
  private let origins: OriginRules
  private let server: Mutex<HTTPServer?> = Mutex(nil)
  var authenticator: Authenticator? { options.authenticator }
  /// Tells this server from another one; new at every start.
  let uuid = RandomIdentifier.uuid()

  /// What a listener serves, and to whom.
  public struct Options: Sendable {
    /// The stores.
    public var stores: StoreDirectory
    /// Only these are served; nil for all.
    public var names: Set<String>?
    /// Nothing may be changed, except the checkpoints of replications that read from here.
    public var isReadOnly = false
    /// Where to listen, with which limits.
    public var server = HTTPServer.Options()
    /// Tells who makes a request, from the users of the same folder; without one everybody may do
    /// everything.
    public var authenticator: Authenticator?
    /// Web pages of these origins may call, `http://localhost:8000`; `*` is all, none by default.
    public var allowedOrigins: [String] = []
    /// Told of every request once its answer begins.
    public var log: (@Sendable (HTTPRequest, UserContext, _ status: Int) -> Void)?

    /// All stores of a folder, to everybody who can connect.
    public init(stores: StoreDirectory) {
      self.stores = stores
      authenticator = Authenticator(UserRegistry(in: stores))
      server.refusal = { status, reason in
        Refusal(status, status == 413 ? "too_large" : "bad_request", reason).response
      }
    }
  }

  /// Prepares a listener; nothing is open before `start`.
  public init(_ options: Options) {
    self.options = options
    pool = StorePool(options.stores, names: options.names)
    origins = OriginRules(options.allowedOrigins)
  }

  /// Starts listening.
  ///
  /// - Returns: the port.
  /// - Throws: `HTTPError`.
  @discardableResult
  public func start() throws -> UInt16 {
    let server = try HTTPServer(options.server) { [self] request in await answer(request) }
    self.server.withLock { $0 = server }
    return server.port
  }

  /// Stops: running requests get some seconds to end.
  public func stop() async {
    let server = server.withLock { server in
      defer { server = nil }
      return server
    }
    pool.endFeeds()
    await server?.stop()
  }

  /// Answers one request; what `start` hands to the server.
  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    var user = UserContext.anonymous
    var response: HTTPResponse
    if let answer = origins.preflight(request) {
      options.log?(request, user, answer.status)
      return answer
    }
    do {
      let identity = try await authenticator?.identity(of: request) ?? .init(.party)
      user = identity.user
      response = try await route(ListenerRequest(request, identity: identity))
      if let token = identity.renewedToken, !response.headers.contains("Set-Cookie") {
        response.headers["Set-Cookie"] = Self.cookie(token, for: request)
      }
    } catch {
      response = Refusal(error).response
    }
    response.headers["Server"] = "tote"
    origins.apply(to: &response, for: request)
    options.log?(request, user, response.status)
    return response
  }

  // MARK: Routing

  private func route(_ request: ListenerRequest) async throws -> HTTPResponse {
    // CouchDB passes over empty segments at both ends; its replicator asks for `/db/`.
    var segments = request.http.segments[...]
    while segments.first == "" { segments.removeFirst() }
    while segments.last == "" { segments.removeLast() }
    guard let first = segments.first else { return try root(request) }
    if first.utf8.first == UInt8(ascii: "_"), !pool.isSystemStore(first) {
      return try await serverRoute(first, request)
    }
    guard segments.count > 1 else { return try await databaseRoute(first, request) }
    let handler = try handler(of: first, request)
    return try await handler.answer(Array(segments.dropFirst()))
  }

  /// The handler of a database's requests.
  func handler(of name: String, _ request: ListenerRequest) throws -> DatabaseHandler {
    DatabaseHandler(
      store: try pool.store(name), watch: try pool.watch(name), request: request,
      isReadOnly: options.isReadOnly)
  }

  private func databaseRoute(
    _ name: String, _ request: ListenerRequest
  ) async throws -> HTTPResponse {
    switch request.method {
    case .put:
      try requireAdmin(request)
      try requireWritable()
      try checkCreation(request)
      _ = try pool.create(name)
      return .json(201, ["ok": true])
    case .delete:
      try requireAdmin(request)
      try requireWritable()
      guard request.parameters["rev"] == nil else {
        throw Refusal.badRequest(
          "You tried to DELETE a database with a ?=rev parameter. "
            + "Did you mean to DELETE a document instead?")
      }
      try pool.delete(name)
      return .json(200, ["ok": true])
    case .get, .head: return try handler(of: name, request).information()
    case .post: return try await handler(of: name, request).postDocument()
    default: throw Refusal.method(allowed: "DELETE,GET,HEAD,POST")
    }
  }

  private func checkCreation(_ request: ListenerRequest) throws {
    for name in ["q", "n"] {
      guard let text = request.parameters[name] else { continue }
      guard let number = Int(text), number > 0 else {
        throw Refusal.badRequest("The `\(name)` value should be a positive integer.")
      }
    }
  }

  func requireAdmin(_ request: ListenerRequest) throws {
    guard request.user.isServerAdmin else {
      throw Refusal(401, "unauthorized", "You are not a server admin.")
    }
  }

  func requireWritable() throws {
    guard !options.isReadOnly else {
      throw Refusal(403, "forbidden", "This server is read-only.")
    }
  }

  var storeNames: [String] {
    get throws { try pool.names() }
  }
}
