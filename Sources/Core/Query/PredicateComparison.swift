/// One comparison of a predicate.
struct PredicateComparison {
  enum Quantifier {
    case none, any, all, no
  }

  enum Operation: Equatable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case between, isIn, contains, beginsWith, endsWith, like, matches

    init?(_ name: String) {
      switch name {
      case "==", "=": self = .equal
      case "!=", "<>": self = .notEqual
      case "<": self = .less
      case "<=", "=<": self = .lessOrEqual
      case ">": self = .greater
      case ">=", "=>": self = .greaterOrEqual
      case "BETWEEN": self = .between
      case "IN": self = .isIn
      case "CONTAINS": self = .contains
      case "BEGINSWITH": self = .beginsWith
      case "ENDSWITH": self = .endsWith
      case "LIKE": self = .like
      case "MATCHES": self = .matches
      default: return nil
      }
    }

    var takesOptions: Bool {
      switch self {
      case .equal, .notEqual, .contains, .beginsWith, .endsWith, .like, .matches: true
      default: false
      }
    }
  }

  var operation: Operation
  var folding: TextFolding
  /// `NOT IN` and its like.
  var isNegated: Bool
  var quantifier = Quantifier.none
  /// The value stood on the left.
  private var isTurned = false

  init(operation: Operation, folding: TextFolding, isNegated: Bool) {
    self.operation = operation
    self.folding = folding
    self.isNegated = isNegated
  }

  /// The comparison with its sides exchanged; nil when that has no meaning.
  var turned: PredicateComparison? {
    var turned = self
    turned.isTurned = true
    switch operation {
    case .equal, .notEqual, .isIn: break
    case .less: turned.operation = .greater
    case .lessOrEqual: turned.operation = .greaterOrEqual
    case .greater: turned.operation = .less
    case .greaterOrEqual: turned.operation = .lessOrEqual
    default: return nil
    }
    return turned
  }

  /// The comparison of a field with a value.
  func node(_ names: [String], _ value: JSON) throws(QueryError) -> SelectorNode {
    let node: SelectorNode
    switch quantifier {
    case .none: node = try plain(FieldPath(names: names), value)
    case .any: node = try quantified(names, value) { .anyElement($0) }
    case .all: node = try quantified(names, value) { .everyElement($0) }
    case .no: node = try quantified(names, value) { .anyElement($0) }.complement
    }
    return isNegated ? node.complement : node
  }

  /// Which name on the way is the array's cannot be told, so each is tried.
  private func quantified(
    _ names: [String], _ value: JSON, _ condition: (SelectorNode) -> SelectorCondition
  ) throws(QueryError) -> SelectorNode {
    var parts: [SelectorNode] = []
    for count in (1...names.count).reversed() {
      let rest = Array(names[count...])
      let inner = try plain(rest.isEmpty ? .itself : FieldPath(names: rest), value)
      parts.append(.field(FieldPath(names: Array(names[..<count])), condition(inner)))
    }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private func plain(_ path: FieldPath, _ value: JSON) throws(QueryError) -> SelectorNode {
    switch operation {
    case .equal: return try equality(path, value)
    case .notEqual: return try equality(path, value).complement
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return try range(path, value)
    case .between:
      guard case .array(let ends) = value, ends.count == 2 else {
        throw mistake("BETWEEN wants two values: BETWEEN {1, 5}")
      }
      return .and([
        .field(path, .greaterOrEqual(ends[0])), .field(path, .lessOrEqual(ends[1])),
      ])
    case .isIn: return try membership(path, value)
    case .contains:
      guard case .string(let text) = value else {
        return .field(path, .anyElement(.field(.itself, .equal(value))))
      }
      return .field(path, .string(StringMatch(.contains, text, folding)))
    case .beginsWith:
      let text = try text(value, "BEGINSWITH")
      return folding.isEmpty
        ? .field(path, .beginsWith(text))
        : .field(path, .string(StringMatch(.beginsWith, text, folding)))
    case .endsWith:
      return .field(path, .string(StringMatch(.endsWith, try text(value, "ENDSWITH"), folding)))
    case .like: return .field(path, .string(StringMatch(.like, try text(value, "LIKE"), folding)))
    case .matches: return .field(path, .regex(try pattern(try text(value, "MATCHES"))))
    }
  }

  private func equality(_ path: FieldPath, _ value: JSON) throws(QueryError) -> SelectorNode {
    if value.isNull { return .or([.field(path, .equal(.null)), .absent(path)]) }
    guard !folding.isEmpty else { return .field(path, .equal(value)) }
    return .field(path, .string(StringMatch(.equals, try text(value, "==[c]"), folding)))
  }

  /// Numbers are compared with numbers and texts with texts, so the other types are kept out.
  private func range(_ path: FieldPath, _ value: JSON) throws(QueryError) -> SelectorNode {
    let isUpward = operation == .greater || operation == .greaterOrEqual
    let edge: SelectorCondition
    switch value {
    case .integer, .double, .bigInteger: edge = isUpward ? .less("") : .greater(true)
    case .string: edge = isUpward ? .less([]) : .greaterOrEqual("")
    default: throw mistake("only numbers and texts are greater or less than others")
    }
    let condition: SelectorCondition
    switch operation {
    case .less: condition = .less(value)
    case .lessOrEqual: condition = .lessOrEqual(value)
    case .greater: condition = .greater(value)
    default: condition = .greaterOrEqual(value)
    }
    return .and([.field(path, condition), .field(path, edge)])
  }

  private func membership(_ path: FieldPath, _ value: JSON) throws(QueryError) -> SelectorNode {
    if isTurned { return .field(path, .anyElement(.field(.itself, .equal(value)))) }
    guard case .array(let values) = value else {
      throw mistake("IN wants a list: tags IN {\"a\", \"b\"}")
    }
    let node = SelectorNode.field(path, .oneOf(values))
    return values.contains(.null) ? .or([node, .absent(path)]) : node
  }

  private func text(_ value: JSON, _ name: String) throws(QueryError) -> String {
    guard case .string(let text) = value else { throw mistake("\(name) wants text in quotes") }
    return text
  }

  /// The whole text must match, in characters rather than bytes.
  private func pattern(_ source: String) throws(QueryError) -> BytePattern {
    guard !folding.contains(.diacriticInsensitive) else {
      throw mistake("MATCHES cannot overlook marks on letters")
    }
    let flags = folding.isEmpty ? "" : "(?i)"
    do {
      return try BytePattern("(*UTF)(*UCP)\(flags)\\A(?:\(source))\\z")
    } catch {
      guard error.code == "bad_arg" else { throw error }
      throw mistake("'\(source)' is no regular expression")
    }
  }

  /// The parser adds where.
  private func mistake(_ reason: String) -> QueryError {
    QueryError(code: "invalid_predicate", reason: reason)
  }
}

extension SelectorNode {
  /// What holds exactly where this does not, missing fields included.
  var complement: SelectorNode {
    switch self {
    case .everything: .nothing
    case .nothing: .everything
    case .and(let parts): .or(parts.map(\.complement))
    case .or(let parts): .conjunction(parts.map(\.complement))
    case .not(let part): part
    case .field(let path, .exists(true)): .absent(path)
    case .field(let path, let condition) where path.names.isEmpty:
      .field(path, condition.negated)
    case .field(let path, let condition): .or([.field(path, condition.negated), .absent(path)])
    case .absent(let path): .field(path, .exists(true))
    case .text: .nothing
    }
  }
}
