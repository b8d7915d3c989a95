/// The ranges of values that CouchDB sees in a selector, which decide what index it takes.
///
/// It looks through `$and` only, and at `$lt $lte $eq $gte $gt $beginsWith` and `$exists: true` only.
struct MangoRanges {
  /// By path, in the paths' order; one alone when nothing can be in it.
  private let fields: [(path: FieldPath, range: ValueRange)]
  private let collation: Collation

  init(_ selector: Selector, _ collation: Collation) {
    var found: [UTF8Key: (path: FieldPath, range: ValueRange)] = [:]
    for case .field(let path, let condition) in selector.root.conjuncts where condition.isRange {
      var range = found[UTF8Key(path.text)]?.range ?? ValueRange()
      range.narrowAsMango(by: condition, collation)
      found[UTF8Key(path.text)] = (path, range)
    }
    let sorted = found.sorted { $0.key < $1.key }.map(\.value)
    let impossible = sorted.first { $0.range.isEmpty(collation) }
    fields = impossible.map { [$0] } ?? sorted
    self.collation = collation
  }

  var count: Int { fields.count }

  func contains(_ path: FieldPath) -> Bool { fields.contains { $0.path == path } }

  /// The ranges of an index's leading columns.
  func prefix(of columns: [FieldPath]) -> [ValueRange] {
    var ranges: [ValueRange] = []
    for column in columns {
      guard let field = fields.first(where: { $0.path == column }) else { break }
      ranges.append(field.range)
    }
    return ranges
  }

  /// Whether CouchDB answers without looking: nothing is in the range that it would read.
  func isEmpty(_ prefix: [ValueRange], _ selector: Selector) -> Bool {
    selector.root == .nothing || (prefix.count == 1 && prefix[0].isEmpty(collation))
  }

  /// The paths with a range, and the others that the selector looks at: `selector_hints`.
  func hints(for selector: Selector) -> JSON {
    let indexable = Set(fields.map(\.path))
    let others = selector.root.paths.subtracting(indexable)
    func names(_ paths: Set<FieldPath>) -> JSON {
      .array(paths.map { UTF8Key($0.text) }.sorted().map { .string($0.string) })
    }
    return [
      ["type": "json", "indexable_fields": names(indexable), "unindexable_fields": names(others)]
    ]
  }
}

extension SelectorNode {
  /// Every path that a condition is on.
  var paths: Set<FieldPath> {
    switch self {
    case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.paths) }
    case .not(let part): part.paths
    case .field(let path, _), .absent(let path): [path]
    case .everything, .nothing, .text: []
    }
  }
}

extension SelectorCondition {
  /// Whether CouchDB makes a range of it.
  fileprivate var isRange: Bool {
    switch self {
    case .less, .lessOrEqual, .equal, .greaterOrEqual, .greater, .beginsWith: true
    // The whole of the column.
    case .exists(true): true
    default: false
    }
  }
}

extension ValueRange {
  /// After every string that begins as the one before it: no character sorts behind this one.
  fileprivate static let lastCharacter: Unicode.Scalar = "\u{FFFF}"

  fileprivate mutating func narrowAsMango(
    by condition: SelectorCondition, _ collation: Collation
  ) {
    guard case .beginsWith(let text) = condition else {
      _ = narrow(by: condition, collation)
      return
    }
    _ = narrow(by: .greaterOrEqual(.string(text)), collation)
    var last = text
    last.unicodeScalars.append(Self.lastCharacter)
    _ = narrow(by: .lessOrEqual(.string(last)), collation)
  }
}

/// Where CouchDB would begin and stop to read an index, as `_explain` shows it.
struct MangoBounds {
  let startKey: JSON
  let endKey: JSON

  /// Nothing is read.
  static let nothing = MangoBounds(startKey: .null, endKey: .null)

  private static let maximum: JSON = "<MAX>"

  private init(startKey: JSON, endKey: JSON) {
    self.startKey = startKey
    self.endKey = endKey
  }

  /// Of an index of fields: arrays up to the first column without a bound.
  init(_ prefix: [ValueRange], isDescending: Bool) {
    let lower = prefix.prefix { $0.lower != nil }.compactMap { $0.lower?.value }
    let upper = prefix.prefix { $0.upper != nil }.compactMap { $0.upper?.value }
    self.init(
      from: .array(lower), to: .array(upper.map(Self.shown) + [Self.maximum]),
      isDescending: isDescending)
  }

  /// Of the documents by id.
  init(ofIDs prefix: [ValueRange], isDescending: Bool) {
    let upper = prefix.first?.upper.map { Self.shown($0.value) }
    self.init(
      from: prefix.first?.lower?.value ?? .null, to: upper ?? Self.maximum,
      isDescending: isDescending)
  }

  private init(from start: JSON, to end: JSON, isDescending: Bool) {
    self.init(startKey: isDescending ? end : start, endKey: isDescending ? start : end)
  }

  /// The character that is none is written as the one for what cannot be written.
  private static func shown(_ value: JSON) -> JSON {
    guard case .string(let text) = value,
      text.unicodeScalars.last == ValueRange.lastCharacter
    else { return value }
    return .string(String(String.UnicodeScalarView(text.unicodeScalars.dropLast())) + "\u{FFFD}")
  }
}
