import Core
import HTTP
import Testing

/// A database of a listener, asked with plain requests.
struct RawDatabase {
  let listener: RunningListener
  let name: String

  /// Makes the database, and documents in it.
  init(_ listener: RunningListener, _ name: String = "db", _ documents: JSON...) async throws {
    self.listener = listener
    self.name = name
    let made = try await send(.put, "")
    try #require(made.status == 201)
    if !documents.isEmpty {
      let written = try await send(.post, "/_bulk_docs", ["docs": .array(documents)])
      try #require(written.status == 201)
    }
  }

  /// Sends a request for a path below the database; the body goes as JSON.
  @discardableResult
  func send(
    _ method: HTTPMethod, _ path: String, _ body: JSON? = nil
  ) async throws -> (status: Int, json: JSON) {
    var request = HTTPClientRequest(
      method, try WebURL("\(listener.url)/\(name)\(path)"),
      headers: ["Content-Type": "application/json"])
    if let body { request.body = .bytes(body.serializedBytes()) }
    let response = try await listener.client.send(request)
    let bytes = try await response.bytes()
    return (response.status, (try? JSON(parsing: bytes)) ?? .null)
  }

  /// Makes an index.
  func index(
    _ fields: JSON, ddoc: String? = nil, name: String? = nil, filter: JSON? = nil
  ) async throws {
    var definition: JSONObject = ["fields": fields]
    definition["partial_filter_selector"] = filter
    var body: JSONObject = ["index": .object(definition)]
    body["ddoc"] = ddoc.map { .string($0) }
    body["name"] = name.map { .string($0) }
    let answer = try await send(.post, "/_index", .object(body))
    try #require(answer.status == 200, "\(answer.json)")
  }

  /// The ids that a query finds, in order.
  func ids(_ selector: JSON, _ options: JSONObject = [:]) async throws -> [String] {
    let answer = try await find(selector, options)
    return (answer["docs"]?.arrayValue ?? []).compactMap { $0["_id"]?.stringValue }
  }

  func find(_ selector: JSON, _ options: JSONObject = [:]) async throws -> JSON {
    try await ask("/_find", selector, options)
  }

  func explain(_ selector: JSON, _ options: JSONObject = [:]) async throws -> JSON {
    try await ask("/_explain", selector, options)
  }

  /// The status and the error word of a query that is refused.
  func refusal(_ selector: JSON, _ options: JSONObject) async throws -> String {
    let answer = try await send(.post, "/_find", Self.body(selector, options))
    return "\(answer.status) \(answer.json["error"]?.stringValue ?? "")"
  }

  private func ask(_ path: String, _ selector: JSON, _ options: JSONObject) async throws -> JSON {
    let answer = try await send(.post, path, Self.body(selector, options))
    try #require(answer.status == 200, "\(answer.json)")
    return answer.json
  }

  private static func body(_ selector: JSON, _ options: JSONObject) -> JSON {
    var body = options
    body["selector"] = selector
    return .object(body)
  }
}
