import Core
import HTTP

/// Mango: `_find`, `_explain` and `_index`.
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
    return try FindRequest(json: .object(try await request.object()))
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

  // MARK: Indexes

  private func index() async throws -> HTTPResponse {
    switch request.method {
    case .get, .head:
      try require(.read)
      let indexes = try store.indexes()
      let rows = [IndexDefinition.allDocumentsJSON] + indexes.map(\.json)
      return .json(
        200, ["total_rows": .integer(Int64(rows.count)), "indexes": .array(rows)])
    case .post:
      try require(.administer)
      let definition = try IndexDefinition(json: .object(try await request.object()))
      let creation = try store.createIndex(definition)
      return .json(
        200,
        [
          "result": .string(creation.rawValue), "id": .string(definition.designDocument),
          "name": .string(definition.name),
        ])
    default: throw Refusal.method(allowed: "GET,POST")
    }
  }

  /// `DELETE _index/_design/DDOC/json/NAME`, with or without `_design`, and `_index/_bulk_delete`.
  private func indexMember(_ segments: [String]) async throws -> HTTPResponse {
    if segments.count == 2, segments[1] == "_bulk_delete" { return try await deleteIndexes() }
    guard request.method == .delete else { throw Refusal.method(allowed: "DELETE") }
    // In CouchDB members may, though they may not make one.
    try require(.write)
    var rest = segments.dropFirst()
    if rest.first == "_design" { rest.removeFirst() }
    let parts = Array(rest)
    guard parts.count == 3, ["json", "text"].contains(parts[1]) else {
      throw Refusal(404, "not_found", "missing")
    }
    do {
      try store.deleteIndex(parts[2], designDocument: parts[0])
    } catch StoreError.indexNotFound {
      throw Refusal(404, "not_found", "missing")
    }
    return .json(200, ["ok": true])
  }

  private func deleteIndexes() async throws -> HTTPResponse {
    guard request.method == .post else { throw Refusal.method(allowed: "POST") }
    try require(.write)
    guard case .array(let names)? = try await request.object()["docids"] else {
      throw Refusal.badRequest("`docids` must be an array of strings.")
    }
    var deleted: [JSON] = []
    var failed: [JSON] = []
    for name in names.compactMap(\.stringValue) {
      do {
        try store.deleteIndexes(ofDesignDocument: name)
        deleted.append(["id": .string(name), "ok": true])
      } catch let error as StoreError {
        failed.append(["id": .string(name), "error": .string(error.couchDB.error)])
      }
    }
    return .json(200, ["success": .array(deleted), "fail": .array(failed)])
  }
}
