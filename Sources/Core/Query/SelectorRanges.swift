/// The values a selector leaves possible for one path, as far as an index can use it.
struct ValueRange {
  /// One end of the range.
  struct Bound: Hashable {
    var value: JSON
    var isInclusive: Bool
  }

  var lower: Bound?
  var upper: Bound?
  /// The string every value begins with.
  var prefix: String?
  /// The values, or elements of arrays, of which one must be.
  var alternatives: [JSON]?

  /// The one value that is possible.
  func onlyValue(_ collation: Collation) -> JSON? {
    guard let lower, let upper, lower.isInclusive, upper.isInclusive,
      collation.compare(lower.value, upper.value) == 0
    else { return nil }
    return lower.value
  }

  /// Whether nothing is possible.
  func isEmpty(_ collation: Collation) -> Bool {
    if alternatives?.isEmpty == true { return true }
    guard let lower, let upper else { return false }
    let order = collation.compare(lower.value, upper.value)
    return order > 0 || (order == 0 && !(lower.isInclusive && upper.isInclusive))
  }

  /// Narrows the range by a condition; false when the condition is of no use to an index.
  mutating func narrow(by condition: SelectorCondition, _ collation: Collation) -> Bool {
    switch condition {
    case .equal(let value):
      raise(to: Bound(value: value, isInclusive: true), collation)
      lower(to: Bound(value: value, isInclusive: true), collation)
    case .greater(let value): raise(to: Bound(value: value, isInclusive: false), collation)
    case .greaterOrEqual(let value): raise(to: Bound(value: value, isInclusive: true), collation)
    case .less(let value): lower(to: Bound(value: value, isInclusive: false), collation)
    case .lessOrEqual(let value): lower(to: Bound(value: value, isInclusive: true), collation)
    case .beginsWith(let text) where collation == .codePoint && prefix == nil: prefix = text
    case .oneOf(let values) where alternatives == nil: alternatives = values
    default: return false
    }
    return true
  }

  private mutating func raise(to bound: Bound, _ collation: Collation) {
    if let lower {
      let order = collation.compare(bound.value, lower.value)
      guard order > 0 || (order == 0 && !bound.isInclusive) else { return }
    }
    lower = bound
  }

  private mutating func lower(to bound: Bound, _ collation: Collation) {
    if let upper {
      let order = collation.compare(bound.value, upper.value)
      guard order < 0 || (order == 0 && !bound.isInclusive) else { return }
    }
    upper = bound
  }
}

extension SelectorNode {
  /// The parts that must all hold.
  var conjuncts: [SelectorNode] {
    switch self {
    case .and(let parts): parts.flatMap(\.conjuncts)
    case .everything: []
    default: [self]
    }
  }

  /// The paths that every matching document has a value at.
  var demandedPaths: Set<FieldPath> {
    switch self {
    case .field(_, .exists(false)): []
    case .field(let path, _): [path]
    case .and(let parts): parts.reduce(into: []) { $0.formUnion($1.demandedPaths) }
    case .or(let parts):
      parts.dropFirst().reduce(parts.first?.demandedPaths ?? []) {
        $0.intersection($1.demandedPaths)
      }
    default: []
    }
  }

  /// The words of `$text`, where they are demanded.
  var demandedText: String? {
    for case .text(let words) in conjuncts { return words }
    return nil
  }

  /// How often `$text` occurs.
  var textCount: Int {
    switch self {
    case .text: 1
    case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.textCount }
    case .not(let part): part.textCount
    default: 0
    }
  }
}
