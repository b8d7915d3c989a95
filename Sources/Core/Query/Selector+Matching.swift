extension Selector {
  /// Whether a document matches: the meaning of selectors.
  ///
  /// - Parameters:
  ///   - document: the document as CouchDB shows it, with `_id`, `_rev` and so on as members.
  ///   - collation: how strings are ordered.
  /// - Returns: whether every condition holds. `$text` always does: only an index can tell.
  public func matches(_ document: JSON, collation: Collation = .codePoint) -> Bool {
    SelectorEvaluator(collation: collation).matches(root, document)
  }
}

/// Evaluates normal forms over value trees: plainly, as the reference for everything faster.
struct SelectorEvaluator {
  let collation: Collation

  func matches(_ node: SelectorNode, _ value: JSON) -> Bool {
    switch node {
    case .everything, .text: return true
    case .nothing: return false
    case .and(let parts): return parts.allSatisfy { matches($0, value) }
    // CouchDB takes an empty `$or` for true where other conditions stand beside it.
    case .or(let parts): return parts.isEmpty || parts.contains { matches($0, value) }
    case .not(let part): return !matches(part, value)
    case .field(let path, let condition):
      switch path.lookup(in: value) {
      case .found(let found):
        // CouchDB compares ids as bytes everywhere.
        let evaluator = path.isID ? SelectorEvaluator(collation: .codePoint) : self
        return evaluator.holds(condition, found)
      case .missing: return condition == .exists(false)
      case .unreachable: return false
      }
    case .absent(let path):
      if case .found = path.lookup(in: value) { return false }
      return true
    }
  }

  private func holds(_ condition: SelectorCondition, _ value: JSON) -> Bool {
    switch condition {
    case .less(let other): collation.compare(value, other) < 0
    case .lessOrEqual(let other): collation.compare(value, other) <= 0
    case .equal(let other): collation.compare(value, other) == 0
    case .notEqual(let other): collation.compare(value, other) != 0
    case .greaterOrEqual(let other): collation.compare(value, other) >= 0
    case .greater(let other): collation.compare(value, other) > 0
    case .oneOf(let others): isOne(of: others, value)
    case .noneOf(let others): !isOne(of: others, value)
    case .all(let others): hasAll(others, value)
    case .exists(let expected): expected
    case .type(let name): Self.typeName(of: value) == name
    case .not(let inner): !holds(inner, value)
    default: holdsOnStructure(condition, value)
    }
  }

  private func holdsOnStructure(_ condition: SelectorCondition, _ value: JSON) -> Bool {
    switch (condition, value) {
    case (.size(let size), .array(let elements)): Int64(elements.count) == size
    case (.modulo(let divisor, let remainder), _): Self.remainder(value, divisor) == remainder
    case (.regex(let pattern), .string(let text)): pattern.matches(text)
    case (.beginsWith(let prefix), .string(let text)): text.utf8.starts(with: prefix.utf8)
    case (.anyElement(let node), .array(let elements)):
      elements.contains { matches(node, $0) }
    case (.everyElement(let node), .array(let elements)):
      !elements.isEmpty && elements.allSatisfy { matches(node, $0) }
    case (.anyKey(let node), .object(let members)):
      members.contains { matches(node, .string($0.key)) }
    case (.string(let match), _): match.matches(value)
    default: false
    }
  }

  /// An array has what one of its elements is; it is not compared as a whole.
  private func isOne(of others: [JSON], _ value: JSON) -> Bool {
    let values: [JSON]
    if case .array(let elements) = value { values = elements } else { values = [value] }
    return values.contains { element in
      others.contains { collation.compare(element, $0) == 0 }
    }
  }

  private func hasAll(_ others: [JSON], _ value: JSON) -> Bool {
    guard case .array(let elements) = value, !others.isEmpty else { return false }
    // A single argument that is a list may also be the whole field.
    if others.count == 1, case .array = others[0], collation.compare(others[0], value) == 0 {
      return true
    }
    return others.allSatisfy { other in elements.contains { collation.compare($0, other) == 0 } }
  }

  static func typeName(of value: JSON) -> String {
    switch value {
    case .null: "null"
    case .bool: "boolean"
    case .integer, .double, .bigInteger: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }

  /// The remainder with the dividend's sign, of integers only (`1.0` is none).
  static func remainder(_ value: JSON, _ divisor: Int64) -> Int64? {
    switch value {
    case .integer(let number): remainder(number, divisor)
    case .bigInteger(let digits): remainder(Array(digits.utf8)[...], divisor)
    default: nil
    }
  }

  static func remainder(_ number: Int64, _ divisor: Int64) -> Int64? {
    guard divisor != 0 else { return nil }
    return number.remainderReportingOverflow(dividingBy: divisor).partialValue
  }

  /// The remainder of an integer of any length, given as its text.
  static func remainder(_ text: some Collection<UInt8>, _ divisor: Int64) -> Int64? {
    guard divisor != 0 else { return nil }
    let modulus = divisor.magnitude
    var rest: UInt64 = 0
    for byte in text where byte != UInt8(ascii: "-") {
      let product = rest.multipliedFullWidth(by: 10)
      let (low, carry) = product.low.addingReportingOverflow(UInt64(byte &- UInt8(ascii: "0")))
      rest = modulus.dividingFullWidth((product.high + (carry ? 1 : 0), low)).remainder
    }
    let signed = Int64(truncatingIfNeeded: rest)
    return text.first == UInt8(ascii: "-") ? -signed : signed
  }
}
