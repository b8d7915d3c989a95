extension IndexDefinition {
  /// Reads the body of `POST /{db}/_index`.
  ///
  /// - Parameter json: the body.
  /// - Throws: ``QueryError`` with CouchDB's word and reason.
  public init(json: JSON) throws(QueryError) {
    guard case .object(let members) = json else {
      throw QueryError(code: "bad_request", reason: "Request body must be a JSON object")
    }
    guard let index = members["index"] else { throw .missingKey("index") }
    let type = try Self.string(members["type"]) ?? "json"
    let name = try Self.name(members["name"])
    let designDocument = try Self.name(members["ddoc"])
    if let count = members["w"] { _ = try FindRequest.positive(count) }
    let isPartitioned = try FindRequest.flag(members["partitioned"])
    let known: Set<String> = ["index", "type", "name", "ddoc", "w", "partitioned"]
    if let (key, _) = members.first(where: { !known.contains($0.key) }) { throw .invalidKey(key) }
    guard let kind = Kind(rawValue: type) else {
      throw QueryError(code: "invalid_index", reason: "Invalid type for index: \(type)")
    }
    guard case .object(let definition) = index else {
      throw QueryError(
        code: "invalid_index",
        reason: "JSON indexes must be an object, not: \(ErlangTerm.compact(index))")
    }
    try self.init(
      kind: kind, definition: definition, name: name, designDocument: designDocument)
    self.isPartitioned = isPartitioned ?? false
  }

  /// Reads the form that the store keeps.
  init(stored json: JSON, name: String, designDocument: String) throws(QueryError) {
    guard let type = json["type"]?.stringValue, let kind = Kind(rawValue: type),
      case .object(let definition) = json["def"]
    else { throw QueryError(code: "invalid_index", reason: "A stored index cannot be read.") }
    try self.init(
      kind: kind, definition: definition, name: name, designDocument: designDocument)
    isPartitioned = json["partitioned"]?.boolValue ?? false
  }

  private init(
    kind: Kind, definition: JSONObject, name: String?, designDocument: String?
  ) throws(QueryError) {
    guard let list = definition["fields"] else { throw .missingKey("fields") }
    let fields = kind == .json ? try SortField.list(list) : try Self.textFields(list)
    var filter = Selector.everything
    if let json = definition["partial_filter_selector"] { filter = try Selector(json) }
    var known: Set<String> = ["fields", "partial_filter_selector"]
    if kind == .text {
      known.formUnion(["default_field", "default_analyzer", "index_array_lengths", "selector"])
    }
    if let (key, _) = definition.first(where: { !known.contains($0.key) }) {
      throw .invalidKey(key)
    }
    self.init(
      unchecked: kind, fields: fields, partialFilter: filter, name: name,
      designDocument: designDocument)
  }

  /// A text index names its fields plainly or as `{"name": …, "type": "string"}`.
  static func textFields(_ json: JSON) throws(QueryError) -> [SortField] {
    guard case .array(let elements) = json, !elements.isEmpty else {
      throw QueryError(
        code: "invalid_index_fields_definition",
        reason: "A text index needs the names of its fields.")
    }
    var fields: [SortField] = []
    for element in elements {
      if let name = element["name"]?.stringValue {
        fields.append(SortField(try FieldPath(name)))
      } else if case .object = element {
        fields += try SortField.list([element])
      } else if case .string(let name) = element {
        fields.append(SortField(try FieldPath(name)))
      } else {
        throw QueryError(
          code: "invalid_index_fields_definition",
          reason: "Invalid text index field: \(ErlangTerm.compact(element))")
      }
    }
    return fields
  }

  private static func name(_ json: JSON?) throws(QueryError) -> String? {
    let text = try string(json)
    guard text?.isEmpty != true else {
      throw QueryError(code: "invalid_string", reason: "Invalid string: <<>>")
    }
    return text
  }

  private static func string(_ json: JSON?) throws(QueryError) -> String? {
    guard let json else { return nil }
    guard case .string(let text) = json else {
      throw QueryError(
        code: "invalid_string", reason: "Invalid string: \(ErlangTerm.compact(json))")
    }
    return text
  }
}
