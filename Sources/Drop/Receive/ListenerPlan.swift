import Glibc
import HTTP

/// The listeners of a receiver: one for each address, all on one port, with one key; for phones one
/// more without encryption.
struct ListenerPlan {
  private let options: DropReceiver.Options
  private let identity: TLSIdentity
  private let token = DropToken.random()
  private let phoneToken = DropToken.random()

  /// Connections of a receiver; each may hold `connectionMemory`.
  private static let connections = 96
  /// Connections of one address: a phone's browser opens six, a sender four.
  private static let connectionsPerAddress = 32
  /// A key outlives its session by nothing; a day is for clocks that differ.
  private static let validity = Duration.seconds(2 * 86_400)

  /// Makes a key and a certificate for the addresses.
  init(_ options: DropReceiver.Options) throws(HTTPError) {
    precondition(!options.addresses.isEmpty, "a receiver listens somewhere")
    self.options = options
    identity = try TLSIdentity.selfSigned(
      commonName: "tote drop", addresses: options.advertised ?? options.addresses,
      validity: Self.validity)
  }

  /// Starts the listeners.
  func start(
    session: DropSession, cutOff: @escaping @Sendable (String) -> Void
  ) throws(HTTPError) -> (servers: [HTTPServer], ticket: DropTicket) {
    let gate = ReceiveGate(tell: cutOff)
    let bodies = BodyTurns()
    let named = (options.advertised ?? options.addresses).map { AddressBytes($0)?.text ?? $0 }
    var servers: [HTTPServer] = []
    var ticket = DropTicket(
      addresses: named, port: options.port, token: token, pin: identity.pin)
    func listen(
      _ address: String, _ port: UInt16, _ token: DropToken, isPhone: Bool
    ) throws(HTTPError) -> HTTPServer {
      let handler = LateHandler()
      let server = try HTTPServer(
        Self.serverOptions(
          address, port, isPhone ? nil : identity, methods: [.get, .head, .put, .post, .patch])
      ) { request in await handler.answer(request) }
      let receiving = ReceiveHandler(
        session: session, gate: gate,
        door: ReceiveGate.Door(
          token: token, hosts: Self.hosts(named, server.port), isPhone: isPhone),
        bodies: bodies, name: options.name)
      handler.set { await receiving.answer($0) }
      return server
    }
    /// Listens on all addresses at one port; only the first one must work.
    func listenAll(_ port: UInt16, _ token: DropToken, isPhone: Bool) throws(HTTPError) -> UInt16 {
      let first = try listen(options.addresses[0], port, token, isPhone: isPhone)
      servers.append(first)
      for address in options.addresses.dropFirst() {
        do throws(HTTPError) {
          servers.append(try listen(address, first.port, token, isPhone: isPhone))
        } catch {
          // The port may be taken there: then the ticket names the others.
          if options.advertised == nil { ticket.addresses.removeAll { $0 == address } }
        }
      }
      return first.port
    }
    ticket.port = try listenAll(options.port, token, isPhone: false)
    if options.hasPhone {
      ticket.phone = DropTicket.Phone(
        port: try listenAll(0, phoneToken, isPhone: true), token: phoneToken)
    }
    return (servers, ticket)
  }

  /// What may stand in `Host`.
  static func hosts(_ addresses: [String], _ port: UInt16) -> Set<String> {
    Set(addresses.map { ($0.contains(":") ? "[\($0)]" : $0).lowercased() + ":\(port)" })
  }

  /// The limits of a listener, with TLS or, for phones, without.
  static func serverOptions(
    _ address: String, _ port: UInt16, _ identity: TLSIdentity?, methods: Set<HTTPMethod>
  ) -> HTTPServer.Options {
    var server = HTTPServer.Options()
    server.address = address
    server.port = port
    server.identity = identity
    server.methods = methods
    server.limits.connections = connections
    server.limits.connectionsPerAddress = connectionsPerAddress
    server.limits.connectionMemory = 64 << 10
    server.limits.completeBody = 256 << 10
    server.limits.targetBytes = 4 << 10
    server.limits.headerCount = 64
    server.limits.headerBytes = 16 << 10
    // Files of any size; what a sender declared is held against what comes.
    server.limits.bodyBytes = DropFile.sizeLimit
    server.limits.head = .seconds(15)
    server.refusal = { status, reason in
      HTTPResponse(status: status, text: "\(reason)\n")
    }
    return server
  }
}
