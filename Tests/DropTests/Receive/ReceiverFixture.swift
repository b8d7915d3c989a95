import Core
import Drop
import Foundation
import HTTP
import TestSupport
import Testing

/// A receiver on loopback with a client that has its ticket.
struct ReceiverFixture {
  let receiver: DropReceiver
  let client: HTTPClient
  let folder: String
  /// What a request carries to be let in.
  let authorization: String

  var ticket: DropTicket { receiver.ticket }

  init(_ options: DropReceiver.Options) throws {
    receiver = try DropReceiver(options)
    folder = options.folder
    client = try Self.client(for: receiver.ticket)
    authorization =
      BasicCredentials(user: DropToken.user, password: receiver.ticket.token.text).authorization
  }

  static func client(for ticket: DropTicket, agent: String = "test") throws -> HTTPClient {
    var options = HTTPClient.Options()
    options.trust = .pin(ticket.pin)
    options.allowsHTTP2 = false
    options.userAgent = agent
    return try HTTPClient(options)
  }

  /// Runs a test with a receiver into a folder of its own, and stops it.
  static func with(
    isolation: isolated (any Actor)? = #isolation,
    _ change: (inout DropReceiver.Options) -> Void = { _ in },
    _ body: (ReceiverFixture) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      var options = DropReceiver.Options(folder: folder)
      change(&options)
      let fixture = try ReceiverFixture(options)
      do {
        try await body(fixture)
      } catch {
        await fixture.receiver.stop()
        throw error
      }
      await fixture.receiver.stop()
    }
  }

  // MARK: Requests

  /// A request by path segments, as a replicator makes it.
  func send(
    _ method: HTTPMethod, _ path: String, headers: HTTPHeaders = HTTPHeaders(),
    body: HTTPClientRequest.Body = .none, client other: HTTPClient? = nil
  ) async throws -> (status: Int, headers: HTTPHeaders, json: JSON) {
    let base = "https://127.0.0.1:\(ticket.port)"
    var request = HTTPClientRequest(method, try WebURL(base + path), headers: headers, body: body)
    if request.headers["Authorization"] == nil { request.headers["Authorization"] = authorization }
    if request.headers["Content-Type"] == nil, case .bytes = body {
      request.headers["Content-Type"] = "application/json"
    }
    request.expectsContinue = false
    let answer = try await (other ?? client).send(request)
    let bytes = try await answer.bytes()
    return (answer.status, answer.headers, (try? JSON(parsing: bytes)) ?? .null)
  }

  func post(
    _ path: String, _ json: JSON, headers: HTTPHeaders = HTTPHeaders()
  ) async throws -> (status: Int, headers: HTTPHeaders, json: JSON) {
    try await send(.post, path, headers: headers, body: .bytes(json.serializedBytes()))
  }

  /// Pushes the document of a file, as a replicator does.
  @discardableResult
  func offer(
    _ id: String, name: String, size: Int, more: JSONObject = JSONObject()
  ) async throws -> (status: Int, headers: HTTPHeaders, json: JSON) {
    var document: JSONObject = [
      "_id": .string(id), "_revisions": ["start": 1, "ids": ["abc"]], "@datatype": "DropFile",
      "name": .string(name), "size": .integer(Int64(size)), "sender": "test machine",
    ]
    for (key, value) in more { document[key] = value }
    return try await post(
      "/drop/_bulk_docs", ["new_edits": false, "docs": [.object(document)]])
  }

  /// Sends bytes of a file from an offset.
  @discardableResult
  func patch(
    _ id: String, at offset: Int = 0, _ bytes: [UInt8], query: String = ""
  ) async throws -> (status: Int, headers: HTTPHeaders, json: JSON) {
    try await send(.patch, "/drop/\(id)/file?offset=\(offset)\(query)", body: .bytes(bytes))
  }

  /// Offers and sends a file in one piece.
  @discardableResult
  func deliver(
    _ id: String, name: String, _ bytes: [UInt8], more: JSONObject = JSONObject()
  ) async throws -> (status: Int, headers: HTTPHeaders, json: JSON) {
    _ = try await offer(id, name: name, size: bytes.count, more: more)
    return try await patch(id, bytes)
  }

  // MARK: Results

  /// The names in the folder, those of hidden folders of receivers left out.
  var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { !$0.hasPrefix(".tote-drop-") }.sorted()
    }
  }

  /// The hidden folders of receivers.
  var hidden: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasPrefix(".tote-drop-") }
    }
  }

  func bytes(_ name: String) throws -> [UInt8] { try readBytes("\(folder)/\(name)") }

  /// All events up to the end.
  func events() async -> [DropEvent] {
    var all: [DropEvent] = []
    for await event in receiver.events { all.append(event) }
    return all
  }
}

/// Bytes that no compression makes smaller and that differ with the seed.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  return (0..<count).map { _ in
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return UInt8(truncatingIfNeeded: state)
  }
}

func sha256(_ bytes: [UInt8]) -> String {
  var digest = SHA256()
  digest.update(bytes)
  return hexadecimal(digest.finish())
}
