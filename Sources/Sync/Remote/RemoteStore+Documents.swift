public import Core
import HTTP

extension RemoteStore {
  /// Reads a document, or one of its revisions.
  public func document(_ id: String, _ options: ReadOptions) async throws -> Document {
    var query = Self.parameters(options)
    if let revision = options.revision { query.append(("rev", revision.description)) }
    let call = RemoteConnection.Call(segments: [id], query: query)
    let bytes = try await rethrowing(id: id) {
      try await connection.read(try await connection.send(call))
    }
    return try reading { try Document(answer: bytes) }
  }

  /// Writes a new revision of a document and returns its name.
  @discardableResult
  public func put(_ document: Document) async throws -> RevisionID {
    if document.attachments.contains(where: \.isStaged) {
      switch try await write([document], mode: .edits).first {
      case .written(_, let revision)?: return revision
      case .refused(_, let error)?: throw error
      case nil: break
      }
    }
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
    if options.attachmentEncoding { query.append(("att_encoding_info", "true")) }
    if !options.attachmentsSince.isEmpty {
      query.append(("atts_since", list(newest(options.attachmentsSince))))
    }
    return query
  }

  /// Longer lists of ancestors make longer addresses, and the newest ones tell most.
  static let ancestorLimit = 50

  static func parameters(_ choice: RevisionChoice) -> [(name: String, value: String)] {
    switch choice {
    case .leaves: [("open_revs", "all")]
    case .named(let revisions): [("open_revs", list(revisions))]
    case .latest(let revisions): [("open_revs", list(revisions)), ("latest", "true")]
    }
  }

  private static func newest(_ revisions: [RevisionID]) -> [RevisionID] {
    Array(revisions.sorted { $1 < $0 }.prefix(ancestorLimit))
  }

  private static func list(_ revisions: [RevisionID]) -> String {
    JSON.array(revisions.map { .string($0.description) }).serialized()
  }
}
