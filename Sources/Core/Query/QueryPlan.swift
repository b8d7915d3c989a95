/// How the store will answer a query.
public struct QueryPlan: Sendable {
  /// Where candidates come from.
  public enum Source: Sendable, Hashable {
    /// The selector cannot hold.
    case nothing
    /// All documents, or those in ranges of ids.
    case documents
    /// Ranges of an index.
    case index(IndexDefinition)
    /// Matches of a text index.
    case text(IndexDefinition)
  }

  /// A range of an index's keys: from `lower`, up to but not including `upper`.
  struct KeyRange: Sendable, Hashable {
    var lower: [UInt8]
    var upper: [UInt8]
  }

  /// A range of ids: from `lower`, up to but not including `upper`.
  struct IDRange: Sendable, Hashable {
    var lower: [UInt8]
    var upper: [UInt8]?
  }

  /// Where candidates come from.
  public var source: Source
  /// What candidates are tested for; nil when the ranges say it all.
  public var residual: Selector?
  /// Whether the source's order is the one asked for.
  public var servesSort: Bool
  /// The direction in which the source, or the sort, is read.
  public var isDescending: Bool
  /// What a person should know: that no index serves the query, that one named could not be used.
  public var warnings: [String]
  /// Smallest and greatest values of the range, one for each bound field, as `_explain` shows them.
  public var startKey: [JSON]
  /// See `startKey`.
  public var endKey: [JSON]

  var keyRanges: [KeyRange] = []
  var idRanges: [IDRange] = []
  /// The bytes before the sort key in keys of the index, when it serves the sort.
  var keyPrefix: [UInt8] = []
  /// The words for the text index.
  var text: String?

  static let noIndexWarning =
    "No matching index found, create an index to optimize query time."
  static let examinedWarning =
    "The number of documents examined is high in proportion to the number of results returned. "
    + "Consider adding a more specific index to improve this."
}

extension QueryPlan {
  /// The index that serves the query, as lists show it.
  public var indexJSON: JSON {
    switch source {
    case .index(let definition), .text(let definition): definition.json
    case .nothing, .documents: IndexDefinition.allDocumentsJSON
    }
  }

  /// The answer of `POST /{db}/_explain`.
  ///
  /// - Parameters:
  ///   - request: the query that was planned.
  ///   - database: the database's name.
  /// - Returns: CouchDB's members, without the candidates that were not chosen.
  public func json(for request: FindRequest, database: String) -> JSON {
    let fields: JSON = .array(request.fields.map { .string($0.text) })
    let limit: JSON = request.limit.map { .integer(Int64($0)) } ?? .null
    var sort = JSONObject()
    for field in request.sort { sort[field.path.text] = field.isDescending ? "desc" : "asc" }
    var use: [JSON] = []
    if let choice = request.useIndex {
      use = [.string(choice.designDocument)]
      if let name = choice.name { use.append(.string(name)) }
    }
    return [
      "dbname": .string(database), "index": indexJSON, "partitioned": false,
      "selector": request.selector.json,
      "opts": [
        "use_index": .array(use), "bookmark": .string(request.bookmark ?? "nil"), "limit": limit,
        "skip": .integer(Int64(request.skip)), "sort": .object(sort), "fields": fields,
        "partition": "", "r": 1, "conflicts": .bool(request.conflicts), "stale": false,
        "update": true, "stable": false,
        "execution_stats": .bool(request.executionStatistics),
        "allow_fallback": .bool(request.allowFallback),
      ],
      "limit": limit, "skip": .integer(Int64(request.skip)), "fields": fields,
      "mrargs": [
        "include_docs": true, "view_type": "map", "reduce": false, "partition": nil,
        "start_key": bound(startKey, end: nil), "end_key": bound(endKey, end: "<MAX>"),
        "direction": isDescending ? "rev" : "fwd", "stable": false, "update": true,
        "conflicts": "undefined",
      ],
      "covering": false,
    ]
  }

  /// Ranges of ids are no arrays, and open ends have words of their own.
  private func bound(_ values: [JSON], end: JSON?) -> JSON {
    if case .index = source { return .array(values + (end.map { [$0] } ?? [])) }
    return values.first ?? end ?? .null
  }
}
