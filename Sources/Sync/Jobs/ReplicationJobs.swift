import Core
import HTTP
import Synchronization

/// The replications that this server runs.
final class ReplicationJobs: Sendable {
  private let pool: StorePool
  private let opener = RemoteOpener()
  private let jobs = Mutex<[String: ReplicationJob]>([:])

  /// As many as CouchDB runs at once.
  private static let capacity = 500

  init(_ pool: StorePool) { self.pool = pool }

  /// All that run, by their ids.
  var running: [ReplicationJob] {
    jobs.withLock { $0.values.sorted { utf8Less($0.id, $1.id) } }
  }

  subscript(id: String) -> ReplicationJob? { jobs.withLock { $0[id] } }

  /// Opens both sides, making the target if that is wanted, and checks that they answer.
  ///
  /// - Throws: `Refusal` in the words of CouchDB's replicator.
  func prepare(
    _ request: ReplicationRequest, owner: String?, documentID: String? = nil
  ) async throws -> ReplicationJob {
    let (source, target) = try await stores(request, makesTarget: request.createsTarget)
    try await check(source, request.source)
    try await check(target, request.target)
    return ReplicationJob(
      request, source: source, target: target, owner: owner, documentID: documentID)
  }

  /// The id that a request's job has; nothing is sent anywhere.
  func id(of request: ReplicationRequest) async throws -> String {
    let (source, target) = try await stores(request, makesTarget: false)
    return ReplicationJob.id(request, source, target)
  }

  /// Starts a job, unless the same one runs already.
  ///
  /// - Returns: the one that runs.
  func start(_ job: ReplicationJob) throws -> ReplicationJob {
    let (running, isNew) = try jobs.withLock { jobs in
      if let known = jobs[job.id] { return (known, false) }
      guard jobs.count < Self.capacity else {
        throw Refusal(503, "service_unavailable", "Too many replications run.")
      }
      jobs[job.id] = job
      return (job, true)
    }
    if isNew {
      job.start { [weak self] in self?.jobs.withLock { _ = $0.removeValue(forKey: job.id) } }
    }
    return running
  }

  /// Ends all: the server stops.
  func cancelAll() { for job in running { job.cancel() } }

  // MARK: The two sides

  private func stores(
    _ request: ReplicationRequest, makesTarget: Bool
  ) async throws -> (source: any DocumentStore, target: any DocumentStore) {
    if makesTarget, case .local(let name) = request.target, !pool.contains(name) {
      _ = try pool.create(name)
    }
    let local = try [request.source, request.target].compactMap { endpoint in
      if case .local(let name) = endpoint { try open(name) } else { nil }
    }
    let source = try open(request.source, spool: local.first)
    let target = try open(request.target, spool: local.first)
    if makesTarget, let remote = target as? RemoteStore {
      try await rewording(request.target) { try await remote.create() }
    }
    return (source, target)
  }

  private func open(
    _ endpoint: ReplicationRequest.Endpoint, spool: LocalStore?
  ) throws -> any DocumentStore {
    switch endpoint {
    case .local(let name): try open(name)
    case .remote(let url, let credentials):
      try opener.open(url, credentials: credentials, spool: spool)
    }
  }

  private func open(_ name: String) throws -> LocalStore {
    do {
      return try pool.store(name)
    } catch StoreError.storeNotFound {
      throw Self.notFound(name)
    }
  }

  private func check(
    _ store: any DocumentStore, _ endpoint: ReplicationRequest.Endpoint
  ) async throws {
    try await rewording(endpoint) { _ = try await store.info() }
  }

  private static func notFound(_ name: String) -> Refusal {
    Refusal(404, "db_not_found", "could not open \(name)")
  }

  private func rewording(
    _ endpoint: ReplicationRequest.Endpoint, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
    } catch StoreError.storeNotFound {
      throw Self.notFound(endpoint.name)
    } catch let error as RemoteError where error.isRefusal {
      throw Refusal(
        401, "unauthorized", "unauthorized to access or create database \(endpoint.name)")
    } catch let error as RemoteError {
      throw Refusal(500, "replication_failed", "\(error)")
    }
  }

  /// A time as the scheduler writes it.
  static func timestamp(_ seconds: Int64) -> String { Instant(seconds: seconds).rfc3339 }
}
