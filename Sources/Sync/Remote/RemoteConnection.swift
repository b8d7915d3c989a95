import Core
import HTTP
import Synchronization

/// Sends requests to one database of a server, with credentials, and reads its errors.
final class RemoteConnection: Sendable {
  /// The database's URL, without user-info.
  let url: WebURL
  private let client: HTTPClient
  private let credentials: RemoteCredentials
  /// The session's cookie; nil without one.
  private let cookie = Mutex<String?>(nil)
  /// The server has no sessions: Basic it is.
  private let hasNoSessions = Mutex(false)

  /// Answers that are read into memory.
  private static let answerLimit = 512 << 20

  init(_ url: WebURL, credentials: RemoteCredentials, client: HTTPClient) {
    self.url = url.withoutUserInfo
    self.client = client
    self.credentials = credentials
  }

  /// What a request may carry.
  enum Body {
    case none
    case json(JSON)
    case bytes([UInt8], type: String)
    case stream(HTTPBody, type: String)
  }

  // MARK: Requests

  /// Sends a request below the database and returns the answer's JSON.
  func json(
    _ method: HTTPMethod, _ segments: [String], query: [(name: String, value: String)] = [],
    _ body: Body = .none, timeouts: HTTPClient.Timeouts? = nil
  ) async throws -> JSON {
    let response = try await send(method, segments, query: query, body, timeouts: timeouts)
    let bytes = try await read(response)
    guard let json = try? JSON(parsing: bytes) else {
      throw RemoteError.unexpected(detail: "the answer is not JSON", url: response.url)
    }
    return json
  }

  /// Sends a request below the database; an answer that is an error is thrown.
  func send(
    _ method: HTTPMethod, _ segments: [String], query: [(name: String, value: String)] = [],
    _ body: Body = .none, headers: HTTPHeaders = HTTPHeaders(),
    timeouts: HTTPClient.Timeouts? = nil
  ) async throws -> HTTPClientResponse {
    var request = HTTPClientRequest(method, Self.address(url, segments).with(query: query))
    request.headers = headers
    request.timeouts = timeouts
    if request.headers["Accept"] == nil { request.headers["Accept"] = "application/json" }
    switch body {
    case .none: break
    case .json(let json):
      request.headers["Content-Type"] = "application/json"
      request.body = .bytes(json.serializedBytes())
    case .bytes(let bytes, let type):
      request.headers["Content-Type"] = type
      request.body = .bytes(bytes)
    case .stream(let stream, let type):
      request.headers["Content-Type"] = type
      request.body = .stream(stream)
    }
    let response = try await authenticated(request)
    guard response.status >= 400 else { return response }
    throw try await error(response)
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

  private func read(_ response: HTTPClientResponse) async throws -> [UInt8] {
    do {
      return try await response.bytes(upTo: Self.answerLimit)
    } catch let error as HTTPError {
      throw RemoteError.transport(error, url: response.url)
    }
  }

  private func error(_ response: HTTPClientResponse) async throws -> RemoteError {
    let bytes = (try? await response.bytes(upTo: 1 << 20)) ?? []
    let json = (try? JSON(parsing: bytes)) ?? .null
    return .status(
      response.status, error: json["error"]?.stringValue ?? "http_\(response.status)",
      reason: json["reason"]?.stringValue ?? "", url: response.url)
  }

  private func transport(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
    do {
      return try await client.send(request)
    } catch let error as HTTPError {
      throw RemoteError.transport(error, url: request.url)
    }
  }

  // MARK: Credentials

  private func authenticated(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
    let first = try await transport(try await signed(request))
    adopt(first)
    guard first.status == 401, cookie.withLock({ $0 }) != nil else { return first }
    if case .stream = request.body { return first }
    // The session ran out: log in again, once.
    await first.discard()
    cookie.withLock { $0 = nil }
    let second = try await transport(try await signed(request))
    adopt(second)
    return second
  }

  private func signed(_ request: HTTPClientRequest) async throws -> HTTPClientRequest {
    var request = request
    switch credentials {
    case .none: break
    case .bearer(let token): request.headers["Authorization"] = "Bearer \(token)"
    case .password(let user, let password):
      if cookie.withLock({ $0 }) == nil, !hasNoSessions.withLock({ $0 }) {
        try await logIn(user, password)
      }
      if let cookie = cookie.withLock({ $0 }) {
        request.headers["Cookie"] = "AuthSession=\(cookie)"
      } else {
        request.headers["Authorization"] =
          BasicCredentials(
            user: user, password: password
          ).authorization
      }
    }
    return request
  }

  /// Asks for a session; a server without `_session` gets Basic authentication from now on.
  private func logIn(_ user: String, _ password: String) async throws {
    var server = url
    server.path = String(server.path.reversed().drop { $0 == "/" }.drop { $0 != "/" }.reversed())
    var request = HTTPClientRequest(.post, server.appending("_session"))
    request.headers["Content-Type"] = "application/json"
    request.headers["Accept"] = "application/json"
    let form: JSON = ["name": .string(user), "password": .string(password)]
    request.body = .bytes(form.serializedBytes())
    let response = try await transport(request)
    guard response.status == 200 else {
      if response.status == 401 { throw try await error(response) }
      await response.discard()
      hasNoSessions.withLock { $0 = true }
      return
    }
    adopt(response)
    await response.discard()
    if cookie.withLock({ $0 }) == nil { hasNoSessions.withLock { $0 = true } }
  }

  /// Takes a session cookie from any answer: servers renew them as they like.
  private func adopt(_ response: HTTPClientResponse) {
    guard case .password = credentials else { return }
    for header in response.headers.values(of: "Set-Cookie") {
      guard header.hasPrefix("AuthSession=") else { continue }
      let value = String(header.dropFirst("AuthSession=".count).prefix { $0 != ";" })
      cookie.withLock { $0 = value.isEmpty ? nil : value }
    }
  }
}
