/// Chooses how a query is answered.
///
/// An index never changes which documents are found nor their order: it is used only where the
/// selector demands every indexed field (an index holds no document that lacks one), and where it does
/// not give the order, the matches are sorted.
struct QueryPlanner {
  let indexes: [IndexDefinition]
  let collation: Collation

  func plan(_ request: FindRequest) throws(QueryError) -> QueryPlan {
    let selector = request.selector
    guard selector.root.textCount + (request.text == nil ? 0 : 1) <= 1 else {
      throw QueryError(
        code: "multiple_text_selector",
        reason: "Selector cannot contain more than one $text operator: "
          + ErlangTerm.compact(request.selector.json))
    }
    if let words = request.text ?? selector.root.demandedText {
      return try textPlan(words, selector, request)
    }
    guard selector.root.textCount == 0 else {
      throw QueryError(
        code: "bad_arg", reason: "$text must hold for the whole query, not for a part of it.")
    }
    var warnings: [String] = []
    if let choice = request.useIndex {
      if let plan = chosenPlan(choice, selector, request) { return plan }
      guard request.allowFallback else {
        throw QueryError(
          code: "invalid_index",
          reason: "\(choice.description) specified by `use_index` could not be found or it is not "
            + "suitable.")
      }
      warnings.append(QueryPlan.unusedWarning(choice))
    }
    if let plan = bestPlan(selector, request, warnings) { return plan }
    guard request.allowFallback else {
      throw QueryError(
        code: "invalid_index",
        reason: "You must specify an index with the `use_index` parameter.")
    }
    return documentsPlan(selector, request, warnings)
  }

  /// The plan that uses no index though one could serve.
  func documentsPlan(for request: FindRequest) -> QueryPlan {
    var plan = documentsPlan(request.selector, request, [])
    plan.warnings = []
    return plan
  }

  private func chosenPlan(
    _ choice: FindRequest.IndexChoice, _ selector: Selector, _ request: FindRequest
  ) -> QueryPlan? {
    let candidates = indexes.filter {
      utf8Equal($0.designDocument, choice.designDocument)
        && (choice.name.map { [name = $0.name] in utf8Equal($0, name) } ?? true)
        && $0.kind == .json
    }
    return best(
      candidates.compactMap { definition in
        // Naming an index with a filter asks for what it holds only.
        IndexMatch(
          definition, selector.and(definition.partialFilter), request, collation)
      }, isForced: true)?.plan
  }

  private func bestPlan(
    _ selector: Selector, _ request: FindRequest, _ warnings: [String]
  ) -> QueryPlan? {
    let conjuncts = Set(selector.root.conjuncts)
    let candidates = indexes.filter { definition in
      definition.kind == .json
        && definition.partialFilter.root.conjuncts.allSatisfy(conjuncts.contains)
    }
    let matches = candidates.compactMap { IndexMatch($0, selector, request, collation) }
    guard var plan = best(matches, isForced: false)?.plan else { return nil }
    plan.warnings = warnings
    return plan
  }

  private func best(_ matches: [IndexMatch], isForced: Bool) -> IndexMatch? {
    matches.filter { isForced || $0.isWorthwhile }.min { a, b in
      if a.score != b.score { return a.score > b.score }
      if a.definition.fields.count != b.definition.fields.count {
        return a.definition.fields.count < b.definition.fields.count
      }
      return utf8Less(
        a.definition.designDocument + "/" + a.definition.name,
        b.definition.designDocument + "/" + b.definition.name)
    }
  }

  private func textPlan(
    _ words: String, _ selector: Selector, _ request: FindRequest
  ) throws(QueryError) -> QueryPlan {
    let conjuncts = Set(selector.root.conjuncts)
    let candidates = indexes.filter {
      $0.kind == .text && $0.partialFilter.root.conjuncts.allSatisfy(conjuncts.contains)
    }
    let chosen = candidates.first { definition in
      guard let choice = request.useIndex else { return true }
      return utf8Equal(definition.designDocument, choice.designDocument)
        && (choice.name.map { utf8Equal($0, definition.name) } ?? true)
    }
    guard let definition = chosen ?? candidates.first else {
      throw QueryError(
        code: "no_usable_index", reason: "There is no text index to look for words in.",
        hint: "make one: tote store index create STORE FIELD --text")
    }
    var plan = documentsPlan(selector, request, [])
    if case .nothing = plan.source { return plan }
    plan.source = .text(definition)
    plan.text = words
    plan.warnings = []
    let rest = SelectorNode.conjunction(
      selector.root.conjuncts.filter { if case .text = $0 { false } else { true } })
    plan.residual = rest == .everything ? nil : Selector(root: rest)
    return plan
  }

  /// All documents, or those whose ids the selector leaves possible.
  private func documentsPlan(
    _ selector: Selector, _ request: FindRequest, _ warnings: [String]
  ) -> QueryPlan {
    var range = ValueRange()
    var rest: [SelectorNode] = []
    for conjunct in selector.root.conjuncts {
      // Ids are strings and no arrays, and are compared as bytes.
      if case .field(let path, let condition) = conjunct, path.isID,
        range.narrow(by: condition, .codePoint)
      {
        continue
      }
      rest.append(conjunct)
    }
    let isSortedByID = request.sort.isEmpty || request.sort.first?.path.isID == true
    var plan = QueryPlan(
      source: .documents, residual: rest.isEmpty ? nil : Selector(root: .conjunction(rest)),
      servesSort: isSortedByID, isDescending: request.sort.first?.isDescending ?? false,
      warnings: warnings + [QueryPlan.noIndexWarning], startKey: [], endKey: [])
    if selector.root == .nothing || range.isEmpty(.codePoint) { plan.source = .nothing }
    plan.idRanges = Self.idRanges(range)
    if plan.idRanges.isEmpty,
      range.lower != nil || range.upper != nil || range.prefix != nil
        || range.alternatives != nil
    {
      plan.source = .nothing
    }
    if let lower = range.lower { plan.startKey = [lower.value] }
    if let upper = range.upper { plan.endKey = [upper.value] }
    return plan
  }

  /// The ids in a range; none when no string is in it.
  ///
  /// One range without ends for no range at all.
  private static func idRanges(_ range: ValueRange) -> [QueryPlan.IDRange] {
    func successor(_ id: String) -> [UInt8] { Array(id.utf8) + [0] }
    var lower: [UInt8] = []
    var upper: [UInt8]?
    if let bound = range.lower {
      switch bound.value {
      case .string(let id): lower = bound.isInclusive ? Array(id.utf8) : successor(id)
      case .array, .object: return []
      default: break
      }
    }
    if let bound = range.upper {
      switch bound.value {
      case .string(let id): upper = bound.isInclusive ? successor(id) : Array(id.utf8)
      case .array, .object: break
      default: return []
      }
    }
    if let prefix = range.prefix {
      let start = Array(prefix.utf8)
      if lower.lexicographicallyPrecedes(start) { lower = start }
      // No byte of UTF-8 is 255.
      let end = start + [0xFF]
      upper = upper.map { $0.lexicographicallyPrecedes(end) ? $0 : end } ?? end
    }
    guard let alternatives = range.alternatives else {
      return [QueryPlan.IDRange(lower: lower, upper: upper)]
    }
    let ids = Set(alternatives.compactMap { $0.stringValue.map(UTF8Key.init) }).sorted()
    return ids.map(\.string).filter { id in
      !Array(id.utf8).lexicographicallyPrecedes(lower)
        && (upper.map { Array(id.utf8).lexicographicallyPrecedes($0) } ?? true)
    }.map { QueryPlan.IDRange(lower: Array($0.utf8), upper: successor($0)) }
  }
}
