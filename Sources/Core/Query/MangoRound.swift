/// The stages in which CouchDB sorts out indexes for a query, for `_explain` to tell of.
struct MangoRound {
  /// An index with what decides between it and others.
  struct Ranked {
    let definition: IndexDefinition
    /// How many of the selector's ranges its leading columns leave out.
    let distance: Int
  }

  /// All there are, by design document and name.
  let indexes: [IndexDefinition]
  /// Without those whose filter nobody asked for.
  var offered: [IndexDefinition] = []
  /// Those that could answer.
  var usable: [IndexDefinition] = []
  var isAllDocumentsUsable = false
  /// Those of the usable ones that the request names.
  var named: [IndexDefinition] = []
  /// The ones the winner was chosen from, it first.
  var ranked: [Ranked] = []

  init(indexes: [IndexDefinition]) {
    self.indexes = indexes
  }

  /// The indexes that were not chosen, and why: `index_candidates`.
  ///
  /// Each stage's losers rank behind those of the stages after it.
  func candidates(
    fields: [FieldPath], reason: (IndexDefinition) -> String
  ) -> JSON {
    let losers = (named.isEmpty ? [] : usable.filter { !named.contains($0) })
    let readsIndex = !ranked.isEmpty
    let isUnfavoured = isAllDocumentsUsable && named.isEmpty && readsIndex
    let isExcluded = isAllDocumentsUsable && !named.isEmpty
    let unusable = offered.filter { !usable.contains($0) }
    let unfavouredRank = max(1, ranked.count)
    let excludedRank = unfavouredRank + (isUnfavoured ? 1 : 0)
    let unusableRank = excludedRank + (isExcluded || !losers.isEmpty ? 1 : 0)
    let partialRank = unusableRank + (unusable.isEmpty && isAllDocumentsUsable ? 0 : 1)
    var rows: [JSON] = []
    for definition in indexes.reversed() {
      let covering: JSON = .bool(definition.covers(fields))
      func row(_ isUsable: Bool, _ reason: String, _ rank: Int) {
        rows.append(Self.row(definition.json, isUsable, reason, rank, covering))
      }
      if let place = ranked.firstIndex(where: { $0.definition == definition }) {
        if place > 0 { row(true, whyBehind(ranked[place]), place) }
      } else if !offered.contains(definition) {
        row(false, "is_partial", partialRank)
      } else if !usable.contains(definition) {
        row(false, reason(definition), unusableRank)
      } else {
        row(true, "excluded_by_user", excludedRank)
      }
    }
    let all = IndexDefinition.allDocumentsJSON
    if isUnfavoured {
      rows.append(Self.row(all, true, "unfavored_type", unfavouredRank, .null))
    } else if isExcluded {
      rows.append(Self.row(all, true, "excluded_by_user", excludedRank, .null))
    } else if !isAllDocumentsUsable {
      rows.append(Self.row(all, false, "field_mismatch", unusableRank, .null))
    }
    return .array(rows)
  }

  private func whyBehind(_ loser: Ranked) -> String {
    if loser.distance > 0 { return "less_overlap" }
    let isWider = loser.definition.fields.count > ranked[0].definition.fields.count
    return isWider ? "too_many_fields" : "alphabetically_comes_after"
  }

  private static func row(
    _ index: JSON, _ isUsable: Bool, _ reason: String, _ rank: Int, _ covering: JSON
  ) -> JSON {
    [
      "index": index,
      "analysis": [
        "usable": .bool(isUsable), "reasons": [["name": .string(reason)]],
        "ranking": .integer(Int64(rank)), "covering": covering,
      ],
    ]
  }
}

extension MangoRound.Ranked: Comparable {
  static func < (a: Self, b: Self) -> Bool {
    if a.distance != b.distance { return a.distance < b.distance }
    if a.definition.fields.count != b.definition.fields.count {
      return a.definition.fields.count < b.definition.fields.count
    }
    return utf8Less(
      a.definition.designDocument + "\0" + a.definition.name,
      b.definition.designDocument + "\0" + b.definition.name)
  }
}
