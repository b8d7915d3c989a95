/// How well one index serves a query.
struct IndexMatch {
  let definition: IndexDefinition
  let plan: QueryPlan
  let score: Int
  /// Whether using it is better than reading all documents.
  let isWorthwhile: Bool

  /// Nil when the index may not be used: it lacks documents that could match.
  init?(
    _ definition: IndexDefinition, _ selector: Selector, _ request: FindRequest,
    _ collation: Collation
  ) {
    let demanded = selector.root.demandedPaths
    guard
      selector.root == .nothing
        || definition.fields.allSatisfy({ $0.path.isImplicit || demanded.contains($0.path) })
    else {
      return nil
    }
    self.definition = definition
    var builder = KeyRangeBuilder(definition, selector, collation)
    builder.build()
    let order = Self.order(definition, request.sort, equalities: builder.equalities)
    // Keys of several ranges are not read in one order.
    let servesSort = order != nil && builder.ranges.count == 1
    var plan = QueryPlan(
      source: builder.isEmpty ? .nothing : .index(definition), residual: builder.residual,
      servesSort: servesSort, isDescending: request.sort.first?.isDescending ?? false,
      warnings: [], startKey: builder.startKey, endKey: builder.endKey)
    plan.keyRanges = builder.ranges
    if servesSort, let order { plan.keyPrefix = builder.prefixes[order] }
    self.plan = plan
    isWorthwhile = builder.boundFields > 0 || servesSort || builder.isEmpty
    score =
      builder.equalities * 10 + (builder.boundFields > builder.equalities ? 5 : 0)
      + (servesSort ? 3 : 0) + builder.mentionedFields
  }

  /// The number of leading fields, each fixed to one value, after which the index's order is the
  /// sort; nil when it is not.
  private static func order(
    _ definition: IndexDefinition, _ sort: [SortField], equalities: Int
  ) -> Int? {
    let skipped = definition.fields.count - sort.count
    guard !sort.isEmpty, skipped >= 0, skipped <= equalities,
      Set(sort.map(\.isDescending)).count == 1
    else { return nil }
    let matches = zip(definition.fields.dropFirst(skipped), sort).allSatisfy {
      $0.path == $1.path
    }
    return matches ? skipped : nil
  }
}

/// Makes ranges of an index's keys from a selector.
private struct KeyRangeBuilder {
  /// More ranges than this are not bound to one statement.
  private static let maximumAlternatives = 4000

  private let definition: IndexDefinition
  private let collation: Collation
  private let conjuncts: [SelectorNode]
  private var used: Set<Int> = []

  private(set) var ranges: [QueryPlan.KeyRange] = []
  /// Leading fields that are fixed to one value.
  private(set) var equalities = 0
  /// Leading fields that narrow the range.
  private(set) var boundFields = 0
  /// Fields that the selector has a range for, bound or not.
  private(set) var mentionedFields = 0
  /// The selector cannot hold.
  private(set) var isEmpty = false
  /// The key of the first n fixed fields.
  private(set) var prefixes: [[UInt8]] = [[]]
  private(set) var startKey: [JSON] = []
  private(set) var endKey: [JSON] = []

  init(_ definition: IndexDefinition, _ selector: Selector, _ collation: Collation) {
    self.definition = definition
    self.collation = collation
    conjuncts = selector.root.conjuncts
    if selector.root == .nothing { isEmpty = true }
  }

  /// What the ranges do not say; nil when they say it all.
  var residual: Selector? {
    let filter = Set(definition.partialFilter.root.conjuncts)
    let fields = Set(definition.fields.map(\.path))
    let rest = conjuncts.enumerated().filter { index, node in
      if used.contains(index) || filter.contains(node) { return false }
      // What is in the index has the field.
      if case .field(let path, .exists(true)) = node, fields.contains(path) { return false }
      return true
    }.map(\.element)
    return rest.isEmpty ? nil : Selector(root: .conjunction(rest))
  }

  mutating func build() {
    var prefix: [UInt8] = []
    var isOpen = true
    for field in definition.fields {
      let order = field.path.isID ? Collation.codePoint : collation
      let (range, sources) = range(of: field.path, order)
      guard let range else { isOpen = false; continue }
      mentionedFields += 1
      if range.isEmpty(order) { isEmpty = true }
      guard isOpen, range.alternatives?.count ?? 0 <= Self.maximumAlternatives else {
        isOpen = false
        continue
      }
      boundFields += 1
      if range.alternatives == nil, range.prefix == nil, let value = range.onlyValue(order) {
        used.formUnion(sources)
        equalities += 1
        prefix += CollationKey(value, order).bytes
        prefixes.append(prefix)
        startKey.append(value)
        endKey.append(value)
      } else {
        append(range, sources, after: prefix, order)
        isOpen = false
      }
    }
    if ranges.isEmpty {
      ranges = [.init(lower: prefix, upper: prefix + [CollationKeyEncoder.beyond])]
    }
  }

  private func range(
    of path: FieldPath, _ order: Collation
  ) -> (range: ValueRange?, sources: Set<Int>) {
    var range = ValueRange()
    var sources: Set<Int> = []
    for (index, node) in conjuncts.enumerated() {
      guard case .field(path, let condition) = node, range.narrow(by: condition, order) else {
        continue
      }
      sources.insert(index)
    }
    return (sources.isEmpty ? nil : range, sources)
  }

  private mutating func append(
    _ range: ValueRange, _ sources: Set<Int>, after prefix: [UInt8], _ order: Collation
  ) {
    let beyond = [CollationKeyEncoder.beyond]
    if let alternatives = range.alternatives {
      // Arrays match by their elements, so all arrays are candidates.
      var keys = Set(alternatives.map { CollationKey($0, order) }).sorted()
      keys.removeAll { $0.bytes.first == CollationKeyEncoder.array }
      ranges = keys.map {
        .init(lower: prefix + $0.bytes, upper: prefix + $0.bytes + beyond)
      }
      let arrays = prefix + [CollationKeyEncoder.array]
      let position = keys.firstIndex { $0.bytes.first ?? 0 > CollationKeyEncoder.array }
      ranges.insert(.init(lower: arrays, upper: arrays + beyond), at: position ?? ranges.count)
      return
    }
    var lower = prefix
    var upper = prefix + beyond
    if let bound = range.lower {
      lower = prefix + CollationKey(bound.value, order).bytes + (bound.isInclusive ? [] : beyond)
      startKey.append(bound.value)
    }
    if let bound = range.upper {
      upper = prefix + CollationKey(bound.value, order).bytes + (bound.isInclusive ? beyond : [])
      endKey.append(bound.value)
    }
    if let text = range.prefix {
      var start = prefix + [CollationKeyEncoder.string]
      var text = text
      text.withUTF8 { CollationKeyEncoder.appendEscaped($0, to: &start) }
      if lower.lexicographicallyPrecedes(start) { lower = start }
      let end = start + beyond
      if end.lexicographicallyPrecedes(upper) { upper = end }
    }
    used.formUnion(sources)
    ranges = [.init(lower: lower, upper: upper)]
  }
}
