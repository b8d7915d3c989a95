/// What CouchDB tells of its choice of an index, beside the plan itself.
struct MangoChoice: Sendable {
  /// The index; nil for all documents, and where the query is refused.
  var definition: IndexDefinition?
  var bounds: MangoBounds
  /// Whether CouchDB answers without looking, and without a bookmark.
  var isEmpty = false
  /// Whether the index holds all that is asked for.
  var isCovering = false
  /// Why the query is refused.
  var refusal: QueryError?
  var candidates: JSON = []
  var hints: JSON = []
}

extension QueryPlan {
  /// The plan of a sort that no index serves.
  static var refused: QueryPlan {
    var plan = QueryPlan(
      source: .nothing, residual: nil, servesSort: false, isDescending: false, warnings: [],
      startKey: [], endKey: [])
    plan.mango = MangoChoice(bounds: .nothing)
    plan.mango?.refusal = QueryError(
      code: "no_usable_index",
      reason: "No index exists for this sort, try indexing by the sort fields.")
    return plan
  }

  /// The fields that a bookmark's key is of.
  ///
  /// Where the order is an index's, whatever was asked for, a bookmark is good for that index only.
  func order(of request: FindRequest) -> [SortField] {
    guard mango != nil, case .index(let definition) = source else { return request.sort }
    return definition.fields.map { SortField($0.path, isDescending: isDescending) }
  }

  static func unusedWarning(_ choice: FindRequest.IndexChoice) -> String {
    "\(choice.description) was not used because it "
      + (choice.name == nil
        ? "does not contain a valid index for this query."
        : "is not a valid index for this query.")
  }

  /// The index that serves the query, as lists show it; null when none may.
  public var indexJSON: JSON {
    if let mango {
      return mango.refusal == nil
        ? mango.definition?.json ?? IndexDefinition.allDocumentsJSON : .null
    }
    return switch source {
    case .index(let definition), .text(let definition): definition.json
    case .nothing, .documents: IndexDefinition.allDocumentsJSON
    }
  }

  /// The answer of `POST /{db}/_explain`.
  ///
  /// - Parameters:
  ///   - request: the query that was planned.
  ///   - database: the database's name.
  /// - Returns: CouchDB's members; those on candidates only for a request that follows its choice.
  public func json(for request: FindRequest, database: String) -> JSON {
    let fields: JSON = .array(request.fields.map { .string($0.text) })
    let limit: JSON = request.limit.map { .integer(Int64($0)) } ?? .null
    var members: JSONObject = [
      "dbname": .string(database), "index": indexJSON,
      "partitioned": .bool(request.partition != nil),
      "selector": request.selector.json, "opts": options(of: request), "limit": limit,
      "skip": .integer(Int64(request.skip)), "fields": fields,
    ]
    if let mango {
      members["index_candidates"] = mango.candidates
      members["selector_hints"] = mango.hints
    }
    if mango?.refusal == nil {
      members["mrargs"] = viewArguments(request)
      members["covering"] = .bool(mango?.isCovering ?? false)
    }
    return .object(members)
  }

  private func options(of request: FindRequest) -> JSON {
    var sort = JSONObject()
    for field in request.sort { sort[field.path.text] = field.isDescending ? "desc" : "asc" }
    let view = request.viewOptions
    return [
      "use_index": .array((request.useIndex?.written ?? []).map { .string($0) }),
      "bookmark": .string(request.bookmark ?? "nil"),
      "limit": request.limit.map { .integer(Int64($0)) } ?? .null,
      "skip": .integer(Int64(request.skip)), "sort": .object(sort),
      "fields": .array(request.fields.map { .string($0.text) }),
      "partition": .string(request.partition ?? ""),
      "r": .integer(view.readQuorum), "conflicts": .bool(request.conflicts),
      "stale": view.isStaleOK ? "ok" : false, "update": .bool(view.updates),
      "stable": .bool(view.isStable), "execution_stats": .bool(request.executionStatistics),
      "allow_fallback": .bool(request.allowFallback),
    ]
  }

  private func viewArguments(_ request: FindRequest) -> JSON {
    let view = request.viewOptions
    return [
      "include_docs": .bool(!(mango?.isCovering ?? false) && view.readQuorum == 1),
      "view_type": "map", "reduce": false,
      "partition": request.partition.map { .string($0) } ?? .null,
      "start_key": mango?.bounds.startKey ?? bound(startKey, end: nil),
      "end_key": mango?.bounds.endKey ?? bound(endKey, end: "<MAX>"),
      "direction": isDescending ? "rev" : "fwd", "stable": .bool(view.isStable || view.isStaleOK),
      "update": .bool(view.updates && !view.isStaleOK),
      "conflicts": request.conflicts ? true : "undefined",
    ]
  }

  /// Ranges of ids are no arrays, and open ends have words of their own.
  private func bound(_ values: [JSON], end: JSON?) -> JSON {
    if case .index = source { return .array(values + (end.map { [$0] } ?? [])) }
    return values.first ?? end ?? .null
  }
}
