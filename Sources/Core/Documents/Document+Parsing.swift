extension Document {
  /// Reads a document from CouchDB's shape.
  ///
  /// `_revisions` gives `history`, and with it `revision`, whatever `_rev` says. `_conflicts`,
  /// `_deleted_conflicts`, `_revs_info` and `_local_seq` are answers, not content: they are ignored.
  ///
  /// - Parameters:
  ///   - json: the object.
  ///   - id: the id when it is known from elsewhere; it overrides `_id`. With neither, a
  ///     time-ordered one is made.
  /// - Throws: `StoreError.badRequest`, `.invalidDocument` or `.invalidDocumentID` with CouchDB's
  ///   reasons.
  public init(json: JSON, id: String? = nil) throws {
    guard case .object(let members) = json else {
      throw StoreError.badRequest("Document must be a JSON object")
    }
    var body = JSONObject()
    body.reserveCapacity(members.count)
    var reserved = JSONObject()
    for (key, value) in members {
      if key.utf8.first == UInt8(ascii: "_"), !DocumentBody.replicationMembers.contains(key) {
        reserved.append(key: key, value: value)
      } else {
        body.append(key: key, value: value)
      }
    }
    self.init(id: try id ?? Self.id(from: reserved["_id"]))
    self.body = try DocumentBody(body)
    for (key, value) in reserved { try read(member: key, value) }
    if let history { revision = history.first }
    attachments.sortByName()
  }

  private static func id(from json: JSON?) throws -> String {
    guard let json else { return RandomIdentifier.timeOrdered() }
    guard case .string(let id) = json else {
      throw StoreError.invalidDocumentID(reason: "Document id must be a string")
    }
    return id
  }

  private mutating func read(member key: String, _ value: JSON) throws {
    switch key {
    case "_id", "_conflicts", "_deleted_conflicts", "_revs_info", "_local_seq": break
    case "_rev": revision = try RevisionID(json: value)
    case "_revisions": history = try Self.history(from: value)
    case "_attachments": attachments = try Self.attachments(from: value)
    case "_deleted":
      guard case .bool(let flag) = value else { throw StoreError.badMember(key) }
      isDeleted = flag
    default: throw StoreError.badMember(key)
    }
  }

  /// Reads `_revisions`, newest first; nil when it names nothing.
  static func history(from json: JSON) throws -> [RevisionID]? {
    guard case .object(let members) = json else { throw StoreError.badMember("_revisions") }
    guard case .integer(let start)? = members["start"], start >= 0,
      start <= Int64(RevisionID.maximumGeneration)
    else {
      throw StoreError.invalidDocument("_revisions.start isn't an integer.")
    }
    guard case .array(let ids)? = members["ids"] else {
      throw StoreError.invalidDocument("_revisions.ids isn't a array.")
    }
    let revisions = try ids.enumerated().map { distance, id in
      guard case .string(let hash) = id, !hash.isEmpty else {
        throw StoreError.invalidDocument("RevId isn't a string")
      }
      return RevisionID(generation: Int(start) - distance, hash: hash)
    }
    // CouchDB takes a list longer than its start; a generation below zero names nothing.
    let sensible = revisions.filter { $0.generation >= 0 }
    return sensible.isEmpty ? nil : sensible
  }

  private static func attachments(from json: JSON) throws -> [Attachment] {
    guard case .object(let members) = json else { throw StoreError.badMember("_attachments") }
    return try members.compactMap { name, value in
      // CouchDB ignores an attachment that is no object.
      guard case .object(let description) = value else { return nil }
      try Attachment.check(name: name)
      return try Attachment(name: name, json: description)
    }
  }
}

extension RevisionID {
  /// Reads `_rev`.
  package init(json: JSON) throws(StoreError) {
    guard case .string(let text) = json, let revision = RevisionID(text) else {
      throw .badRequest("Invalid rev format")
    }
    self = revision
  }
}

extension StoreError {
  fileprivate static func badMember(_ key: String) -> StoreError {
    .invalidDocument("Bad special document member: \(key)")
  }
}

extension Attachment {
  /// Reads one member of `_attachments`.
  fileprivate init(name: String, json members: JSONObject) throws {
    self.init(
      name: name, contentType: members["content_type"]?.stringValue ?? "application/octet-stream",
      digest: members["digest"]?.stringValue ?? "",
      length: members["length"]?.integerValue.map(Int.init) ?? 0,
      revisionPosition: members["revpos"]?.integerValue.map(Int.init) ?? 0)
    encoding = members["encoding"]?.stringValue.flatMap { $0 == "identity" ? nil : $0 }
    encodedLength = members["encoded_length"]?.integerValue.map(Int.init)
    if members["stub"] == .bool(true) {
      content = .stub
    } else if members["follows"] == .bool(true) {
      content = .follows
    } else {
      guard let text = members["data"]?.stringValue, let bytes = base64Decoded(text) else {
        throw StoreError.badRequest("Invalid attachment data for \(name)")
      }
      content = .inline(bytes)
      // CouchDB answers `encoding` with decoded bytes and ignores it in documents it is sent; ours
      // stay encoded, which shows in their first bytes.
      if !bytes.starts(with: [0x1f, 0x8b]) { encoding = nil }
    }
  }
}
