import Core
import Glibc
import HTTP
import Sync
import Synchronization

/// Receives files into a folder from whoever has its ticket, until they are complete, the time is
/// over, or it is told to stop.
///
///     let receiver = try DropReceiver(options)
///     print(receiver.ticket.text)
///     for await event in receiver.events { … }
///
/// Key, certificate, token and documents live in memory and end with it; the hidden folder in which
/// incomplete files lie is removed.
public final class DropReceiver: Sendable {
  /// How files are received.
  public struct Options: Sendable {
    /// The folder to receive into; it is there already.
    public var folder: String
    /// What this machine is called on the page for phones.
    public var name = "tote"
    /// Numeric addresses to listen on; the first is the ticket's first.
    public var addresses: [String]
    /// The addresses that the ticket names, when they are others than those listened on (`::`).
    public var advertised: [String]?
    /// The port; 0 takes a free one.
    public var port: UInt16 = 0
    /// Ends after so many files.
    public var count: Int?
    /// Ends when nothing came for so long.
    public var timeout = Duration.seconds(600)
    /// Goes on when a sender is finished.
    public var keepsOpen = false
    /// Replaces files of the same name.
    public var overwrites = false
    /// Keeps permission bits that senders name, within 0755 and the umask.
    public var keepsMode = false
    /// Keeps the dots that names begin with.
    public var allowsDotfiles = false
    /// Serves the page over plain HTTP too, on a port of its own.
    public var hasPhone = false
    /// Asks the person about files; nil takes them all.
    public var ask: (@Sendable (DropRequest) async -> DropDecision)?

    /// Receives into a folder, listening on these addresses.
    public init(folder: String, addresses: [String] = ["127.0.0.1"]) {
      self.folder = folder
      self.addresses = addresses
    }
  }

  /// What senders need; a secret.
  public let ticket: DropTicket
  /// What happens, ending with `.done`.
  public let events: AsyncStream<DropEvent>
  /// The folder's path, as it was given.
  public let folder: String

  private let target: TargetFolder
  private let session: DropSession
  private let servers: [HTTPServer]
  private let continuation: AsyncStream<DropEvent>.Continuation
  private let tasks = Mutex<[Task<Void, Never>]>([])
  private let ending = Mutex<Task<Void, Never>?>(nil)

  /// How long running requests get to end; their answers are short.
  private static let drain = Duration.seconds(3)

  /// Sweeps the folder, makes the key and listens.
  ///
  /// - Throws: `StoreError` when the folder cannot be used, `HTTPError` when it cannot listen.
  public init(_ options: Options) throws {
    var rules = TargetFolder.Rules()
    rules.overwrites = options.overwrites
    rules.keepsMode = options.keepsMode
    rules.allowsDotfiles = options.allowsDotfiles
    target = try TargetFolder(options.folder, rules: rules)
    folder = options.folder
    let (stream, continuation) = AsyncStream<DropEvent>.makeStream()
    events = stream
    self.continuation = continuation
    let (ends, end) = AsyncStream<Void>.makeStream()
    session = DropSession(
      folder: target, count: options.count, keepsOpen: options.keepsOpen,
      asks: options.ask != nil, emit: { continuation.yield($0) }, end: { end.finish() })
    do {
      let plan = try ListenerPlan(options)
      let listeners = try plan.start(session: session) { continuation.yield(.cutOff(address: $0)) }
      (servers, ticket) = (listeners.servers, listeners.ticket)
    } catch {
      target.remove()
      throw error
    }
    start(options, ends: ends)
  }

  /// How far everything is.
  public var progress: DropProgress { session.progress }

  /// Bytes that may still be received.
  public var freeBytes: Int64 { target.freeBytes }

  /// Ends the session and removes what it needed; returns when that is done.
  ///
  /// A second call waits for the first.
  public func stop() async {
    session.finish(.stopped)
    await ended().value
  }

  /// Removes the hidden folder at once, for a process that has no time for `stop`.
  public func removeHiddenFolder() { target.remove() }

  private func start(_ options: Options, ends: AsyncStream<Void>) {
    let session = session
    let timeout = options.timeout
    let watch = Task {
      while session.phase == .open {
        let rest = timeout - session.idleTime
        if rest <= .zero { return session.finish(.expired) }
        // Cancelled when the session is over.
        guard (try? await Task.sleep(for: max(rest, .milliseconds(10)))) != nil else { return }
      }
    }
    // `self` is kept until the end: whoever lets go of a receiver without `stop` stops nothing.
    let finish = Task {
      for await _ in ends {}
      await self.ended().value
    }
    var all = [watch, finish]
    if let ask = options.ask { all.append(Task { await session.askPerson(ask) }) }
    tasks.withLock { $0 = all }
  }

  /// The one task that ends everything, started by whoever is first.
  private func ended() -> Task<Void, Never> {
    ending.withLock { ending in
      if let ending { return ending }
      let made = Task { await self.end() }
      ending = made
      return made
    }
  }

  private func end() async {
    for task in tasks.withLock({ $0 }).prefix(1) { task.cancel() }
    // One after another would add their waits up.
    await withTaskGroup { group in
      for server in servers { group.addTask { await server.stop(draining: Self.drain) } }
    }
    await session.finishing()
    let totals = session.close()
    // A sender that said it is finished was told of a disk that failed; nobody else waits for it.
    try? session.synchronize()
    target.remove()
    continuation.yield(.done(totals))
    continuation.finish()
  }
}
