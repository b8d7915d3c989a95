import Core
import HTTP
import Synchronization

/// Sends requests to the receiver of a ticket: over TLS alone, with the pinned key, without proxy and
/// redirects, and at whichever of its addresses answers.
final class ReceiverConnection: Sendable {
  let client: HTTPClient
  private let ticket: DropTicket
  private let address = Mutex<String?>(nil)

  /// What `drop` is told when nothing was heard for so long.
  private enum Patience {
    /// Until a connection stands.
    static let connect = Duration.seconds(8)
    /// While bytes are sent, or a short answer is waited for.
    static let bytes = Duration.seconds(30)
    /// While the receiver waits for its disk, or for its person.
    static let answer = Duration.seconds(300)
    /// Until the next address is tried beside the last one.
    static let head = Duration.milliseconds(250)
  }

  /// Prepares; nothing is sent.
  ///
  /// - Throws: `HTTPError.libraryMissing`.
  init(_ ticket: DropTicket, connections: Int) throws(HTTPError) {
    self.ticket = ticket
    var options = HTTPClient.Options()
    options.trust = .pin(ticket.pin)
    options.allowsHTTP2 = false
    options.userAgent = SenderAgent.field(ticket.token)
    // One more for questions while all others carry files.
    options.connectionsPerHost = connections + 1
    options.timeouts.connect = Patience.connect
    options.timeouts.idle = Patience.answer
    client = try HTTPClient(options)
  }

  /// The address that answered last.
  var currentAddress: String { address.withLock { $0 } ?? ticket.addresses.first ?? "" }

  /// Forgets which address answered: the receiver may have moved to another network.
  func forgetAddress() { address.withLock { $0 = nil } }

  /// The receiver's database, at an address where it answers.
  var database: WebURL {
    get async throws { ticket.url(at: try await find()).appending("drop") }
  }

  // MARK: Finding

  /// Looks for the receiver at all addresses, each a little after the one before it.
  ///
  /// - Returns: the address that answered.
  /// - Throws: `DropSendError`, `HTTPError.libraryMissing`.
  func find() async throws -> String {
    if let known = address.withLock({ $0 }) { return known }
    let found = try await withThrowingTaskGroup(of: Result<String, any Error>.self) { group in
      for (index, address) in ticket.addresses.enumerated() {
        group.addTask { [self] in
          try await Task.sleep(for: Patience.head * index)
          do {
            try await greet(address)
            return .success(address)
          } catch {
            if error is CancellationError { throw error }
            return .failure(error)
          }
        }
      }
      var failures: [any Error] = []
      while let result = try await group.next() {
        switch result {
        case .success(let address):
          group.cancelAll()
          return address
        case .failure(let error): failures.append(error)
        }
      }
      throw gravest(failures)
    }
    address.withLock { $0 = found }
    return found
  }

  private func greet(_ address: String) async throws {
    let answer = try await send(.get, ticket.url(at: address))
    await answer.discard()
    guard answer.status == 200 else { throw refusal(answer) }
  }

  /// What to tell of several failures: the one that came furthest.
  private func gravest(_ errors: [any Error]) -> any Error {
    if let error = errors.first(where: { $0 is DropSendError }) { return error }
    for case .tls(.pinMismatch, let host, _, _) in errors.compactMap({ $0 as? HTTPError }) {
      return DropSendError.wrongKey(address: host)
    }
    guard let error = errors.lazy.compactMap({ $0 as? HTTPError }).first else {
      return errors.first ?? DropSendError.unexpected(detail: "the ticket has no address")
    }
    if case .libraryMissing = error { return error }
    return DropSendError.unreachable(addresses: ticket.addresses, error)
  }

  // MARK: Files

  /// Where the receiver stands with a file.
  enum State: Sendable, Equatable {
    /// It wants the bytes from an offset on.
    case open(offset: Int64)
    /// Its person is being asked.
    case asking
    /// It does not want the file.
    case refused(FileFailure)
    /// It has all of it.
    case saved
  }

  /// What the receiver answered to bytes.
  enum Answer: Sendable {
    /// It has kept everything up to an offset.
    case stands(at: Int64)
    /// It stands elsewhere: nothing was taken.
    case conflict(at: Int64)
    /// The file is saved.
    case saved(Receipt)
    /// See there.
    case ask
    /// It will not have the file.
    case failed(FileFailure)
  }

  /// What the receiver says of a file that it saved.
  struct Receipt: Sendable, Equatable {
    var name: String
    var size: Int64
    var digest: String
    /// The same file was there already.
    var wasThere: Bool
  }

  /// Asks where the receiver stands with a file.
  func state(of id: String) async throws -> State {
    let answer = try await send(.head, try await url(of: id))
    await answer.discard()
    guard answer.status == 200 else { throw refusal(answer) }
    switch answer.headers["Upload-State"] {
    case "asking": return .asking
    case "refused": return .refused(Self.failure(answer))
    case "saved": return .saved
    default:
      guard let offset = Self.offset(answer) else {
        throw DropSendError.unexpected(detail: "it does not say how much of a file it has")
      }
      return .open(offset: offset)
    }
  }

  /// Sends bytes of a file.
  ///
  /// - Parameters:
  ///   - id: the file's document.
  ///   - offset: where the first byte goes.
  ///   - digest: of the whole file, with its last bytes.
  ///   - body: the bytes.
  /// - Returns: what it made of them.
  /// - Throws: `DropSendError`, `HTTPError`, and what the body throws.
  func send(
    _ id: String, at offset: Int64, digest: String?, _ body: HTTPClientRequest.Body
  ) async throws -> Answer {
    var query = [(name: "offset", value: "\(offset)")]
    if let digest { query.append(("sha256", digest)) }
    let answer = try await send(.patch, try await url(of: id).with(query: query), body)
    let bytes = try await answer.bytes(upTo: 1 << 16)
    let meaning = try Self.meaning(
      answer.status, (try? JSON(parsing: bytes)) ?? .null, answer.headers["Upload-State"],
      at: Self.offset(answer))
    guard let meaning else { throw refusal(answer) }
    return meaning
  }

  /// Sends small files in one request, as `UploadParts` has them.
  ///
  /// - Parameters:
  ///   - body: the files.
  ///   - count: how many there are.
  /// - Returns: what the receiver made of each, in their order.
  /// - Throws: `DropSendError`, `HTTPError`.
  func sendTogether(_ body: [UInt8], count: Int) async throws -> [Answer] {
    let answer = try await send(.post, try await database.appending("_files"), .bytes(body))
    let bytes = try await answer.bytes(upTo: 1 << 20)
    guard answer.status == 200 else { throw refusal(answer) }
    guard let rows = (try? JSON(parsing: bytes))?["files"]?.arrayValue, rows.count == count else {
      throw DropSendError.unexpected(detail: "it confirmed files without saying which")
    }
    return try rows.map { row in
      let status = Int(row["status"]?.integerValue ?? 0)
      return try Self.meaning(
        status, row, row["state"]?.stringValue, at: row["offset"]?.integerValue) ?? .ask
    }
  }

  /// What an answer to the bytes of a file means; nil when it is none about the file.
  private static func meaning(
    _ status: Int, _ json: JSON, _ state: String?, at offset: Int64?
  ) throws -> Answer? {
    switch status {
    case 200, 201:
      guard let name = json["name"]?.stringValue, let size = json["size"]?.integerValue,
        let digest = json["sha256"]?.stringValue
      else { throw DropSendError.unexpected(detail: "it confirmed a file without saying which") }
      return .saved(
        Receipt(
          name: name, size: size, digest: digest.lowercased(), wasThere: json["was_there"] == true))
    case 204:
      return offset.map { .stands(at: $0) } ?? .ask
    case 409:
      if let state, state != "open" { return .ask }
      return offset.map { .conflict(at: $0) }
    case 425, 423, 404, 403: return .ask
    case 400..<500 where ![401, 408, 410, 429].contains(status), 507:
      let reason = json["reason"]?.stringValue ?? "status \(status)"
      let code: FileFailure.Code =
        switch status {
        case 413, 507: .noSpace
        case 422: .digest
        default: .refused
        }
      return .failed(FileFailure(code, reason))
    default: return nil
    }
  }

  /// Tells the receiver that nothing more will come: it need not wait for what failed here.
  func finish() async throws {
    let answer = try await send(
      .post, ticket.url(at: try await find()).appending(ticket.token.text, "done"),
      headers: ["X-Tote": "1"], idle: Patience.answer)
    await answer.discard()
    guard answer.status < 500 else { throw DropSendError.notKept }
  }

  private func url(of id: String) async throws -> WebURL {
    try await database.appending(id, "file")
  }

  /// Why a file is refused: a word, and a sentence that is percent-encoded as it may be in any script.
  private static func failure(_ answer: HTTPClientResponse) -> FileFailure {
    let reason = (answer.headers["Upload-Reason"]?.utf8).flatMap { PercentEncoding.decodeText($0) }
    let code: FileFailure.Code =
      switch answer.headers["Upload-Code"] {
      case "no_space": .noSpace
      case "digest": .digest
      default: .refused
      }
    return FileFailure(code, reason ?? "the receiver did not want it")
  }

  private static func offset(_ answer: HTTPClientResponse) -> Int64? {
    answer.headers["Upload-Offset"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
  }

  private func send(
    _ method: HTTPMethod, _ url: WebURL, _ body: HTTPClientRequest.Body = .none,
    headers: HTTPHeaders = HTTPHeaders(), idle: Duration = Patience.bytes
  ) async throws -> HTTPClientResponse {
    var request = HTTPClientRequest(method, url, headers: headers, body: body)
    request.headers["Authorization"] =
      BasicCredentials(user: DropToken.user, password: ticket.token.text).authorization
    request.maximumRedirects = 0
    request.decompresses = false
    // The offset is known to be right: waiting for leave would cost a round trip a file.
    request.expectsContinue = false
    var timeouts = HTTPClient.Timeouts()
    timeouts.connect = Patience.connect
    timeouts.idle = idle
    request.timeouts = timeouts
    return try await client.send(request)
  }

  /// What an answer that ends everything means.
  private func refusal(_ answer: HTTPClientResponse) -> any Error {
    switch answer.status {
    case 401, 403: DropSendError.staleTicket
    case 404, 410: DropSendError.ended
    case 409, 423: DropSendError.taken
    case 507, 413: DropSendError.noSpace(reason: "the receiver has no room for it")
    case 408, 429, 500...599: ReceiverTrouble(status: answer.status)
    default: DropSendError.unexpected(detail: "it answered \(answer.status)")
    }
  }
}

/// The receiver answered that it cannot answer now.
struct ReceiverTrouble: Error, Sendable, CustomStringConvertible {
  let status: Int

  var description: String { "the receiver answered \(status)" }
}
