import Core
public import HTTP
import Synchronization

/// Offers files to browsers: a page that lists them, and their bytes, to whoever has the address.
///
/// Nothing but the offered files can be fetched. The address holds a secret of 130 bits; guesses are
/// cut off. It ends after so many downloads, when nothing was fetched for a while, or when it is told.
public final class DropOffer: Sendable {
  /// How files are offered.
  public struct Options: Sendable {
    /// Numeric addresses to listen on; the first is the one that is shown.
    public var addresses: [String]
    /// The addresses that browsers are told, when they are others than those listened on (`::`).
    public var advertised: [String]?
    /// The port; 0 takes a free one.
    public var port: UInt16 = 0
    /// Without TLS, for browsers that refuse a certificate that nobody has signed.
    public var isPlain = false
    /// Ends after so many downloads.
    public var count: Int?
    /// Ends when nothing was fetched for so long.
    public var timeout = Duration.seconds(600)
    /// What the page calls this machine.
    public var name = "tote"

    /// Listens on these addresses.
    public init(addresses: [String]) { self.addresses = addresses }
  }

  /// What happens.
  public enum Event: Sendable {
    /// A browser fetches a file.
    case started(OutgoingFile, address: String)
    /// It has all of it.
    case downloaded(OutgoingFile, address: String)
    /// It cannot have it.
    case failed(OutgoingFile, FileFailure)
    /// An address guessed too often and is not listened to any more.
    case cutOff(address: String)
  }

  /// The address for browsers; a secret.
  public let url: String
  /// The key of TLS; nil without.
  public let pin: TLSPin?
  /// What happens, until the end.
  public let events: AsyncStream<Event>

  private let session: OfferSession
  private let servers: [HTTPServer]

  private static let validity = Duration.seconds(2 * 86_400)
  private static let drain = Duration.seconds(3)

  /// Listens, and waits for browsers.
  ///
  /// - Throws: `HTTPError` when it cannot listen.
  public init(_ files: [OutgoingFile], _ options: Options) throws(HTTPError) {
    precondition(!options.addresses.isEmpty, "an offer listens somewhere")
    let named = options.advertised ?? options.addresses
    let identity =
      options.isPlain
      ? nil
      : try TLSIdentity.selfSigned(
        commonName: "tote drop", addresses: named, validity: Self.validity)
    let (stream, continuation) = AsyncStream<Event>.makeStream()
    events = stream
    let session = OfferSession(files, options) {
      continuation.yield($0)
    } end: {
      continuation.finish()
    }
    self.session = session
    let gate = ReceiveGate { continuation.yield(.cutOff(address: $0)) }
    var servers: [HTTPServer] = []
    var port = options.port
    for address in options.addresses {
      let server = try Self.listen(
        address, port, identity, session, gate, among: named)
      port = server.port
      servers.append(server)
    }
    self.servers = servers
    pin = identity?.pin
    let first = named[0]
    let host = first.contains(":") ? "[\(first)]" : first
    url = "\(options.isPlain ? "http" : "https")://\(host):\(port)/\(session.token.text)"
    session.watch()
  }

  private static func listen(
    _ address: String, _ port: UInt16, _ identity: TLSIdentity?, _ session: OfferSession,
    _ gate: ReceiveGate, among addresses: [String]
  ) throws(HTTPError) -> HTTPServer {
    let handler = LateHandler()
    let server = try HTTPServer(
      ListenerPlan.serverOptions(address, port, identity, methods: [.get, .head])
    ) { request in await handler.answer(request) }
    let offering = OfferHandler(
      session: session, gate: gate,
      // A browser shows its token in the path; there is nothing for replicators here.
      door: ReceiveGate.Door(
        token: session.token, hosts: ListenerPlan.hosts(addresses, server.port), isPhone: true),
      isEncrypted: identity != nil)
    handler.set { await offering.answer($0) }
    return server
  }

  /// Files that were fetched to their end.
  public var downloads: Int { session.downloads }

  /// Ends the offer; returns when nothing listens any more.
  public func stop() async {
    session.finish()
    await withTaskGroup { group in
      for server in servers { group.addTask { await server.stop(draining: Self.drain) } }
    }
  }
}
