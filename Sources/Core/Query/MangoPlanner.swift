/// CouchDB's own choice of the index that answers a query: what requests over HTTP are owed.
///
/// An index is usable where every column but `_id`, `_rev` and the fields of the sort is demanded by the
/// selector, and where its columns, after leading ones that the selector fixes, begin with the sort.
/// Of the usable ones the one wins whose leading columns leave the fewest of the selector's ranges
/// out; then the one with the fewest columns; then the first by design document and name. Its order is
/// the order of the answer. Without a usable index all documents are read by id, and a sort is refused.
///
/// Source: the behaviour recorded from CouchDB 3.5.0 in `Tests/CoreTests/Vectors/find_index.json`.
struct MangoPlanner {
  private let indexes: [IndexDefinition]
  private let collation: Collation
  private let request: FindRequest
  private let ranges: MangoRanges

  init(_ request: FindRequest, indexes: [IndexDefinition], collation: Collation) {
    self.indexes = indexes.filter { $0.kind == .json }
    self.collation = collation
    self.request = request
    ranges = MangoRanges(request.selector, collation)
  }

  /// The plan; one that is refused holds the error, since `_explain` answers all the same.
  ///
  /// - Throws: ``QueryError`` `invalid_index` when the index asked for cannot serve and no other may.
  func plan() throws(QueryError) -> QueryPlan {
    var round = MangoRound(indexes: indexes)
    round.offered = indexes.filter(isOffered)
    round.usable = round.offered.filter { reason(against: $0) == nil }
    round.isAllDocumentsUsable = isAllDocumentsUsable
    round.named = round.usable.filter(isNamed)
    guard !round.named.isEmpty || request.allowFallback else { throw refusedFallback }
    round.ranked = ranked(round.named.isEmpty ? round.usable : round.named)
    var plan: QueryPlan
    if let winner = round.ranked.first {
      plan = indexPlan(winner.definition)
    } else if round.isAllDocumentsUsable {
      plan = documentsPlan()
    } else {
      plan = .refused
    }
    plan.mango?.hints = ranges.hints(for: request.selector)
    plan.mango?.candidates = round.candidates(fields: request.fields) {
      reason(against: $0) ?? ""
    }
    return plan
  }

  // MARK: Which indexes may be used

  private func isNamed(_ definition: IndexDefinition) -> Bool {
    guard let choice = request.useIndex else { return false }
    return utf8Equal(definition.designDocument, choice.designDocument)
      && (choice.name.map { [name = definition.name] in utf8Equal($0, name) } ?? true)
  }

  /// An index with a filter serves only who names it.
  private func isOffered(_ definition: IndexDefinition) -> Bool {
    definition.partialFilter == .everything || isNamed(definition)
  }

  /// Why an index cannot be used; nil when it can.
  private func reason(against definition: IndexDefinition) -> String? {
    guard definition.isComplete else { return "field_mismatch" }
    let sort = Set(request.sort.map(\.path))
    let demanded = request.selector.root.demandedPaths
    let demandsAll = request.selector.root.demandsEveryPath
    let isDemanded = definition.fields.allSatisfy { field in
      demandsAll || field.path.isImplicit || sort.contains(field.path)
        || demanded.contains(field.path)
    }
    guard isDemanded else { return "field_mismatch" }
    return givesOrder(definition.fields.map(\.path)) ? nil : "sort_order_mismatch"
  }

  /// Whether the columns, after leading ones that are fixed, begin with the sort.
  private func givesOrder(_ columns: [FieldPath]) -> Bool {
    guard let first = request.sort.first?.path else { return true }
    for (index, column) in columns.enumerated() {
      guard column != first else {
        return columns.dropFirst(index).starts(with: request.sort.map(\.path))
      }
      guard isConstant(column) else { return false }
    }
    return false
  }

  /// Whether what the selector says first of a field is that it equals one value.
  private func isConstant(_ path: FieldPath) -> Bool {
    for case .field(path, let condition) in request.selector.root.conjuncts {
      guard case .equal = condition else { return false }
      return true
    }
    return false
  }

  private var isAllDocumentsUsable: Bool {
    guard let first = request.sort.first else { return true }
    return request.sort.count == 1 && first.path.isID && ranges.contains(first.path)
  }

  private var refusedFallback: QueryError {
    QueryError(
      code: "invalid_index",
      reason: request.useIndex.map {
        "\($0.description) specified by `use_index` could not be found or it is not suitable."
      } ?? "You must specify an index with the `use_index` parameter.")
  }

  private func ranked(_ definitions: [IndexDefinition]) -> [MangoRound.Ranked] {
    definitions.map {
      .init(definition: $0, distance: ranges.count - ranges.prefix(of: $0.fields.map(\.path)).count)
    }.sorted()
  }

  // MARK: Plans

  private func indexPlan(_ definition: IndexDefinition) -> QueryPlan {
    // The index holds only documents that have its fields: the answer is of those.
    var selector = request.selector.and(definition.partialFilter)
    for field in definition.fields where !field.path.isImplicit {
      selector = selector.and(Selector(root: .field(field.path, .exists(true))))
    }
    guard let match = IndexMatch(definition, selector, request, collation) else {
      preconditionFailure("an index serves a selector that demands all of its fields")
    }
    var plan = match.plan
    plan.servesSort = true
    plan.keyPrefix = []
    plan.warnings = warnings(using: definition)
    complete(&plan, ranges.prefix(of: definition.fields.map(\.path)), definition)
    return plan
  }

  private func documentsPlan() -> QueryPlan {
    var plan = QueryPlanner(indexes: [], collation: collation).documentsPlan(for: request)
    plan.warnings = warnings(using: nil) + [QueryPlan.noIndexWarning]
    complete(&plan, ranges.prefix(of: [.identifier]), nil)
    return plan
  }

  private func complete(
    _ plan: inout QueryPlan, _ prefix: [ValueRange], _ definition: IndexDefinition?
  ) {
    let isEmpty = ranges.isEmpty(prefix, request.selector)
    if isEmpty { plan.source = .nothing }
    let bounds: MangoBounds =
      isEmpty
      ? .nothing
      : definition == nil
        ? MangoBounds(ofIDs: prefix, isDescending: plan.isDescending)
        : MangoBounds(prefix, isDescending: plan.isDescending)
    plan.mango = MangoChoice(
      definition: definition, bounds: bounds, isEmpty: isEmpty,
      isCovering: definition?.covers(request.fields, of: request.selector) ?? false)
  }

  private func warnings(using definition: IndexDefinition?) -> [String] {
    guard let choice = request.useIndex, !(definition.map(isNamed) ?? false) else { return [] }
    return [QueryPlan.unusedWarning(choice)]
  }
}

extension SelectorNode {
  /// CouchDB takes an empty `$or` for a demand of all fields there are.
  fileprivate var demandsEveryPath: Bool {
    self == .nothing
      || conjuncts.contains { if case .or(let parts) = $0 { parts.isEmpty } else { false } }
  }
}

extension IndexDefinition {
  /// Whether the index alone, without the documents, holds what a query asks for.
  fileprivate func covers(_ shown: [FieldPath], of selector: Selector) -> Bool {
    covers(shown) && covers(Array(selector.root.paths.union([.identifier])))
  }

  /// Whether it holds these paths; CouchDB's answer for none is no.
  func covers(_ paths: [FieldPath]) -> Bool {
    let columns = Set(fields.map(\.path)).union([.identifier])
    return !paths.isEmpty && paths.allSatisfy(columns.contains)
  }
}
