/// Reads a selector's JSON into its normal form.
///
/// Negations are moved to the conditions (De Morgan), since a condition can tell whether an index
/// serves it; so `$not` never matches a field that is missing, as in CouchDB.
enum SelectorParser {
  /// Where a part of a selector stands.
  private struct Place {
    /// The path so far, as written; nil at the start.
    var path: String?
    /// Whether a `$not` further out applies.
    var isNegated = false
    /// Whether a `$elemMatch` or its kind is further out: there negation is the complement.
    var isInElement = false
  }

  static func parse(_ json: JSON) throws(QueryError) -> SelectorNode {
    guard case .object(let members) = json else {
      throw QueryError(
        code: "invalid_selector_json",
        reason: "Selector must be a JSON object, not: \(ErlangTerm.compact(json))")
    }
    guard !members.isEmpty else { return .everything }
    let root = try node(json, Place())
    switch root {
    case .field(let path, _) where path.names.isEmpty: throw missingName
    // Only `$nor` and negations of it leave an empty conjunction that holds.
    case .and(let parts) where parts.isEmpty: return members["$and"] != nil ? .nothing : .everything
    case .or(let parts) where parts.isEmpty: return .nothing
    default: return root
    }
  }

  private static let missingName = QueryError(
    code: "invalid_selector", reason: "One or more conditions is missing a field name.")

  private static func node(_ json: JSON, _ place: Place) throws(QueryError) -> SelectorNode {
    guard case .object(let members) = json, !members.isEmpty else {
      return try condition(.equal(json), place)
    }
    if members.count == 1, let member = members.first {
      return try node(member.key, member.value, place)
    }
    var parts: [SelectorNode] = []
    for (key, value) in members { parts.append(try node(key, value, place)) }
    return place.isNegated ? .or(parts) : .and(parts)
  }

  private static func node(
    _ key: String, _ value: JSON, _ place: Place
  ) throws(QueryError) -> SelectorNode {
    guard key.utf8.first == UInt8(ascii: "$") else {
      var inner = place
      if let path = place.path {
        inner.path = path + "." + key
      } else if key.isEmpty {
        throw missingName
      } else {
        inner.path = key
      }
      return try node(value, inner)
    }
    switch key {
    case "$and", "$or", "$nor": return try combination(key, value, place)
    case "$not":
      guard case .object = value else { throw .badArgument(key, value) }
      if place.isInElement { return .not(try node(value, place)) }
      var inner = place
      inner.isNegated.toggle()
      return try node(value, inner)
    case "$text": return try text(value, place)
    default: return try condition(try SelectorConditionParser.parse(key, value), place)
    }
  }

  private static func combination(
    _ key: String, _ value: JSON, _ place: Place
  ) throws(QueryError) -> SelectorNode {
    guard case .array(let elements) = value else { throw .badArgument(key, value) }
    var inner = place
    if key == "$nor", !place.isInElement { inner.isNegated.toggle() }
    var parts: [SelectorNode] = []
    for element in elements { parts.append(try node(element, inner)) }
    switch key {
    case "$and": return place.isNegated ? .or(parts) : .and(parts)
    case "$nor" where place.isInElement: return .not(.or(parts))
    case "$nor": return place.isNegated ? .or(parts) : .and(parts)
    default: return place.isNegated ? .and(parts) : .or(parts)
    }
  }

  private static func text(_ value: JSON, _ place: Place) throws(QueryError) -> SelectorNode {
    let words: String
    switch value {
    case .string(let string): words = string
    case .bool(let flag): words = flag ? "true" : "false"
    case .integer, .double, .bigInteger: words = value.serialized()
    default: throw .badArgument("$text", value)
    }
    if place.isNegated {
      throw .badArgument("$not", ["$default": ["$text": value]])
    }
    guard place.path == nil, !place.isInElement else {
      throw QueryError(
        code: "bad_field",
        reason: "Invalid field normalization on selector: "
          + ErlangTerm.compact(["$default": ["$text": value]]))
    }
    return .text(words)
  }

  private static func condition(
    _ condition: SelectorCondition, _ place: Place
  ) throws(QueryError) -> SelectorNode {
    let path: FieldPath
    if let text = place.path { path = try FieldPath(text) } else { path = .itself }
    return .field(path, place.isNegated ? condition.negated : condition)
  }

  /// Reads what an element, or a key, must be.
  static func elementNode(_ json: JSON) throws(QueryError) -> SelectorNode {
    try node(json, Place(isInElement: true))
  }
}

extension SelectorCondition {
  /// The condition that holds, of values that are there, where this one does not.
  var negated: SelectorCondition {
    switch self {
    case .less(let value): .greaterOrEqual(value)
    case .lessOrEqual(let value): .greater(value)
    case .equal(let value): .notEqual(value)
    case .notEqual(let value): .equal(value)
    case .greaterOrEqual(let value): .less(value)
    case .greater(let value): .lessOrEqual(value)
    case .oneOf(let values): .noneOf(values)
    case .noneOf(let values): .oneOf(values)
    case .exists(let expected): .exists(!expected)
    case .not(let condition): condition
    default: .not(self)
    }
  }
}
