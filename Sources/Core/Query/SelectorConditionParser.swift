/// Reads one operator of a selector and checks its argument as CouchDB does.
enum SelectorConditionParser {
  static func parse(_ name: String, _ value: JSON) throws(QueryError) -> SelectorCondition {
    switch name {
    case "$lt": return .less(value)
    case "$lte": return .lessOrEqual(value)
    case "$eq": return .equal(value)
    case "$ne": return .notEqual(value)
    case "$gte": return .greaterOrEqual(value)
    case "$gt": return .greater(value)
    case "$in": return .oneOf(try list(name, value))
    case "$nin": return .noneOf(try list(name, value))
    case "$all": return .all(try list(name, value))
    case "$exists":
      guard case .bool(let expected) = value else { throw .badArgument(name, value) }
      return .exists(expected)
    case "$type":
      guard case .string(let type) = value else { throw .badArgument(name, value) }
      return .type(type)
    case "$size":
      guard case .integer(let size) = value, size >= 0 else { throw .badArgument(name, value) }
      return .size(size)
    case "$mod": return try modulo(value)
    default: return try structural(name, value)
    }
  }

  private static func structural(
    _ name: String, _ value: JSON
  ) throws(QueryError) -> SelectorCondition {
    switch name {
    case "$regex":
      // A pattern that is no string is, to CouchDB, no known operator.
      guard case .string(let pattern) = value else { throw .invalidOperator(name) }
      return .regex(try BytePattern(pattern))
    case "$beginsWith":
      guard case .string(let prefix) = value else { throw .invalidOperator(name) }
      return .beginsWith(prefix)
    case "$elemMatch": return .anyElement(try element(name, value))
    case "$allMatch": return .everyElement(try element(name, value))
    case "$keyMapMatch": return .anyKey(try element(name, value))
    case "$where", "$geoWithin", "$geoIntersects", "$near", "$nearSphere":
      throw QueryError(code: "not_supported", reason: "Unsupported operator: \(name)")
    default: throw .invalidOperator(name)
    }
  }

  private static func list(_ name: String, _ value: JSON) throws(QueryError) -> [JSON] {
    guard case .array(let elements) = value else { throw .badArgument(name, value) }
    return elements
  }

  private static func element(
    _ name: String, _ value: JSON
  ) throws(QueryError) -> SelectorNode {
    guard case .object = value else { throw .badArgument(name, value) }
    return try SelectorParser.elementNode(value)
  }

  private static func modulo(_ value: JSON) throws(QueryError) -> SelectorCondition {
    guard case .array(let parts) = value, parts.count == 2,
      case .integer(let divisor) = parts[0], case .integer(let remainder) = parts[1]
    else { throw .badArgument("$mod", value) }
    return .modulo(divisor: divisor, remainder: remainder)
  }
}
