public import Core
import HTTP

extension RemoteStore {
  /// Reads a document, or one of its revisions.
  public func document(_ id: String, _ options: ReadOptions) async throws -> Document {
    var query = Self.parameters(options)
    if let revision = options.revision { query.append(("rev", revision.description)) }
    let json = try await rethrowing(id: id) {
      try await connection.json(.get, [id], query: query)
    }
    return try Document(answer: json)
  }

  /// Reads several revisions of a document.
  public func openRevisions(
    of id: String, _ choice: RevisionChoice, _ options: ReadOptions
  ) async throws -> [OpenRevision] {
    if options.attachmentBlobs {
      return try await openRevisionsWithBlobs(of: id, choice, options)
    }
    var query = Self.parameters(options)
    query += Self.parameters(choice)
    let json = try await rethrowing(id: id) {
      try await connection.json(.get, [id], query: query)
    }
    return try (json.arrayValue ?? []).map { row in
      if let found = row["ok"] { return .found(try Document(answer: found)) }
      return .missing(try RevisionID(json: row["missing"] ?? .null))
    }
  }

  /// Writes a new revision of a document and returns its name.
  @discardableResult
  public func put(_ document: Document) async throws -> RevisionID {
    let json = try await rethrowing(id: document.id) {
      try await connection.json(.put, [document.id], .json(document.json))
    }
    return try RevisionID(json: json["rev"] ?? .null)
  }

  /// Deletes a document and returns the tombstone's name.
  @discardableResult
  public func delete(_ id: String, revision: RevisionID?) async throws -> RevisionID {
    let query = revision.map { [(name: "rev", value: $0.description)] } ?? []
    let json = try await rethrowing(id: id) {
      try await connection.json(.delete, [id], query: query)
    }
    return try RevisionID(json: json["rev"] ?? .null)
  }

  // MARK: Parameters

  static func parameters(_ options: ReadOptions) -> [(name: String, value: String)] {
    var query: [(name: String, value: String)] = []
    if options.history { query.append(("revs", "true")) }
    if options.revisionsInfo { query.append(("revs_info", "true")) }
    if options.conflicts { query.append(("conflicts", "true")) }
    if options.deletedConflicts { query.append(("deleted_conflicts", "true")) }
    if options.sequence { query.append(("local_seq", "true")) }
    if options.attachmentBytes { query.append(("attachments", "true")) }
    if !options.attachmentsSince.isEmpty {
      query.append(("atts_since", list(options.attachmentsSince)))
    }
    return query
  }

  static func parameters(_ choice: RevisionChoice) -> [(name: String, value: String)] {
    switch choice {
    case .leaves: [("open_revs", "all")]
    case .named(let revisions): [("open_revs", list(revisions))]
    case .latest(let revisions): [("open_revs", list(revisions)), ("latest", "true")]
    }
  }

  private static func list(_ revisions: [RevisionID]) -> String {
    JSON.array(revisions.map { .string($0.description) }).serialized()
  }
}

extension Document {
  /// Reads a document that a server answered.
  ///
  /// Servers add members of their own; what is not known is left out.
  init(answer json: JSON) throws {
    var known = json
    if case .object(let members) = json {
      let kept: Set<String> = ["_id", "_rev", "_deleted", "_attachments", "_revisions"]
      known = .object(
        JSONObject(
          members.filter { $0.key.utf8.first != UInt8(ascii: "_") || kept.contains($0.key) }
            .map { ($0.key, $0.value) }))
    }
    try self.init(json: known)
    func revisions(_ key: String) throws -> [RevisionID]? {
      try json[key]?.arrayValue?.map { try RevisionID(json: $0) }
    }
    annotations.conflicts = try revisions("_conflicts")
    annotations.deletedConflicts = try revisions("_deleted_conflicts")
    annotations.sequence = json["_local_seq"].map { UpdateSequence($0).number ?? 0 }
    annotations.revisionsInfo = try json["_revs_info"]?.arrayValue?.map { row in
      RevisionInfo(
        revision: try RevisionID(json: row["rev"] ?? .null),
        status: RevisionInfo.Status(rawValue: row["status"]?.stringValue ?? "") ?? .missing)
    }
  }
}
