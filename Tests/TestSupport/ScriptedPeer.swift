import Glibc
import Synchronization

/// A server that stands in front of a real one and misbehaves as a test wants it.
///
/// Each request is read whole and shown to the script, which says what the client gets: what the real
/// server answers, another answer, an answer cut short, or none at all. Every answer closes its
/// connection.
public final class ScriptedPeer: Sendable {
  /// Decides about a request.
  public typealias Script = @Sendable (Request) -> Action

  /// What a client gets.
  public enum Action: Sendable {
    /// What the real server answers.
    case forward
    /// What the real server answers, changed.
    case edit(@Sendable (inout Response) -> Void)
    /// What the real server answers to another request, changed.
    case replace(Request, @Sendable (inout Response) -> Void)
    /// This, without asking the real server.
    case answer(Response)
    /// What the real server answers, cut after so many bytes of its body; it has done its work.
    case cut(after: Int)
    /// A closed connection, without asking the real server.
    case hangUp
    /// These bytes, HTTP or not.
    case raw([UInt8])
    /// Something after a while, in microseconds.
    indirect case delay(UInt32, Action)
  }

  private let listener: Int32
  private let upstream: UInt16
  private let script: Mutex<Holder>

  /// A closure that is itself what a mutex guards is wrapped once more by each look at it.
  private struct Holder { var script: Script }

  private let log = Mutex<[Request]>([])
  private let isStopped = Mutex(false)
  /// The port, on the loopback.
  public let port: UInt16

  /// Listens on a free port, in front of a server on another one.
  public init(before upstream: UInt16, script: @escaping Script = { _ in .forward }) throws {
    self.upstream = upstream
    self.script = Mutex(Holder(script: script))
    (listener, port) = try Self.listen()
    let peer = self
    Self.startThread { peer.acceptAll() }
  }

  /// What was asked so far, in the order of the answers' beginnings.
  public var requests: [Request] { log.withLock { $0 } }

  /// How often a route was asked, such as `POST _bulk_get`.
  public func count(_ route: String) -> Int {
    log.withLock { $0.filter { $0.route == route }.count }
  }

  /// Forgets what was asked.
  public func forget() { log.withLock { $0 = [] } }

  /// Changes the script.
  public func script(_ script: @escaping Script) { self.script.withLock { $0.script = script } }

  /// Stops listening; connections that are open end by themselves.
  public func stop() {
    isStopped.withLock { $0 = true }
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  // MARK: Serving

  private func acceptAll() {
    while true {
      let connection = accept(listener, nil, nil)
      if connection < 0 {
        if isStopped.withLock({ $0 }) { return }
        continue
      }
      Self.startThread { [self] in
        serve(connection)
        close(connection)
      }
    }
  }

  private func serve(_ connection: Int32) {
    var reader = MessageReader(connection)
    guard let head = reader.head(), let request = Request(head: head) else { return }
    if request.header("expect") != nil {
      Self.send("HTTP/1.1 100 Continue\r\n\r\n".utf8.map { $0 }, to: connection)
    }
    var whole = request
    whole.body = reader.body(request.headers)
    let asked = whole
    let seen = log.withLock { log -> Int in
      log.append(asked)
      return log.filter { $0.route == asked.route }.count
    }
    whole.number = seen
    perform(script.withLock(\.script)(whole), whole, connection)
  }

  private func perform(_ action: Action, _ request: Request, _ connection: Int32) {
    switch action {
    case .forward: forward(request, connection) { _ in }
    case .edit(let change): forward(request, connection, change)
    case .replace(let other, let change): forward(other, connection, change)
    case .answer(let response): Self.send(response.bytes(to: request), to: connection)
    case .cut(let count):
      guard let response = ask(request) else { return }
      let bytes = response.bytes(to: request)
      Self.send(Array(bytes.prefix(bytes.count - response.body.count + count)), to: connection)
    case .hangUp: return
    case .raw(let bytes): Self.send(bytes, to: connection)
    case .delay(let microseconds, let action):
      usleep(microseconds)
      perform(action, request, connection)
    }
  }

  private func forward(
    _ request: Request, _ connection: Int32, _ change: (inout Response) -> Void
  ) {
    guard var response = ask(request) else { return }
    change(&response)
    Self.send(response.bytes(to: request), to: connection)
  }

  /// Asks the real server; nil when it breaks off.
  private func ask(_ request: Request) -> Response? {
    guard let server = Self.connect(to: upstream) else { return nil }
    defer { close(server) }
    Self.send(request.bytes, to: server)
    var reader = MessageReader(server)
    guard let head = reader.head(), var response = Response(head: head) else { return nil }
    if request.method != "HEAD", response.status != 204, response.status != 304 {
      response.body = reader.body(response.headers, untilEnd: true)
    }
    return response
  }
}

extension ScriptedPeer {
  /// A request as it came.
  public struct Request: Sendable {
    /// `GET`.
    public var method: String
    /// The path and the query as sent.
    public var target: String
    /// Names and values.
    public var headers: [(name: String, value: String)]
    /// The body, without its chunks.
    public var body: [UInt8] = []
    /// Counts requests of the same route, from 1.
    public var number = 0

    init?(head: [String]) {
      let parts = head[0].split(separator: " ")
      guard parts.count == 3 else { return nil }
      method = String(parts[0])
      target = String(parts[1])
      headers = fields(head)
    }

    /// The path without the query.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The query, undecoded.
    public var query: String { String(target.dropFirst(path.count).dropFirst()) }

    /// The method and the part of the path behind the database: `GET _changes`, `PUT _local/…`,
    /// `GET doc`.
    public var route: String {
      let parts = path.split(separator: "/", omittingEmptySubsequences: true)
      guard parts.count > 1 else {
        return "\(method) \(parts.first == "_session" ? "_session" : "")"
      }
      return parts[1] == "_local" ? "\(method) _local" : "\(method) \(parts[1])"
    }

    /// The body as text.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The first value of a header, whose name is given in lower case.
    public func header(_ name: String) -> String? {
      headers.first { $0.name.lowercased() == name }?.value
    }

    var bytes: [UInt8] {
      var text = "\(method) \(target) HTTP/1.1\r\n"
      let dropped = ["connection", "content-length", "transfer-encoding", "expect"]
      for field in headers where !dropped.contains(field.name.lowercased()) {
        text += "\(field.name): \(field.value)\r\n"
      }
      text += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
      return Array(text.utf8) + body
    }
  }

  /// An answer.
  public struct Response: Sendable {
    /// The status.
    public var status: Int
    /// Names and values, without the length.
    public var headers: [(name: String, value: String)]
    /// The body, without its chunks.
    public var body: [UInt8]

    /// An answer with a text, JSON by default.
    public init(
      _ status: Int, _ text: String = "{}", headers: [(name: String, value: String)] = [],
      type: String = "application/json"
    ) {
      self.status = status
      self.headers = headers + [("Content-Type", type)]
      body = Array(text.utf8)
    }

    init?(head: [String]) {
      let parts = head[0].split(separator: " ")
      guard parts.count >= 2, let status = Int(parts[1]) else { return nil }
      self.status = status
      headers = fields(head)
      body = []
    }

    /// The body as text.
    public var text: String {
      get { String(decoding: body, as: UTF8.self) }
      set { body = Array(newValue.utf8) }
    }

    /// The first value of a header; nil removes it.
    public subscript(_ name: String) -> String? {
      get { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
      set {
        headers.removeAll { $0.name.lowercased() == name.lowercased() }
        if let newValue { headers.append((name, newValue)) }
      }
    }

    func bytes(to request: Request) -> [UInt8] {
      var text = "HTTP/1.1 \(status) Scripted\r\n"
      let dropped = ["connection", "transfer-encoding", "content-length"]
      for field in headers where !dropped.contains(field.name.lowercased()) {
        text += "\(field.name): \(field.value)\r\n"
      }
      if status != 204, status != 304 {
        let length = request.method == "HEAD" ? self["content-length"] ?? "0" : "\(body.count)"
        text += "Content-Length: \(length)\r\n"
      }
      text += "Connection: close\r\n\r\n"
      return Array(text.utf8) + body
    }
  }
}

/// The header fields of a head's lines.
private func fields(_ head: [String]) -> [(name: String, value: String)] {
  head.dropFirst().compactMap { line in
    guard let colon = line.firstIndex(of: ":") else { return nil }
    let value = line[line.index(after: colon)...].drop { $0 == " " }
    return (String(line[..<colon]), String(value))
  }
}
