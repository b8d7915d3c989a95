extension SelectorNode {
  /// This node as CouchDB writes normal forms.
  var json: JSON {
    switch self {
    case .everything: [:]
    case .nothing: ["$or": []]
    case .and(let parts): ["$and": .array(parts.map(\.json))]
    case .or(let parts): ["$or": .array(parts.map(\.json))]
    case .not(let part): ["$not": part.json]
    case .field(let path, let condition):
      path.names.isEmpty ? condition.json : .object([path.text: condition.json])
    case .absent(let path): .object([path.text: ["$exists": false]])
    case .text(let words): ["$text": .string(words)]
    }
  }

  /// Whether ``json`` means the same to CouchDB.
  var isMango: Bool {
    switch self {
    case .everything, .nothing, .text: true
    case .and(let parts), .or(let parts): parts.allSatisfy(\.isMango)
    case .not(let part): part.isMango
    case .field(_, let condition): condition.isMango
    // CouchDB's `$exists: false` does not see past a value that is no object.
    case .absent(let path): path.names.count == 1
    }
  }
}

extension SelectorCondition {
  /// This condition as a selector's operator.
  var json: JSON {
    switch self {
    case .less(let value): ["$lt": value]
    case .lessOrEqual(let value): ["$lte": value]
    case .equal(let value): ["$eq": value]
    case .notEqual(let value): ["$ne": value]
    case .greaterOrEqual(let value): ["$gte": value]
    case .greater(let value): ["$gt": value]
    case .oneOf(let values): ["$in": .array(values)]
    case .noneOf(let values): ["$nin": .array(values)]
    case .all(let values): ["$all": .array(values)]
    case .exists(let expected): ["$exists": .bool(expected)]
    case .type(let name): ["$type": .string(name)]
    case .size(let size): ["$size": .integer(size)]
    case .modulo(let divisor, let remainder):
      ["$mod": [.integer(divisor), .integer(remainder)]]
    case .regex(let pattern): ["$regex": .string(pattern.source)]
    case .beginsWith(let prefix): ["$beginsWith": .string(prefix)]
    case .anyElement(let node): ["$elemMatch": node.json]
    case .everyElement(let node): ["$allMatch": node.json]
    case .anyKey(let node): ["$keyMapMatch": node.json]
    case .string(let match): ["$regex": .string(match.pattern)]
    case .not(let condition): ["$not": condition.json]
    }
  }

  var isMango: Bool {
    switch self {
    case .anyElement(let node), .everyElement(let node), .anyKey(let node): node.isMango
    case .not(let condition): condition.isMango
    case .string: false
    default: true
    }
  }
}
