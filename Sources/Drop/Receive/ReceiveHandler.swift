import Core
import HTTP
import Sync

/// Answers the requests of one listener of a receiver.
///
/// Write-only: what replicators need to push, the bytes of files, and the page for browsers.
struct ReceiveHandler: Sendable {
  let session: DropSession
  let gate: ReceiveGate
  let door: ReceiveGate.Door
  /// Large JSON bodies at once.
  let bodies: BodyTurns
  /// What this machine is called on the page.
  let name: String

  /// The cookie that knows a browser again.
  static let cookieName = "tote_drop"
  /// Lets senders that share an address be told apart; any text.
  static let senderHeader = "X-Tote-Sender"

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    var response: HTTPResponse
    do {
      switch try gate.pass(request, door) {
      case .basic: response = try await replicatorRoute(request)
      case .path(let rest): response = try await pageRoute(request, rest)
      }
    } catch {
      response = Refusal(error).response
    }
    for (name, value) in Self.strictHeaders where !response.headers.contains(name) {
      response.headers[name] = value
    }
    return response
  }

  private static let strictHeaders: [(String, String)] = [
    ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
    // Not `no-referrer`: with that a form's Origin is `null`, which could be anybody's.
    ("Referrer-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
  ]

  /// Who makes a request that is let in.
  func sender(of request: HTTPRequest) -> DropSession.Sender {
    let key =
      Cookies.value(of: Self.cookieName, in: request.headers).map { "cookie \($0)" }
      ?? request.headers[Self.senderHeader].map { "sender \($0)" }
      ?? SenderAgent.key(of: request.headers["User-Agent"])
      ?? "client \(request.peer) \(request.headers["User-Agent"] ?? "")"
    return DropSession.Sender(key: key, address: request.peer)
  }

  // MARK: Routes of replicators

  private func replicatorRoute(_ request: HTTPRequest) async throws -> HTTPResponse {
    var segments = request.segments
    // `/` and `/drop/` end in an empty segment.
    if segments.last == "" { segments.removeLast() }
    switch (request.method, segments.first, segments.count) {
    case (.get, nil, _), (.head, nil, _): return welcome
    case (_, "drop", _): break
    // A sender that has finished says so where a browser does.
    case (_, let first?, _) where DropToken(first) == door.token:
      return try await pageRoute(request, Array(segments.dropFirst()), isBasic: true)
    default: throw Refusal.nothingHere
    }
    let rest = Array(segments.dropFirst())
    switch (request.method, rest.first, rest.count) {
    case (.get, nil, _), (.head, nil, _): return .json(200, session.information)
    case (.put, nil, _):
      throw Refusal(
        412, "file_exists",
        "The database could not be created, the file already exists.")
    case (.post, nil, _): return try await putDocument(request, id: nil)
    case (.post, "_revs_diff", 1): return try await revisionsDiff(request)
    case (.post, "_bulk_docs", 1): return try await bulkDocuments(request)
    case (.post, "_files", 1): return try await uploadTogether(request)
    case (.post, "_ensure_full_commit", 1):
      session.settle()
      try session.synchronize()
      return .json(201, ["ok": true, "instance_start_time": "0"])
    case (.get, "_local", 2), (.head, "_local", 2), (.put, "_local", 2):
      return try await localDocument(request, rest[1])
    case (.head, _?, 2) where rest[1] == "file", (.patch, _?, 2) where rest[1] == "file":
      return try await upload(request, id: rest[0])
    case (.put, let id?, 1) where id.utf8.first != UInt8(ascii: "_"):
      return try await putDocument(request, id: id)
    case (.put, let id?, 2...) where id.utf8.first != UInt8(ascii: "_"):
      return try await putAttachment(
        request, id: id, name: rest.dropFirst().joined(separator: "/"))
    default: throw Refusal.nothingHere
    }
  }

  private var welcome: HTTPResponse {
    .json(
      200,
      [
        "couchdb": "Welcome", "version": "3.5.0", "uuid": .string(session.uuid),
        "features": [], "vendor": ["name": "tote"],
      ])
  }
}

/// Lets a few large bodies be read at once: their JSON lies in memory.
actor BodyTurns {
  private var free = 2
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Runs some work when it is its turn.
  func run<Value: Sendable>(
    _ work: @Sendable () async throws -> Value
  ) async rethrows -> Value {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
    return try await work()
  }
}
