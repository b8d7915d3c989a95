import Core
public import HTTP
import Synchronization

/// Serves a photo library over HTTP: a page, an API in JSON, pictures that may be kept for ever,
/// feeds, live events, and the protocol of a well-known tutorial's phone app.
///
/// Nothing that was sent is kept: every upload goes through ``PhotoPipeline``. Pictures are made at
/// the upload, never on a GET.
public final class PhotoServer: Sendable {
  let options: Options
  let library: PhotoLibrary
  let spool: UploadSpool
  let queue: UploadQueue
  let limiters: ServerLimiters
  let metrics = ServerMetrics()
  let streams = EventStreams()
  let thumbnails = ThumbnailAnswers()
  private let hosts: HostNames
  private let proxies: ProxyRules
  private let policy: HeaderPolicy
  private let server: Mutex<HTTPServer?> = Mutex(nil)

  /// Prepares a server; nothing is open before `start`.
  ///
  /// - Throws: `StoreError` when the folder for uploads cannot be made.
  public init(_ library: PhotoLibrary, _ options: Options) throws {
    self.library = library
    self.options = options
    spool = try UploadSpool(folder: options.spoolFolder)
    queue = UploadQueue(
      UploadQueue.Limits(
        // One is decoded while another one is written.
        workers: max(1, 2 * options.workers), waiting: max(1, 4 * options.workers),
        admitted: max(32, 16 * options.workers), admittedPerSender: max(16, 8 * options.workers)))
    limiters = ServerLimiters(options.rates, clock: options.clock)
    hosts = HostNames(options.hosts)
    proxies = ProxyRules(options.trustedProxies)
    policy = HeaderPolicy(isPrivate: options.isPrivate)
  }

  /// Starts listening.
  ///
  /// - Returns: the port.
  /// - Throws: `HTTPError`.
  @discardableResult
  public func start() throws(HTTPError) -> UInt16 {
    var listening = options.listening
    listening.immediate = { [self] request in immediateAnswer(request) }
    let server = try HTTPServer(listening) { [self] request in await answer(request) }
    self.server.withLock { $0 = server }
    return server.port
  }

  /// Stops: live events end, running requests get some seconds to end.
  ///
  /// - Parameter draining: how long they may take.
  public func stop(draining: Duration = .seconds(5)) async {
    let server = server.withLock { server in
      defer { server = nil }
      return server
    }
    streams.endAll()
    await server?.stop(draining: draining)
  }

  /// Open connections.
  var connections: Int { server.withLock { $0?.load.connections ?? 0 } }

  /// Answers one request; what `start` hands to the HTTP server.
  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    let origin = origin(of: request)
    var call: PhotoCall?
    var response: HTTPResponse
    do {
      guard isOurs(origin.host) else { throw Self.wrongHost }
      let made = try route(request, origin)
      call = made
      if request.method == .options {
        response = policy.options(made.route, for: request)
      } else {
        let identified = try await identified(made)
        call = identified
        response = try await answer(identified)
      }
    } catch {
      let problem = PhotoProblem(error)
      switch call?.route {
      case .tutorial: response = tutorialAnswer(problem, for: request)
      case nil where Self.isForPeople(request): response = problemPage(problem)
      default: response = problem.response
      }
    }
    policy.apply(to: &response, call?.route, for: request)
    note(request, call, origin, status: response.status)
    return response
  }

  func origin(of request: HTTPRequest) -> ProxyRules.Origin { proxies.origin(of: request) }

  /// Whether a request means this server by the name it calls it.
  func isOurs(_ host: String?) -> Bool { hosts.accept(host) }

  func finish(_ response: inout HTTPResponse, _ call: PhotoCall) {
    policy.apply(to: &response, call.route, for: call.http)
  }

  func note(
    _ request: HTTPRequest, _ call: PhotoCall?, _ origin: ProxyRules.Origin, status: Int
  ) {
    metrics.countAnswer(status)
    options.log?(request, origin.address, call?.login?.user, status)
  }

  /// Whether somebody typed an address, or followed a link.
  private static func isForPeople(_ request: HTTPRequest) -> Bool {
    request.rawSegments.first != "api"
      && request.headers["Accept"]?.contains("text/html") == true
  }

  private static let wrongHost = PhotoProblem(
    421, "wrong_host",
    "this server does not know itself by that name; whoever runs it can add names with '--host'")

  private func route(
    _ request: HTTPRequest, _ origin: ProxyRules.Origin
  ) throws(PhotoProblem) -> PhotoCall {
    guard let route = PhotoRoute(request, tutorialPath: options.tutorialPath) else {
      throw .notFound
    }
    guard route.methods.contains(request.method) else { throw .method(allowed: route.methods) }
    return PhotoCall(http: request, route: route, origin: origin)
  }

  private func answer(_ call: PhotoCall) async throws -> HTTPResponse {
    if options.isPrivate, call.login == nil, call.route.isContent {
      throw PhotoProblem.unauthorized
    }
    switch call.route {
    case .picture(let id, let size): return try await picture(size, of: id, call)
    case .tutorialPicture(let number, let size):
      return try await tutorialPicture(number, size, call)
    case .page, .photoPage, .userPage: return try await page(call)
    case .asset(let name): return try asset(name, call)
    case .rssFeed, .jsonFeed: return try await feed(call)
    case .info: return information(call)
    case .session: return session(call)
    case .register: return try await register(call)
    case .logIn: return try await logIn(call)
    case .logOut: return try await logOut(call)
    case .tokens, .token: return try await tokens(call)
    case .photos:
      return call.http.method == .post ? try await upload(call) : try await stream(call)
    case .userPhotos(let name): return try await stream(call, by: name)
    case .sent(let digest): return try await sent(digest, call)
    case .photo(let id):
      return call.http.method == .delete
        ? try await remove(id, call) : try await photo(id, call)
    case .events: return events(call)
    case .openAPI: return openAPI(call)
    case .health: return try await health()
    case .metrics: return try metricsAnswer(call)
    case .tutorial: return try await tutorial(call)
    }
  }
}
