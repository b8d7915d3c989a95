import Core
import Foundation
import HTTP
import Sync
import Synchronization
import TestSupport

/// The listener that recorded requests are sent to, with the administrator of the recordings.
final class HTTPReplayServer {
  private let listener: RunningListener
  private var stores: [String: LocalStore] = [:]

  init(_ listener: RunningListener) { self.listener = listener }

  /// Gives the listener its administrator.
  static func prepare(_ options: inout Listener.Options) throws {
    let users = Users.make(in: options.stores, rounds: testRounds)
    try users.add("admin", password: testPassword("admin"), isAdmin: true)
    options.authenticator = Authenticator(users.registry, rounds: testRounds)
  }

  func create(_ name: String) throws {
    _ = try listener.stores.create(name, collation: .unicode)
  }

  private func store(_ name: String) throws -> LocalStore {
    if let store = stores[name], store.isCurrent { return store }
    let store = try listener.stores.open(name)
    stores[name] = store
    return store
  }

  /// The marks in the sequences of all databases, also deleted ones, where the recordings have `SEQ`.
  private(set) var marks: Set<String> = []

  private func noteMarks() {
    for name in (try? listener.stores.names()) ?? [] {
      if let store = try? store(name) { marks.insert(String(store.identity.prefix(8))) }
    }
  }

  // MARK: Sending

  /// Sends a recorded request; `fill` puts the values of variables into its texts.
  func send(
    _ recorded: ReplayCase, whileOpen: [Document]?, fill: (String) -> String
  ) async throws -> HTTPReplayAnswer {
    noteMarks()
    let response = try await listener.client.send(request(recorded, fill))
    noteMarks()
    if let documents = whileOpen {
      let name = recorded.path.split(separator: "/").first.map(String.init) ?? ""
      if documents.isEmpty { try listener.stores.delete(name) }
      for document in documents { _ = try store(name).write([document], mode: .revisions) }
    }
    var answer = HTTPReplayAnswer(status: response.status, headers: response.headers)
    if recorded.response["lines"] != nil {
      answer.lines = try await lines(response, like: recorded)
    } else {
      answer.bytes = try await response.bytes()
    }
    return answer
  }

  private func request(
    _ recorded: ReplayCase, _ fill: (String) -> String
  ) throws -> HTTPClientRequest {
    var url = listener.url
    let target = fill(recorded.path).split(separator: "?", maxSplits: 1)
    url.path = target.first.map(String.init) ?? "/"
    url.query = target.count > 1 ? String(target[1]) : nil
    var request = HTTPClientRequest(HTTPMethod(rawValue: recorded.method), url)
    request.headers["Accept"] = "application/json"
    request.decompresses = false
    request.maximumRedirects = 0
    let user = recorded.request["auth"]?.stringValue ?? "admin"
    if user != "none" {
      request.headers["Authorization"] =
        BasicCredentials(user: user, password: testPassword(user)).authorization
    }
    for (name, value) in recorded.request["headers"]?.objectValue ?? [:] {
      request.headers[name] = value.stringValue.map(fill)
    }
    if let json = recorded.request["body"] {
      request.body = .bytes(json.mappingStrings(fill).serializedBytes())
      if recorded.requestHeader("Content-Type") == nil {
        request.headers["Content-Type"] = "application/json"
      }
    } else if let text = recorded.request["body_text"]?.stringValue {
      request.body = .bytes(Array(fill(text).utf8))
    } else if let text = recorded.request["body_base64"]?.stringValue {
      request.body = .bytes(Data(base64Encoded: text).map { [UInt8]($0) } ?? [])
    }
    if request.headers["Transfer-Encoding"] == "chunked", case .bytes(let bytes) = request.body {
      // Recorded as it went over the wire; the client makes chunks of its own.
      request.headers["Transfer-Encoding"] = nil
      let content = Array(bytes.split(separator: UInt8(ascii: "\n"))[1].dropLast())
      let rest = Mutex([content])
      request.body = .stream(HTTPBody { rest.withLock { $0.popLast() } })
    }
    return request
  }

  /// Reads a feed to its end, or until it has sent what was recorded before the client left.
  private func lines(
    _ response: HTTPClientResponse, like recorded: ReplayCase
  ) async throws -> [String] {
    let expected = recorded.response["lines"]?.arrayValue?.compactMap(\.stringValue) ?? []
    let isEndless = recorded.response["server_closed"] == false
    var text: [UInt8] = []
    var found: [String] { String(decoding: text, as: UTF8.self).components(separatedBy: "\n") }
    for try await chunk in response.body {
      text += chunk
      // Heartbeats come by the clock: one is as good as many.
      if isEndless, rows(found) >= rows(expected), heartbeats(found) >= min(1, heartbeats(expected))
      {
        break
      }
    }
    return found
  }

  private func rows(_ lines: [String]) -> Int { lines.count { $0.contains("\"id\"") } }

  private func heartbeats(_ lines: [String]) -> Int {
    lines.dropLast().count { $0.isEmpty || $0 == "event: heartbeat" }
  }
}
