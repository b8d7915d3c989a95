import Core
import HTTP

/// Sends requests to one database of a server, with credentials, and reads its errors.
final class RemoteConnection: Sendable {
  /// The database's URL, without user-info.
  let url: WebURL
  let timing: RemoteTiming
  private let client: HTTPClient
  private let session: RemoteSession
  private let pace: RequestPace

  /// Answers that are read into memory.
  static let answerLimit = 512 << 20

  init(
    _ url: WebURL, credentials: RemoteCredentials, client: HTTPClient,
    timing: RemoteTiming = .real
  ) {
    self.url = url.withoutUserInfo
    self.client = client
    self.timing = timing
    session = RemoteSession(for: url, credentials, client: client, timing: timing)
    pace = RequestPace(timing)
  }

  private init(_ url: WebURL, like other: RemoteConnection) {
    self.url = url
    client = other.client
    timing = other.timing
    session = other.session
    pace = other.pace
  }

  /// A connection to another database or endpoint of the same server, in the same session.
  func sibling(_ name: String) -> RemoteConnection {
    RemoteConnection(session.server.appending(name), like: self)
  }

  /// What a request may carry.
  enum Body: Sendable {
    case none
    case json(JSON)
    case bytes([UInt8], type: String)
    /// Made anew whenever the request is sent again.
    case stream(type: String, @Sendable () throws -> HTTPBody)
  }

  /// A request below the database.
  struct Call: Sendable {
    var method = HTTPMethod.get
    /// Unencoded; none for the database itself.
    var segments: [String] = []
    var query: [(name: String, value: String)] = []
    var body = Body.none
    var headers = HTTPHeaders()
    var timeouts: HTTPClient.Timeouts?
    /// Whether compressed answers are asked for, and expanded.
    var decompresses = true
  }

  // MARK: Requests

  /// Sends a request below the database and returns the answer's JSON.
  func json(
    _ method: HTTPMethod, _ segments: [String], query: [(name: String, value: String)] = [],
    _ body: Body = .none
  ) async throws -> JSON {
    let response = try await send(
      Call(method: method, segments: segments, query: query, body: body))
    let bytes = try await read(response)
    guard let json = try? JSON(parsing: bytes) else {
      throw RemoteError.unexpected(detail: "the answer is not JSON", url: response.url)
    }
    return json
  }

  /// Sends a request below the database; an answer that is an error is thrown.
  ///
  /// A request whose session or token ran out is sent once more with another one, and a client that
  /// asks too much becomes slower.
  func send(_ call: Call) async throws -> HTTPClientResponse {
    var refusals = 0
    var redirects = 0
    var hasRenewed = false
    var address = Self.address(url, call.segments).with(query: call.query)
    while true {
      try await pace.wait()
      var request = try request(call, to: address)
      let pass = mayProve(at: address) ? try await session.sign(&request) : nil
      let response = try await transport(request)
      session.adopt(response)
      if (200..<300).contains(response.status) {
        pace.succeed()
        return response
      }
      if redirects < Self.redirectLimit, let target = try redirect(of: request, response) {
        redirects += 1
        address = target
        await response.discard()
        continue
      }
      let error = await RemoteError(answer: response)
      if response.status == 429, refusals + 1 < RequestPace.attempts {
        refusals += 1
        try await pace.slowDown(response.headers)
      } else if !hasRenewed, session.gaveUp(pass, after: error) {
        hasRenewed = true
      } else {
        throw error
      }
    }
  }

  /// Redirects of one request that are followed.
  private static let redirectLimit = 5

  /// Where a POST is to be sent again: the client would make a GET of it, as browsers do.
  private func redirect(
    of request: HTTPClientRequest, _ response: HTTPClientResponse
  ) throws -> WebURL? {
    guard request.method == .post, [301, 302, 307, 308].contains(response.status),
      let location = response.headers["Location"],
      let target = try? request.url.resolving(location)
    else { return nil }
    guard request.url.scheme == .http || target.scheme == .https else {
      throw RemoteError.transport(
        .redirectRefused(to: "\(target.withoutQuery)", reason: "it leads from https to http"),
        url: request.url)
    }
    return target.withoutUserInfo
  }

  /// Credentials go to the database's own host alone, by a way that is no less safe.
  private func mayProve(at address: WebURL) -> Bool {
    address.hasSameOrigin(as: url)
      || (utf8Equal(address.host, url.host) && address.scheme == .https)
  }

  private func request(_ call: Call, to address: WebURL) throws -> HTTPClientRequest {
    var request = HTTPClientRequest(call.method, address, headers: call.headers)
    request.timeouts = call.timeouts
    request.decompresses = call.decompresses
    if call.method == .post { request.maximumRedirects = 0 }
    if request.headers["Accept"] == nil { request.headers["Accept"] = "application/json" }
    switch call.body {
    case .none: break
    case .json(let json):
      request.headers["Content-Type"] = "application/json"
      request.body = .bytes(json.serializedBytes())
    case .bytes(let bytes, let type):
      request.headers["Content-Type"] = type
      request.body = .bytes(bytes)
      // Refusals of large bodies concern what is in them: waiting for leave costs a round trip.
      request.expectsContinue = false
    case .stream(let type, let make):
      request.headers["Content-Type"] = type
      request.body = .stream(try make())
    }
    return request
  }

  /// `_design/` and `_local/` keep their slash; proxies refuse it encoded.
  static func address(_ url: WebURL, _ segments: [String]) -> WebURL {
    url.appending(
      segments.flatMap { segment -> [String] in
        for prefix in [DocumentID.designPrefix, DocumentID.localPrefix]
        where segment.utf8.starts(with: prefix.utf8) {
          return [String(prefix.dropLast()), String(segment.dropFirst(prefix.count))]
        }
        return [segment]
      })
  }

  /// All bytes of an answer.
  func read(_ response: HTTPClientResponse) async throws -> [UInt8] {
    do {
      return try await response.bytes(upTo: Self.answerLimit)
    } catch let error as HTTPError {
      throw RemoteError.transport(error, url: response.url)
    }
  }

  private func transport(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
    do {
      return try await client.send(request)
    } catch let error as HTTPError {
      throw RemoteError.transport(error, url: request.url)
    }
  }
}
