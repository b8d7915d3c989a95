/// A question about one document: CouchDB's Mango selector.
///
/// ```
/// let selector = try Selector(["priority": ["$gte": 1], "owner": ["age": ["$gt": 40]]])
/// selector.matches(["priority": 2, "owner": ["age": 41]])   // true
/// ```
///
/// Every operator of CouchDB 3.5 is understood: `$and $or $not $nor`, `$lt $lte $eq $ne $gte $gt`,
/// `$in $nin $all $exists $type $size $mod $regex $beginsWith`, `$elemMatch $allMatch $keyMapMatch`,
/// and `$text` where a text index answers it. Where the answers differ is listed in
/// ``Selector/differences``.
///
/// The evaluator (``matches(_:collation:)``) is the meaning; the store uses ``ByteMatcher`` and
/// indexes, which a property test holds to it.
///
/// Source: the behaviour recorded from CouchDB 3.5.0 in `Tests/TestSupport/Vectors/find.json`.
public struct Selector: Sendable, Hashable {
  /// The normal form.
  package let root: SelectorNode

  /// Matches every document.
  public static let everything = Selector(root: .everything)

  package init(root: SelectorNode) {
    self.root = root
  }

  /// Reads a selector.
  ///
  /// - Parameter json: a JSON object.
  /// - Throws: ``QueryError`` with CouchDB's word and reason.
  public init(_ json: JSON) throws(QueryError) {
    root = try SelectorParser.parse(json)
  }

  /// Reads a selector from JSON text.
  ///
  /// - Parameter text: a JSON object.
  /// - Throws: ``QueryError``, `bad_request` when the text is no JSON.
  public init(parsing text: String) throws(QueryError) {
    let json: JSON
    do {
      json = try JSON(parsing: text)
    } catch {
      throw QueryError(code: "bad_request", reason: "selector: \(error.message)")
    }
    try self.init(json)
  }

  /// The normal form as JSON, as `_explain` shows it: implicit operators written out, negations moved
  /// to the conditions, paths dotted.
  public var json: JSON { root.json }

  /// Whether other programs that speak Mango would understand ``json`` exactly as we do.
  ///
  /// Case-folding
  /// comparisons of the predicate language are written as `$regex`, which folds ASCII letters only.
  public var isMango: Bool { root.isMango }

  /// A selector that demands this and another one.
  public func and(_ other: Selector) -> Selector {
    Selector(root: .conjunction([root, other.root]))
  }
}

/// A selector's normal form: combinations over conditions on one path each.
package indirect enum SelectorNode: Sendable, Hashable {
  /// `{}`.
  case everything
  /// `{"$or": []}`.
  case nothing
  case and([SelectorNode])
  case or([SelectorNode])
  /// Only within `$elemMatch` and its kind; elsewhere negations are moved to the conditions.
  case not(SelectorNode)
  /// A condition on a value that must be there (but for `$exists: false`).
  case field(FieldPath, SelectorCondition)
  /// No value can be reached: what the predicate language means by `x == nil`.
  case absent(FieldPath)
  /// `$text`: the words to look for in a text index.
  case text(String)

  /// Joins nodes, flat, without those that always hold.
  static func conjunction(_ nodes: [SelectorNode]) -> SelectorNode {
    var parts: [SelectorNode] = []
    for node in nodes {
      switch node {
      case .everything: continue
      case .nothing: return .nothing
      case .and(let children) where !children.isEmpty: parts += children
      default: parts.append(node)
      }
    }
    return parts.isEmpty ? .everything : parts.count == 1 ? parts[0] : .and(parts)
  }
}

/// What is asked of one value.
package indirect enum SelectorCondition: Sendable, Hashable {
  case less(JSON)
  case lessOrEqual(JSON)
  case equal(JSON)
  case notEqual(JSON)
  case greaterOrEqual(JSON)
  case greater(JSON)
  case oneOf([JSON])
  case noneOf([JSON])
  case all([JSON])
  case exists(Bool)
  case type(String)
  case size(Int64)
  case modulo(divisor: Int64, remainder: Int64)
  case regex(BytePattern)
  case beginsWith(String)
  case anyElement(SelectorNode)
  case everyElement(SelectorNode)
  case anyKey(SelectorNode)
  /// A comparison of the predicate language that Mango has no operator for.
  case string(StringMatch)
  case not(SelectorCondition)
}
