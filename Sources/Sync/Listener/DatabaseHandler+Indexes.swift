import Core
import HTTP

/// Mango: `_index`.
extension DatabaseHandler {
  func index() async throws -> HTTPResponse {
    switch request.method {
    case .get, .head: return try listIndexes()
    case .post: return try await createIndex()
    default: throw Refusal.method(allowed: "GET,POST")
    }
  }

  private func listIndexes() throws -> HTTPResponse {
    try require(.read)
    let rows = [IndexDefinition.allDocumentsJSON] + (try store.indexes().map(\.json))
    let skip = try listNumber("skip") ?? 0
    let limit = try listNumber("limit") ?? rows.count
    guard skip >= 0, limit > 0 else { throw Self.invalidListNumber }
    return .json(
      200,
      [
        "total_rows": .integer(Int64(rows.count)),
        "indexes": .array(Array(rows.dropFirst(skip).prefix(limit))),
      ])
  }

  private func listNumber(_ name: String) throws -> Int? {
    guard let text = parameters[name] else { return nil }
    guard let number = Int(text) else { throw Self.invalidListNumber }
    return number
  }

  private static let invalidListNumber = Refusal(
    500, "invalid_list_index_params", "Index parameter ranges: limit > 1, skip > 0")

  private func createIndex() async throws -> HTTPResponse {
    try require(.administer)
    let body = try await request.object()
    let source = body["index"] ?? .null
    var asked = try IndexDefinition(json: .object(body))
    if store.isPartitioned, body["partitioned"] == nil { asked.isPartitioned = true }
    let definition = asked
    let creation = try await scanning { try $0.createIndexDocument(definition, source: source) }
    return .json(
      200,
      [
        "result": .string(creation.rawValue), "id": .string(definition.designDocument),
        "name": .string(definition.name),
      ])
  }

  /// `DELETE _index/_design/DDOC/json/NAME`, with or without `_design`, and `_index/_bulk_delete`.
  func indexMember(_ segments: [String]) async throws -> HTTPResponse {
    if segments.count == 2, segments[1] == "_bulk_delete" { return try await deleteIndexes() }
    guard request.method == .delete else { throw Refusal.method(allowed: "DELETE") }
    // In CouchDB members may, though they may not make one.
    try require(.write)
    var parts = segments.dropFirst()
    if parts.first == "_design" { parts.removeFirst() }
    let missing = Refusal(404, "not_found", "missing")
    guard parts.count == 3, let document = parts.first, let name = parts.last,
      let kind = IndexDefinition.Kind(rawValue: parts[parts.startIndex + 1])
    else { throw missing }
    do {
      try store.deleteIndex(name, designDocument: document, kind: kind)
    } catch StoreError.indexNotFound {
      throw missing
    }
    return .json(200, ["ok": true])
  }

  private func deleteIndexes() async throws -> HTTPResponse {
    guard request.method == .post else { throw Refusal.method(allowed: "POST") }
    try require(.write)
    let names = try Self.documentsToDelete(try await request.object())
    var deleted: [JSON] = []
    var failed: [JSON] = []
    for name in names {
      let id = DocumentID.isDesign(name) ? name : DocumentID.designPrefix + name
      do {
        try store.deleteIndexes(ofDesignDocument: id)
        deleted.append(["id": .string(id), "ok": true])
      } catch let error as StoreError {
        failed.append(["id": .string(id), "error": .string(error.couchDB.error)])
      }
    }
    // The last one comes first.
    return .json(
      200, ["success": .array(deleted.reversed()), "fail": .array(failed.reversed())])
  }

  private static func documentsToDelete(_ members: JSONObject) throws -> [String] {
    guard let list = members["docids"] else {
      throw Refusal(400, "missing_required_key", "Missing required key: docids")
    }
    if let (key, _) = members.first(where: { $0.key != "docids" && $0.key != "w" }) {
      throw Refusal(400, "invalid_key", "Invalid key \(key) for this request.")
    }
    guard case .array(let entries) = list else {
      throw Refusal(
        400, "invalid_bulk_docs",
        "Bulk Delete requires an array of non-null docids. Docids: \(list.serialized())")
    }
    return try entries.map { entry in
      guard let name = entry.stringValue else {
        throw Refusal(400, "invalid_index_name", "Invalid index name: \(entry.serialized())")
      }
      return name
    }
  }

  /// `GET _design/DDOC/_info`, of the indexes of a design document.
  func designInformation(_ id: String) throws -> HTTPResponse {
    guard request.method == .get || request.method == .head else {
      throw Refusal.method(allowed: "GET")
    }
    try require(.read)
    let document = try store.document(id, ReadOptions())
    let info = try store.info()
    var signature = SHA256()
    signature.update(document.body.bytes)
    let size: JSON = .integer(Int64(document.body.bytes.count))
    return .json(
      200,
      [
        "name": .string(String(id.dropFirst(DocumentID.designPrefix.count))),
        "view_index": [
          "updates_pending": ["minimum": 0, "preferred": 0, "total": 0],
          "waiting_commit": false, "waiting_clients": 0, "updater_running": false,
          "update_seq": .integer(Int64(info.lastSequence)),
          "sizes": ["file": size, "external": size, "active": size],
          "signature": .string(hexadecimal(signature.finish().prefix(16))), "purge_seq": 0,
          "language": document.body.members["language"] ?? "javascript",
          "compact_running": false, "collator_versions": [],
        ],
      ])
  }
}
