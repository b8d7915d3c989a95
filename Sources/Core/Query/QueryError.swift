/// What is wrong with a selector, a find request, an index definition or a predicate.
///
/// `code` and `reason` are what CouchDB 3.5 answers for the same mistake (`error` and `reason` of its
/// body), so that its clients read ours alike; mistakes it does not know have words of their own.
public struct QueryError: Error, Sendable, Hashable {
  /// A stable word, such as `invalid_operator`, `bad_arg` or `invalid_predicate`.
  public var code: String
  /// One sentence that names the mistake.
  public var reason: String
  /// The HTTP status: 400 unless said otherwise.
  public var status: Int
  /// What to do instead, for a person.
  public var hint: String?
  /// Where a predicate stops making sense: the 1-based column, in characters.
  public var column: Int?

  /// Makes an error.
  public init(
    code: String, reason: String, status: Int = 400, hint: String? = nil, column: Int? = nil
  ) {
    self.code = code
    self.reason = reason
    self.status = status
    self.hint = hint
    self.column = column
  }
}

extension QueryError {
  static func badArgument(_ name: String, _ argument: JSON) -> QueryError {
    QueryError(
      code: "bad_arg",
      reason: "Bad argument for operator \(name): \(ErlangTerm.compact(argument))")
  }

  static func invalidOperator(_ name: String) -> QueryError {
    QueryError(code: "invalid_operator", reason: "Invalid operator: \(name)")
  }

  static func invalidFieldName(_ name: String) -> QueryError {
    QueryError(code: "invalid_field_name", reason: "Invalid field name: \(name)")
  }

  static func invalidKey(_ name: String) -> QueryError {
    QueryError(code: "invalid_key", reason: "Invalid key \(name) for this request.")
  }

  static func missingKey(_ name: String) -> QueryError {
    QueryError(code: "missing_required_key", reason: "Missing required key: \(name)")
  }
}
