/// A design document of the language `query`: how CouchDB keeps its indexes, and replicates them.
///
/// A json index is a member of `views`, a text index one of `indexes`. The order of an index's fields is
/// read from `options.def`, since the members of `map.fields` have none here.
struct DesignIndexes {
  private var members: JSONObject

  private static let language = "query"

  /// The design document of one that is not there yet.
  init() {
    members = ["language": .string(Self.language)]
  }

  /// Nil when the document is of another language.
  init?(_ members: JSONObject) {
    guard members["language"]?.stringValue == Self.language else { return nil }
    self.members = members
  }

  /// Nil when the body is of another language.
  init?(body: [UInt8]) {
    guard let json = try? JSON(parsing: body), case .object(let members) = json else { return nil }
    self.init(members)
  }

  /// What is to be stored; nil when no index is left and nothing else is in the document.
  var body: DocumentBody? {
    let isEmpty = members["views"] == nil && members["indexes"] == nil
    guard members.count > (isEmpty && members["options"] != nil ? 2 : 1) else { return nil }
    return DocumentBody(canonical: JSON.object(members).serializedBytes(.canonical))
  }

  // MARK: Reading

  /// The indexes that can be read; others are passed over, as CouchDB does.
  ///
  /// In a partitioned store they serve its partitions unless the document says otherwise.
  func definitions(designDocument: String, isPartitioned: Bool = false) -> [IndexDefinition] {
    let option = members["options"]?["partitioned"]?.boolValue
    let views = entries("views").compactMap { name, view in
      try? Self.view(view, name: name, designDocument)
    }
    let texts = entries("indexes").compactMap { name, index in
      try? Self.text(index["index"] ?? .null, name: name, designDocument)
    }
    return (views + texts).map { definition in
      var definition = definition
      definition.isPartitioned = isPartitioned && option ?? true
      return definition
    }
  }

  /// Notes whether the document's indexes serve partitions.
  mutating func set(isPartitioned: Bool) {
    members["options"] = ["partitioned": .bool(isPartitioned)]
  }

  private func entries(_ member: String) -> [(key: String, value: JSON)] {
    guard case .object(let entries)? = members[member] else { return [] }
    return Array(entries)
  }

  private static func view(
    _ view: JSON, name: String, _ designDocument: String
  ) throws(QueryError) -> IndexDefinition {
    let map = view["map"] ?? .null
    let fields: [SortField]
    if let list = view["options"]?["def"]?["fields"] {
      fields = try SortField.list(list)
    } else if case .object(let members)? = map["fields"] {
      fields = try SortField.list(.array(members.map { .object([$0.key: $0.value]) }))
    } else {
      throw .missingKey("fields")
    }
    return IndexDefinition(
      unchecked: .json, fields: fields, partialFilter: try filter(map), name: name,
      designDocument: designDocument)
  }

  private static func text(
    _ index: JSON, name: String, _ designDocument: String
  ) throws(QueryError) -> IndexDefinition {
    guard let list = index["fields"] else { throw .missingKey("fields") }
    return IndexDefinition(
      unchecked: .text, fields: try IndexDefinition.textFields(list),
      partialFilter: try filter(index), name: name, designDocument: designDocument)
  }

  /// `selector` is what the filter was called at first.
  private static func filter(_ map: JSON) throws(QueryError) -> Selector {
    guard let json = map["partial_filter_selector"] ?? map["selector"] else { return .everything }
    return try Selector(json)
  }

  // MARK: Checking

  /// What is wrong with a design document that a user writes; nil for none, and for other languages.
  static func problem(in body: DocumentBody) -> String? {
    guard let design = DesignIndexes(body.members) else { return nil }
    for (name, view) in design.entries("views") {
      guard case .object? = view["map"] else {
        return "`map` of `views.\(name)` must be an object in the language `query`."
      }
    }
    return nil
  }

  // MARK: Changing

  /// Adds an index, or replaces the one of its name.
  ///
  /// - Parameters:
  ///   - definition: the index.
  ///   - source: `index` of the request that made it.
  mutating func set(_ definition: IndexDefinition, source: JSON) {
    let filter: JSON =
      definition.partialFilter == .everything ? [:] : definition.partialFilter.json
    switch definition.kind {
    case .json:
      var fields = JSONObject()
      for field in definition.fields {
        fields[field.path.text] = field.isDescending ? "desc" : "asc"
      }
      set(
        "views", definition.name,
        [
          "map": ["fields": .object(fields), "partial_filter_selector": filter],
          "reduce": "_count", "options": ["def": source],
        ])
    case .text:
      set(
        "indexes", definition.name,
        [
          "index": [
            "default_analyzer": "keyword", "default_field": [:], "selector": [:],
            "partial_filter_selector": filter, "index_array_lengths": true,
            "fields": .array(
              definition.fields.map { ["name": .string($0.path.text), "type": "string"] }),
          ],
          "analyzer": [
            "name": "perfield", "default": "keyword", "fields": ["$default": "standard"],
          ],
        ])
    }
  }

  /// Removes an index.
  mutating func remove(_ definition: IndexDefinition) {
    let member = definition.kind == .json ? "views" : "indexes"
    guard case .object(var entries)? = members[member] else { return }
    entries.removeValue(forKey: definition.name)
    if entries.isEmpty {
      members.removeValue(forKey: member)
    } else {
      members[member] = .object(entries)
    }
  }

  private mutating func set(_ member: String, _ name: String, _ value: JSON) {
    var entries = JSONObject()
    if case .object(let known)? = members[member] { entries = known }
    entries[name] = value
    members[member] = .object(entries)
  }
}
