import Core
import HTTP

/// `_partition/{partition}`: a part of a database's documents, as if there were no others.
extension DatabaseHandler {
  func partition(_ segments: [String]) async throws -> HTTPResponse {
    try require(.read)
    guard segments.count > 1 else { throw Refusal.badRequest("partition name is missing") }
    let name = segments[1]
    if let reason = Partition.objection(to: name) {
      throw Refusal(400, "illegal_partition", reason)
    }
    guard store.isPartitioned else { throw Refusal.badRequest("database is not partitioned") }
    guard segments.count > 2 else {
      try request.allow(.get, .head)
      return try information(ofPartition: name)
    }
    switch (segments[2], segments.count) {
    case ("_all_docs", 3):
      return try await list(
        prefix: Partition.prefix(name), limit: request.configuration.partitionQueryLimit)
    case ("_find", 3): return try await find(inPartition: name)
    case ("_explain", 3): return try await explain(inPartition: name)
    case ("_design", _):
      guard segments.count > 3 else { throw Refusal(404, "not_found", "missing") }
      // Without the design document there is no view to need JavaScript.
      _ = try store.document(DocumentID.designPrefix + segments[3])
      throw Refusal.notImplemented("Design functions")
    default: throw Refusal(404, "not_found", "missing")
    }
  }

  private func information(ofPartition name: String) throws -> HTTPResponse {
    let info = try store.info(ofPartition: name)
    return .json(
      200,
      [
        "db_name": .string(store.name),
        "sizes": [
          "active": .integer(Int64(info.activeSize)),
          "external": .integer(Int64(info.externalSize)),
        ],
        "partition": .string(name), "doc_count": .integer(Int64(info.documentCount)),
        "doc_del_count": .integer(Int64(info.deletedCount)),
      ])
  }

  /// The sizes in a database's information; those of a partitioned one are its partitions' sums.
  func sizes(_ info: StoreInfo) throws -> JSON {
    let file = Int64(info.fileSize)
    guard store.isPartitioned else {
      return ["file": .integer(file), "external": .integer(file), "active": .integer(file)]
    }
    let total = try store.totalSizes()
    return [
      "file": .integer(file), "external": .integer(Int64(total.externalSize)),
      "active": .integer(Int64(total.activeSize)),
    ]
  }

  /// Refuses a listing of more rows than the settings allow for a partition.
  func restrict(_ wanted: inout ListRequest, to most: Int) throws {
    if let limit = wanted.limit, limit > most {
      throw Refusal(
        400, "query_parse_error", "Limit is too large, must not exceed \(most)")
    }
    wanted.limit = wanted.limit ?? most
  }
}
