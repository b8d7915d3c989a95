import Core
import HTTP
import Sync
import Synchronization

/// Hands files to a receiver: offers them as documents, then sends their bytes.
///
/// The offer is a push of the replicator from a fresh store to the receiver's, over TLS to the pinned
/// key. When the receiver's person has agreed, the bytes follow straight from the files over several
/// connections; after a lost one they go on from where the receiver stands.
public struct DropSender: Sendable {
  /// How files are sent.
  public struct Options: Sendable {
    /// What this machine is called.
    public var name = "tote"
    /// Files on their way at once, each on a connection of its own.
    public var connections = 4
    /// How long a lost receiver is looked for, since anything last worked.
    public var patience = Duration.seconds(60)
    /// A folder that does not exist yet, for the one-time store; it is removed at the end.
    public var folder: String
    /// Waits; tests pass the time their own way.
    public var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// The defaults above.
    public init(folder: String) { self.folder = folder }
  }

  private let ticket: DropTicket
  private let files: [OutgoingFile]
  private let options: Options

  /// Prepares; nothing happens before `run`.
  public init(_ files: [OutgoingFile], to ticket: DropTicket, options: Options) {
    self.files = files
    self.ticket = ticket
    var options = options
    options.connections = max(1, options.connections)
    self.options = options
  }

  /// Offers the files, waits for an answer, and sends them.
  ///
  /// - Parameter events: told what happens, from several threads.
  /// - Returns: what became of each file.
  /// - Throws: `DropSendError` when nothing was sent, `HTTPError.libraryMissing`, `StoreError`,
  ///   `CancellationError`.
  public func run(
    events: @escaping @Sendable (DropSendEvent) -> Void = { _ in }
  ) async throws -> DropSendReport {
    let connection = try ReceiverConnection(ticket, connections: options.connections)
    // Looking for the receiver takes a handshake; the offer is written meanwhile.
    async let address = Self.find(connection)
    defer { StoreDirectory(path: options.folder).removeAll() }
    let offer = try OutgoingOffer(
      files, sender: options.name, token: ticket.token, folder: options.folder)
    events(.connected(address: try await address))
    let retry = SendRetry(patience: options.patience, pause: options.pause, events: events)
    let refused = try await push(offer, over: connection)
    try await waitForAgreement(offer, refused, connection, retry, events)
    events(.started(files: files.count, bytes: files.reduce(0) { $0 + $1.size }))
    let start = ContinuousClock.now
    let run = SendRun(
      files: files, ids: offer.ids, refused: refused, connection: connection, retry: retry,
      progress: SendProgress(files, events: events), connections: options.connections)
    var report = try await run.run()
    report.duration = ContinuousClock.now - start
    return report
  }

  /// A receiver that has just been started may not listen on all addresses yet.
  private static func find(_ connection: ReceiverConnection) async throws -> String {
    var attempt = 0
    while true {
      do {
        return try await connection.find()
      } catch DropSendError.unreachable(_, .connectionFailed) where attempt < 3 {
        attempt += 1
        try await Task.sleep(for: .milliseconds(250 * attempt))
      }
    }
  }

  // MARK: The offer

  /// Pushes the documents; returns why the receiver refused some of them, by id.
  private func push(
    _ offer: OutgoingOffer, over connection: ReceiverConnection
  ) async throws -> [String: FileFailure] {
    let remote = RemoteStore(
      try await connection.database,
      credentials: .basic(user: DropToken.user, password: ticket.token.text),
      client: connection.client)
    var replication = ReplicationOptions()
    replication.ids = offer.ids
    let report: ReplicationReport
    do {
      report = try await Replicator(
        from: offer.store, to: remote, options: replication,
        pause: { [options] in try await options.pause(.seconds($0)) }
      ).run()
    } catch let error as RemoteError {
      throw Self.meaning(of: error, ticket)
    }
    var refused: [String: FileFailure] = [:]
    for failure in report.failures {
      refused[failure.id] = Self.meaning(ofReason: failure.reason)
    }
    if refused.count == offer.ids.count, let failure = refused.values.first {
      throw DropSendError.unexpected(detail: failure.message)
    }
    return refused
  }

  /// A replicator's failure is `error: reason`, as the receiver said.
  private static func meaning(ofReason text: String) -> FileFailure {
    let room = "insufficient_storage: "
    guard text.utf8.starts(with: room.utf8) else { return FileFailure(.refused, text) }
    return FileFailure(.noSpace, String(text.dropFirst(room.count)))
  }

  private static func meaning(of error: RemoteError, _ ticket: DropTicket) -> any Error {
    switch error {
    case .status(401, _, _, _): DropSendError.staleTicket
    case .status(403, _, _, _): DropSendError.declined
    case .status(404, _, _, _), .status(410, _, _, _): DropSendError.ended
    case .status(409, _, _, _), .status(423, _, _, _): DropSendError.taken
    case .status(413, _, let reason, _), .status(507, _, let reason, _):
      DropSendError.noSpace(reason: reason)
    case .status(let status, _, let reason, _):
      DropSendError.unexpected(detail: reason.isEmpty ? "it answered \(status)" : reason)
    case .unexpected(let detail, _): DropSendError.unexpected(detail: detail)
    case .transport(.tls(.pinMismatch, let host, _, _), _): DropSendError.wrongKey(address: host)
    case .transport(let error, _):
      DropSendError.unreachable(addresses: ticket.addresses, error)
    }
  }

  /// Waits while the receiver's person decides.
  private func waitForAgreement(
    _ offer: OutgoingOffer, _ refused: [String: FileFailure], _ connection: ReceiverConnection,
    _ retry: SendRetry, _ events: @Sendable (DropSendEvent) -> Void
  ) async throws {
    guard let first = offer.ids.first(where: { refused[$0] == nil }) else { return }
    var pause = Duration.milliseconds(20)
    var hasTold = false
    while true {
      do {
        let state = try await connection.state(of: first)
        retry.succeed()
        guard state == .asking else { return }
        if !hasTold { events(.asking) }
        hasTold = true
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .milliseconds(500))
      } catch let error where !(error is CancellationError) {
        try await retry.wait(after: error)
        connection.forgetAddress()
      }
    }
  }
}
