import Core
import HTTP

/// Mango: `_find` and `_explain`.
extension DatabaseHandler {
  func query(_ segments: [String]) async throws -> HTTPResponse {
    switch (segments[0], segments.count) {
    case ("_find", 1): return try await find()
    case ("_explain", 1): return try await explain()
    case ("_index", 1): return try await index()
    case ("_index", _): return try await indexMember(segments)
    default: throw StoreError.documentNotFound(id: segments.joined(separator: "/"), .missing)
    }
  }

  private func findRequest() async throws -> FindRequest {
    guard request.method == .post else { throw Refusal.method(allowed: "POST") }
    try require(.read)
    try request.requireJSONType()
    return try FindRequest(json: try await request.json())
  }

  private func find() async throws -> HTTPResponse {
    let wanted = try await findRequest()
    var buffer = ByteBuffer(capacity: 1 << 14)
    buffer.append(literal: "{\"docs\":[")
    var isFirst = true
    let summary = try store.find(wanted) { found in
      if !isFirst { buffer.append(literal: ",\n") }
      isFirst = false
      found.append(to: &buffer)
      return true
    }
    buffer.append(literal: "]")
    for (key, value) in summary.json(withStatistics: wanted.executionStatistics) {
      buffer.append(literal: ",")
      buffer.appendJSONString(key)
      buffer.append(literal: ":")
      buffer.append(value)
    }
    buffer.append(literal: "}")
    return .json(200, bytes: buffer.bytes())
  }

  private func explain() async throws -> HTTPResponse {
    let wanted = try await findRequest()
    return .json(200, try store.explain(wanted).json(for: wanted, database: store.name))
  }
}
