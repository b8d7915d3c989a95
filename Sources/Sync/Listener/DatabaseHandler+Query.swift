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

  func find(inPartition partition: String? = nil) async throws -> HTTPResponse {
    var asked = try await findRequest()
    if let partition { asked.restrict(toPartition: partition) }
    let wanted = asked
    return .json(200, bytes: try await scanning { try Self.answer(wanted, from: $0) })
  }

  private static func answer(_ wanted: FindRequest, from store: LocalStore) throws -> [UInt8] {
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
    return buffer.bytes()
  }

  func explain(inPartition partition: String? = nil) async throws -> HTTPResponse {
    var wanted = try await findRequest()
    let asked = wanted.selector.json
    if let partition { wanted.restrict(toPartition: partition) }
    let json = try store.explain(wanted).json(for: wanted, database: store.name)
    guard var members = json.objectValue else { return .json(200, json) }
    // What was asked for is shown, not what was made of it.
    members["selector"] = asked
    return .json(200, .object(members))
  }
}
