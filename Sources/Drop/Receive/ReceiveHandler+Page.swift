import Core
import HTTP
import Sync

/// What a browser asks, with the token in its path.
extension ReceiveHandler {
  /// Bytes of an offer.
  private static let offerLimit = 4 << 20
  /// How long an offer waits for the person before it is answered `waiting`.
  private static let patience = Duration.seconds(25)

  func pageRoute(
    _ request: HTTPRequest, _ rest: [String], isBasic: Bool = false
  ) async throws -> HTTPResponse {
    let rest = rest.last == "" ? Array(rest.dropLast()) : rest
    switch (request.method, rest.first, rest.count) {
    case (.get, "status", 1), (.head, "status", 1): return .json(200, status(for: request))
    case (.post, "offer", 1):
      try requireScript(request, isBasic)
      return try await takeOffer(request)
    case (.post, "form", 1): return try await takeForm(request)
    case (.post, "done", 1):
      try requireScript(request, isBasic)
      defer { session.senderIsDone(sender(of: request)) }
      try session.synchronize()
      return .json(200, ["ok": true])
    case (.head, "files", 2): return try await upload(request, id: rest[1])
    case (.patch, "files", 2):
      try requireScript(request, isBasic)
      return try await upload(request, id: rest[1])
    case (.get, _, ...1), (.head, _, ...1):
      // Nothing, or the pin in whatever form: nothing is consumed by looking at it.
      guard rest.first.map({ $0.utf8.count >= 52 }) ?? true else { throw Refusal.nothingHere }
      return withCookie(
        DropPage.receiving(base: base(request), receiver: name, isEncrypted: request.isSecure),
        request)
    default: throw Refusal.nothingHere
    }
  }

  /// A header that forms of other sites cannot send.
  private func requireScript(_ request: HTTPRequest, _ isBasic: Bool) throws(Refusal) {
    guard isBasic || request.headers["X-Tote"] == "1" else {
      throw Refusal(403, "forbidden", "The header X-Tote is missing.")
    }
  }

  /// The path of the session as the browser has it.
  private func base(_ request: HTTPRequest) -> String {
    "/\(request.rawSegments.first ?? "")/"
  }

  private func withCookie(_ page: DropPage, _ request: HTTPRequest) -> HTTPResponse {
    var response = page.response()
    // With `no-referrer` a browser says `Origin: null` for the form, which anybody could.
    response.headers["Referrer-Policy"] = "same-origin"
    guard Cookies.value(of: Self.cookieName, in: request.headers) == nil else { return response }
    var cookie = SetCookie(name: Self.cookieName, value: RandomIdentifier.uuid())
    cookie.isSecure = request.isSecure
    response.headers["Set-Cookie"] = cookie.headerValue
    return response
  }

  // MARK: Offers

  private func takeOffer(_ request: HTTPRequest) async throws -> HTTPResponse {
    let sender = sender(of: request)
    try session.bind(sender)
    let offer = try await json(request, limit: Self.offerLimit)
    guard case .array(let rows)? = offer["files"], !rows.isEmpty, rows.count <= 10_000 else {
      throw Refusal.badRequest("`files` must be an array of 1 to 10000 files")
    }
    let device = offer["device"]?.stringValue ?? sender.address
    let files = try session.offer(
      try rows.map { try Self.file($0, sender: String(device.prefix(64))) }, by: sender)
    session.settle()
    let deadline = ContinuousClock.now + Self.patience
    while files.contains(where: \.isAsking), session.phase == .open, .now < deadline {
      try await Task.sleep(for: .milliseconds(50))
    }
    guard !files.contains(where: \.isAsking) else {
      return .json(
        202, ["waiting": true, "files": .array(files.map { ["id": .string($0.file.id)] })])
    }
    return .json(200, ["files": .array(files.map(Self.row))])
  }

  private static func file(_ row: JSON, sender: String) throws(Refusal) -> DropFile {
    guard let name = row["name"]?.stringValue, let size = row["size"]?.integerValue, size >= 0
    else { throw .badRequest("a file needs `name` and `size`") }
    var file = DropFile(
      id: RandomIdentifier.uuid(), name: name, size: size, sender: sender)
    file.type = row["type"]?.stringValue
    if let milliseconds = row["modified"]?.integerValue {
      let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
      file.modified = Instant(
        seconds: rest < 0 ? seconds - 1 : seconds,
        nanoseconds: Int(rest < 0 ? rest + 1000 : rest) * 1_000_000)
    }
    return file
  }

  private static func row(_ file: IncomingFile) -> JSON {
    var reason = JSON.null
    if case .refused(_, let text) = file.status { reason = .string(text) }
    return [
      "id": .string(file.file.id), "offset": .integer(file.offset),
      "state": .string(file.status.word), "reason": reason,
    ]
  }

  private func status(for request: HTTPRequest) -> JSON {
    let files = session.isBound(sender(of: request)) ? session.files : []
    let state =
      switch session.phase {
      case .open: "open"
      case .ended(.expired): "expired"
      case .ended: "done"
      }
    return [
      "state": .string(state), "files": .array(files.map(Self.statusRow)),
      "waiting": .bool(files.contains(where: \.isAsking)),
    ]
  }

  private static func statusRow(_ file: IncomingFile) -> JSON {
    var saved = JSON.null
    var reason = JSON.null
    switch file.status {
    case .saved(let result): saved = .string(result.name)
    case .refused(_, let text): reason = .string(text)
    case .asking, .open: break
    }
    return [
      "id": .string(file.file.id), "name": .string(file.file.name),
      "size": file.file.size.map { .integer($0) } ?? .null, "offset": .integer(file.offset),
      "state": .string(file.status.word), "saved": saved, "reason": reason,
    ]
  }

  // MARK: The form

  /// Files straight from a form, for browsers without scripts.
  private func takeForm(_ request: HTTPRequest) async throws -> HTTPResponse {
    let sender = sender(of: request)
    try session.bind(sender)
    if let length = request.body.length, length > session.folder.freeBytes {
      throw Refusal(
        507, "insufficient_storage", DropSession.noSpace(length, session.folder.freeBytes))
    }
    let reader = try Self.parts(of: request)
    let page = DropPage.sent(
      try await outcomes(of: reader, sender), base: base(request), receiver: name)
    return page.response()
  }

  /// Receives the files of a form one after another.
  private func outcomes(
    of reader: MultipartReader, _ sender: DropSession.Sender
  ) async throws -> [DropPage.Outcome] {
    var results: [DropPage.Outcome] = []
    var next = try await reader.nextPart()
    while let part = next {
      // Without a name it is a field of the form, or one for files that was left empty.
      if let name = part.disposition?.filename, !name.isEmpty {
        let reason = try await outcome(of: part, name, sender)
        results.append(DropPage.Outcome(name: name, reason: reason))
      }
      next = try await reader.nextPart()
    }
    return results
  }

  /// Receives one file of a form; nil when it was saved, else why not.
  private func outcome(
    of part: MultipartPart, _ name: String, _ sender: DropSession.Sender
  ) async throws -> String? {
    var file = DropFile(
      id: RandomIdentifier.uuid(), name: name, size: nil, sender: sender.address)
    file.type = part.headers["Content-Type"]
    let incoming = try session.offer([file], by: sender)[0]
    session.settle()
    let attachment = Attachment(name: name, contentType: file.type ?? "")
    do {
      try await take(part.body, attachment, as: incoming)
    } catch let refusal as Refusal {
      return refusal.reason
    }
    return nil
  }
}
