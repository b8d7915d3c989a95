/// One field of a sort or of an index, with its direction.
public struct SortField: Sendable, Hashable {
  /// Where the value lies.
  public var path: FieldPath
  /// Whether greater values come first.
  public var isDescending: Bool

  /// Makes a sort field.
  public init(_ path: FieldPath, isDescending: Bool = false) {
    self.path = path
    self.isDescending = isDescending
  }

  /// As selectors' companions write it: `{"age": "asc"}`.
  public var json: JSON { .object([path.text: isDescending ? "desc" : "asc"]) }

  /// Reads a list of sort fields: `"age"` or `{"age": "desc"}` each.
  ///
  /// - Parameter json: an array.
  /// - Returns: the fields; all of one direction.
  /// - Throws: ``QueryError`` with CouchDB's word and reason.
  public static func list(_ json: JSON) throws(QueryError) -> [SortField] {
    guard case .array(let specifications) = json else {
      throw QueryError(
        code: "invalid_sort_json",
        reason: "Sort must be an array of sort specs, not: \(ErlangTerm.readable(json))")
    }
    var fields: [SortField] = []
    for specification in specifications { fields.append(try SortField(specification)) }
    guard Set(fields.map(\.isDescending)).count < 2 else {
      throw QueryError(
        code: "unsupported_mixed_sort",
        reason: "Sorts currently only support a single direction for all fields.")
    }
    return fields
  }

  private init(_ json: JSON) throws(QueryError) {
    switch json {
    case .string(let name): self.init(try FieldPath(name))
    case .object(let members) where members.count == 1:
      guard let (name, direction) = members.first.map({ ($0.key, $0.value) }),
        direction == "asc" || direction == "desc"
      else { throw Self.invalid(json) }
      self.init(try FieldPath(name), isDescending: direction == "desc")
    default: throw Self.invalid(json)
    }
  }

  private static func invalid(_ json: JSON) -> QueryError {
    QueryError(
      code: "invalid_sort_field", reason: "Invalid sort field: \(ErlangTerm.readable(json))")
  }
}
