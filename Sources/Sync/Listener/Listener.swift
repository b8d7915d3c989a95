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
  let configuration = ServerConfiguration()
  /// The replications that run here.
  let jobs: ReplicationJobs
  let orders: ReplicationOrders

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
    /// The names that are answered to as long as everybody may do everything.
    public var hosts = HostNames()
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
    jobs = ReplicationJobs(pool)
    orders = ReplicationOrders(pool, jobs: jobs)
  }

  /// Starts listening.
  ///
  /// - Returns: the port.
  /// - Throws: `HTTPError`.
  @discardableResult
  public func start() throws -> UInt16 {
    let server = try HTTPServer(options.server) { [self] request in await answer(request) }
    self.server.withLock { $0 = server }
    if !options.isReadOnly { orders.look() }
    return server.port
  }

  /// Stops: running requests get some seconds to end.
  public func stop() async {
    let server = server.withLock { server in
      defer { server = nil }
      return server
    }
    orders.cancelAll()
    jobs.cancelAll()
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
      try checkHost(of: request, by: user)
      response = try await route(
        ListenerRequest(request, identity: identity, configuration: configuration))
      if let token = identity.renewedToken, !response.headers.contains("Set-Cookie") {
        response.headers["Set-Cookie"] = Self.cookie(token, for: request)
      }
    } catch {
      response = Refusal(error).response
    }
    response.headers["Server"] = "tote"
    origins.apply(to: &response, for: request)
    // Clients and their test suites find requests again in a server's log by this.
    response.headers["X-Couch-Request-ID"] =
      request.headers["X-Couch-Request-ID"] ?? String(RandomIdentifier.uuid().prefix(10))
    response.headers["X-CouchDB-Body-Time"] = "0"
    options.log?(request, user, response.status)
    return response
  }

  /// Without users a page elsewhere must not get in by a name that it made this machine's.
  ///
  /// With users it has no password: browsers keep those for the name that they were given to.
  private func checkHost(of request: HTTPRequest, by user: UserContext) throws {
    guard user == .party, !options.hosts.accept(request.headers["Host"]) else { return }
    throw Refusal(
      421, "misdirected_request",
      "This server has another name; use its address, 'localhost', or allow the name with --host.")
  }

  // MARK: Routing

  private func route(_ request: ListenerRequest) async throws -> HTTPResponse {
    let segments = request.segments
    defer {
      if segments.first == ReplicationOrders.storeName, request.method != .get, !options.isReadOnly
      {
        orders.look()
      }
    }
    guard let first = segments.first else { return try root(request) }
    if first.utf8.first == UInt8(ascii: "_"), !pool.isSystemStore(first) {
      return try await serverRoute(first, Array(segments.dropFirst()), request)
    }
    if first == "favicon.ico" { return Self.favicon }
    guard segments.count > 1 else { return try await databaseRoute(first, request) }
    let handler = try handler(of: first, request)
    return try await handler.answer(Array(segments.dropFirst()))
  }

  /// The handler of a database's requests.
  func handler(of name: String, _ request: ListenerRequest) throws -> DatabaseHandler {
    let entry = try pool.entry(name)
    return DatabaseHandler(
      store: entry.store, watch: entry.watch, pool: pool, request: request,
      isReadOnly: options.isReadOnly)
  }

  private func databaseRoute(
    _ name: String, _ request: ListenerRequest
  ) async throws -> HTTPResponse {
    switch request.method {
    case .put:
      try requireAdmin(request)
      try requireWritable()
      try checkCreation(name, request)
      _ = try pool.create(name, isPartitioned: try request.parameters.partitioned())
      var response = HTTPResponse.json(201, ["ok": true])
      response.headers["Location"] = request.location(name)
      return response
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

  /// Browsers ask for it; CouchDB's answer.
  private static var favicon: HTTPResponse {
    HTTPResponse(
      status: 404,
      headers: ["Content-Type": "text/plain", "Cache-Control": "public, max-age=31536000"],
      body: Array("Not found.".utf8))
  }

  private static let nameLimit = 238

  private func checkCreation(_ name: String, _ request: ListenerRequest) throws {
    guard name.utf8.count <= Self.nameLimit else {
      throw Refusal(
        400, "database_name_too_long", "At least one path segment of `\(name)` is too long.")
    }
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
