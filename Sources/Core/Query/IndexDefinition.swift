/// What an index is over.
public struct IndexDefinition: Sendable, Hashable {
  /// What an index answers.
  public enum Kind: String, Sendable {
    /// Ranges and orders of values.
    case json
    /// Words in text.
    case text
  }

  /// The design document it belongs to, `_design/…`.
  ///
  /// One that was made by this program's commands has no such document; then it is only a name.
  public var designDocument: String
  /// Its name within the design document.
  public var name: String
  /// What it answers.
  public var kind: Kind
  /// The indexed fields, in order.
  ///
  /// A json index holds the documents that have all of them.
  public var fields: [SortField]
  /// Which documents it holds; everything when there is no restriction.
  public var partialFilter: Selector
  /// Whether it serves searches of one partition, and not those of the whole store.
  public var isPartitioned = false

  /// Makes a definition; names that are not given are derived from the rest, so that making the same
  /// index twice makes one.
  ///
  /// - Parameters:
  ///   - kind: what it answers.
  ///   - fields: the indexed fields.
  ///   - partialFilter: which documents it holds.
  ///   - name: its name.
  ///   - designDocument: the design document, with or without `_design/`.
  /// - Throws: ``QueryError`` `invalid_index` when a field cannot be indexed.
  public init(
    kind: Kind = .json, fields: [SortField], partialFilter: Selector = .everything,
    name: String? = nil, designDocument: String? = nil
  ) throws(QueryError) {
    self.init(
      unchecked: kind, fields: fields, partialFilter: partialFilter, name: name,
      designDocument: designDocument)
    if let field = fields.first(where: { !Self.canIndex($0.path, kind) }) {
      throw QueryError(
        code: "invalid_index", reason: "The field \(field.path.text) cannot be indexed.")
    }
  }

  /// Over HTTP any field is taken; an index over one that cannot be indexed is just never used.
  init(
    unchecked kind: Kind, fields: [SortField], partialFilter: Selector, name: String?,
    designDocument: String?
  ) {
    self.kind = kind
    self.fields = fields
    self.partialFilter = partialFilter
    let derived = Self.derivedName(kind, fields, partialFilter)
    self.name = name ?? derived
    self.designDocument = Self.designDocumentID(designDocument ?? derived)
  }

  /// An index for documents of one type (`@datatype`).
  ///
  /// - Parameters:
  ///   - type: the type.
  ///   - fields: the indexed fields.
  /// - Returns: the definition.
  /// - Throws: ``QueryError`` as the initializer.
  public static func ofType(
    _ type: String, fields: [SortField]
  ) throws(QueryError) -> IndexDefinition {
    try IndexDefinition(
      fields: fields, partialFilter: try Selector(["@datatype": ["$eq": .string(type)]]))
  }

  /// Whether it can be used: members that are made when a document is shown, such as `_conflicts`,
  /// cannot be indexed.
  var isComplete: Bool { fields.allSatisfy { Self.canIndex($0.path, kind) } }

  private static func canIndex(_ path: FieldPath, _ kind: Kind) -> Bool {
    (path.isImplicit && kind == .json) || path.names.first?.utf8.first != UInt8(ascii: "_")
  }

  /// Completes a design document's name to its id.
  static func designDocumentID(_ name: String) -> String {
    name.utf8.starts(with: "_design/".utf8) ? name : "_design/" + name
  }

  /// Forty hexadecimal digits of a hash of the definition.
  private static func derivedName(
    _ kind: Kind, _ fields: [SortField], _ partialFilter: Selector
  ) -> String {
    let definition: JSON = [
      "type": .string(kind.rawValue), "fields": .array(fields.map(\.json)),
      "partial_filter_selector": partialFilter.json,
    ]
    var digest = SHA256()
    digest.update(definition.serializedBytes(.canonical))
    return hexadecimal(digest.finish().prefix(20))
  }

  /// As `GET /{db}/_index` lists it.
  public var json: JSON {
    var definition: JSONObject = ["fields": .array(fields.map(\.json))]
    if partialFilter != .everything {
      definition["partial_filter_selector"] = partialFilter.json
    }
    return [
      "ddoc": .string(designDocument), "name": .string(name), "type": .string(kind.rawValue),
      "partitioned": .bool(isPartitioned), "def": .object(definition),
    ]
  }

  /// The first row of every list: the documents by id.
  public static let allDocumentsJSON: JSON = [
    "ddoc": nil, "name": "_all_docs", "type": "special", "def": ["fields": [["_id": "asc"]]],
  ]
}
