/// A query: which documents, in which order, how many, and what of them.
public struct FindRequest: Sendable {
  /// What documents must be.
  public var selector: Selector
  /// Words that a text index must find in the documents; see ``TextQuery``.
  public var text: String?
  /// The order; documents that agree in all fields, and all where it is empty, come by id.
  public var sort: [SortField] = []
  /// What to show of each document; everything when empty.
  public var fields: [FieldPath] = []
  /// At most so many documents; nil for all.
  public var limit: Int?
  /// Documents to pass over first.
  public var skip = 0
  /// Where the page before ended, from its result.
  public var bookmark: String?
  /// The index to use if it can be used.
  public var useIndex: IndexChoice?
  /// Whether another index, or none, may serve when `useIndex` cannot; false refuses the query.
  public var allowFallback = true
  /// Whether documents tell their conflicts.
  public var conflicts = false
  /// Whether the result tells how much was read.
  public var executionStatistics = false
  /// Whether the index, the order where no sort is asked for, and what is refused are as CouchDB would
  /// have them, and not as they are best for a person.
  public var followsCouchDB = false
  /// The one partition that is searched; nil for the whole store.
  public private(set) var partition: String?
  /// What is about a cluster: accepted, and told by `_explain`.
  var viewOptions = ViewOptions()

  /// How a cluster would read.
  struct ViewOptions: Sendable {
    var readQuorum: Int64 = 1
    var isStaleOK = false
    var updates = true
    var isStable = false
  }

  /// An index by its design document, and its name where that has several.
  public struct IndexChoice: Sendable, Hashable {
    /// The design document's id, `_design/…`.
    public var designDocument: String
    /// The index's name.
    public var name: String?
    /// The names as the request gives them.
    let written: [String]

    /// Names an index.
    public init(designDocument: String, name: String? = nil) {
      self.designDocument = IndexDefinition.designDocumentID(designDocument)
      self.name = name
      written = [designDocument] + (name.map { [$0] } ?? [])
    }

    var description: String { designDocument + (name.map { ", " + $0 } ?? "") }
  }

  /// A query for all documents that match.
  public init(selector: Selector = .everything) {
    self.selector = selector
  }

  /// Searches one partition of a partitioned store only.
  public mutating func restrict(toPartition name: String) {
    partition = name
    selector = selector.and(
      Selector(root: .field(.identifier, .beginsWith(Partition.prefix(name)))))
  }

  /// CouchDB's limit where a request names none.
  public static let defaultLimit = 25
}

extension FindRequest {
  /// Reads the body of `POST /{db}/_find` and `_explain`.
  ///
  /// - Parameter json: the body.
  /// - Throws: ``QueryError`` with CouchDB's word and reason.
  public init(json: JSON) throws(QueryError) {
    guard case .object(let members) = json else {
      throw QueryError(code: "bad_request", reason: "Request body must be a JSON object")
    }
    guard let selector = members["selector"] else { throw .missingKey("selector") }
    self.init(selector: try Selector(selector))
    followsCouchDB = true
    if let value = members["use_index"] { useIndex = try IndexChoice(json: value) }
    if let value = members["bookmark"] { bookmark = try Self.bookmark(value) }
    limit =
      try members["limit"].map { value throws(QueryError) in try Self.count(value) }
      ?? Self.defaultLimit
    if let value = members["skip"] { skip = try Self.count(value) }
    if let value = members["sort"] { sort = try SortField.list(value) }
    if let value = members["fields"] { fields = try Self.fields(value) }
    conflicts = try Self.flag(members["conflicts"]) ?? false
    viewOptions = try Self.viewOptions(members)
    executionStatistics = try Self.flag(members["execution_stats"]) ?? false
    allowFallback = try Self.flag(members["allow_fallback"]) ?? true
    let known: Set<String> = [
      "selector", "use_index", "bookmark", "limit", "skip", "sort", "fields", "partition", "r",
      "conflicts", "stale", "update", "stable", "execution_stats", "allow_fallback",
    ]
    if let (key, _) = members.first(where: { !known.contains($0.key) }) { throw .invalidKey(key) }
  }

  /// Reads a list of paths to show.
  ///
  /// - Parameter json: an array of strings.
  /// - Returns: the paths.
  /// - Throws: ``QueryError`` with CouchDB's word and reason.
  public static func fields(_ json: JSON) throws(QueryError) -> [FieldPath] {
    guard case .array(let elements) = json else {
      throw QueryError(
        code: "invalid_fields",
        reason: "Fields must be an array of strings, not: \(ErlangTerm.compact(json))")
    }
    var fields: [FieldPath] = []
    for element in elements {
      guard case .string(let text) = element else {
        throw QueryError(
          code: "invalid_field",
          reason: "Invalid JSON for field spec: \(ErlangTerm.compact(element))")
      }
      fields.append(try FieldPath(text))
    }
    return fields
  }

  private static func bookmark(_ json: JSON) throws(QueryError) -> String? {
    switch json {
    case .null: return nil
    case .string(let text): return text.isEmpty ? nil : text
    default: throw Bookmark.invalid(json)
    }
  }

  private static func viewOptions(_ members: JSONObject) throws(QueryError) -> ViewOptions {
    var options = ViewOptions()
    if let quorum = members["r"] { options.readQuorum = try positive(quorum) }
    switch members["stale"] {
    case nil, .bool(false), .string("false"): break
    case .string("ok"): options.isStaleOK = true
    case .some(let json):
      throw QueryError(
        code: "invalid_ok_or_false_value",
        reason: "Invalid value for stale: \(ErlangTerm.compact(json))")
    }
    options.updates = try flag(members["update"]) ?? true
    options.isStable = try flag(members["stable"]) ?? false
    return options
  }

  /// Reads a number from 1.
  static func positive(_ json: JSON) throws(QueryError) -> Int64 {
    guard case .integer(let number) = json, number > 0 else {
      throw QueryError(
        code: "invalid_pos_integer",
        reason: "\(ErlangTerm.compact(json)) is not an integer greater than zero")
    }
    return number
  }

  private static func count(_ json: JSON) throws(QueryError) -> Int {
    guard case .integer(let number) = json, number >= 0 else {
      throw QueryError(
        code: "invalid_non_neg_integer",
        reason: "\(ErlangTerm.compact(json)) is not an integer greater than or equal to zero")
    }
    return Int(number)
  }

  static func flag(_ json: JSON?) throws(QueryError) -> Bool? {
    guard let json else { return nil }
    guard case .bool(let flag) = json else {
      throw QueryError(
        code: "invalid_boolean", reason: "Invalid boolean value: \(ErlangTerm.compact(json))")
    }
    return flag
  }
}

extension FindRequest.IndexChoice {
  /// Reads `use_index`: a design document, `ddoc/name`, or an array of the two; nil for none.
  init?(json: JSON) throws(QueryError) {
    switch json {
    case .null: return nil
    case .array(let elements) where elements.isEmpty: return nil
    case .string(let text):
      var parts = text.split(separator: "/", omittingEmptySubsequences: false)
      if parts.count > 1, parts[0] == "_design" { parts.removeFirst() }
      guard parts.count < 3 else { throw Self.invalid(json) }
      self.init(
        designDocument: String(parts[0]), name: parts.count == 2 ? String(parts[1]) : nil)
    case .array(let elements) where elements.count <= 2:
      guard case .string(let document) = elements[0] else { throw Self.invalid(json) }
      var name: String?
      if elements.count == 2 {
        guard case .string(let text) = elements[1] else { throw Self.invalid(json) }
        name = text
      }
      self.init(designDocument: document, name: name)
    default: throw Self.invalid(json)
    }
  }

  private static func invalid(_ json: JSON) -> QueryError {
    QueryError(
      code: "invalid_index_name", reason: "Invalid index name: \(ErlangTerm.compact(json))")
  }
}
