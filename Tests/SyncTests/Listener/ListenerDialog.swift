import Core
import HTTP
import TestSupport

/// What a listener said to a raw request.
struct ListenerReply {
  let status: Int
  let headers: HTTPHeaders
  let bytes: [UInt8]

  var json: JSON { (try? JSON(parsing: bytes)) ?? .null }
  var text: String { String(decoding: bytes, as: UTF8.self) }
  var reason: String? { json["reason"]?.stringValue }
  var error: String? { json["error"]?.stringValue }

  /// The ids of a listing's rows.
  var ids: [String] { (json["rows"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue } }
}

extension RunningListener {
  /// Sends a request as it stands, and reads the answer.
  @discardableResult
  func ask(
    _ method: HTTPMethod, _ target: String, _ body: JSON? = nil, text: String? = nil,
    headers: HTTPHeaders = HTTPHeaders()
  ) async throws -> ListenerReply {
    var request = HTTPClientRequest(method, try WebURL("\(url)\(target)"), headers: headers)
    request.maximumRedirects = 0
    if let body {
      request.headers["Content-Type"] = headers["Content-Type"] ?? "application/json"
      request.body = .bytes(body.serializedBytes())
    } else if let text {
      request.body = .bytes(Array(text.utf8))
    }
    let response = try await client.send(request)
    return ListenerReply(
      status: response.status, headers: response.headers, bytes: try await response.bytes())
  }
}
