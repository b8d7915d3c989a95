import Core

/// Reads the documents and rows of a server's answers from a tape: bodies go from text to canonical
/// text, and no trees are made of them.
///
/// Servers add members of their own; what is not known is left out.
struct AnswerReader: ~Copyable {
  private var tape = JSONTape(capacity: 1 << 12)
  private var writer = CanonicalWriter()
  private var buffer = ByteBuffer(capacity: 1 << 12)

  // MARK: Listings

  /// The rows of a changes feed, and how it ended.
  mutating func changes(
    in bytes: UnsafeRawBufferPointer
  ) throws -> (rows: [Change], last: JSON?, pending: Int?) {
    try tape.parse(bytes)
    guard let results = tape.member("results", of: 0, in: bytes),
      tape[results].kind == .array
    else { throw AnswerFault(detail: "a changes feed without 'results'") }
    var rows: [Change] = []
    try forEachElement(of: results) { index, reader in
      if let change = try reader.change(at: index, in: bytes) { rows.append(change) }
    }
    return (rows, value(of: "last_seq", at: 0, in: bytes), pending(in: bytes))
  }

  private func pending(in bytes: UnsafeRawBufferPointer) -> Int? {
    value(of: "pending", at: 0, in: bytes)?.integerValue.map(Int.init)
  }

  /// One row of a feed, given as a text of its own; nil for a row that names no document.
  mutating func change(text bytes: UnsafeRawBufferPointer) throws -> Change? {
    try tape.parse(bytes)
    return try change(at: 0, in: bytes)
  }

  private mutating func change(
    at index: Int, in bytes: UnsafeRawBufferPointer
  ) throws -> Change? {
    guard let id = text(of: "id", at: index, in: bytes),
      let sequence = value(of: "seq", at: index, in: bytes)
    else { return nil }
    var revisions: [RevisionID] = []
    // Sync Gateway lists users among the documents: they count as rows, and have nothing to read.
    if !id.utf8.starts(with: "_user/".utf8),
      let list = tape.member("changes", of: index, in: bytes), tape[list].kind == .array
    {
      try forEachElement(of: list) { entry, reader in
        if let text = reader.text(of: "rev", at: entry, in: bytes) {
          revisions.append(try reader.revision(text))
        }
      }
    }
    var document: Document?
    if let doc = tape.member("doc", of: index, in: bytes), tape[doc].kind == .object {
      document = try self.document(at: doc, in: bytes)
    }
    return Change(
      sequence: UpdateSequence(sequence), id: id, revisions: revisions,
      isDeleted: tape.member("deleted", of: index, in: bytes).map { tape[$0].kind } == .true,
      document: document)
  }

  /// What `_bulk_get` answered, a list for each document asked for.
  mutating func bulkGet(in bytes: UnsafeRawBufferPointer) throws -> [[OpenRevision]] {
    try tape.parse(bytes)
    guard let results = tape.member("results", of: 0, in: bytes), tape[results].kind == .array
    else { throw AnswerFault(detail: "'_bulk_get' without 'results'") }
    var answers: [[OpenRevision]] = []
    try forEachElement(of: results) { index, reader in
      var answer: [OpenRevision] = []
      if let docs = reader.tape.member("docs", of: index, in: bytes),
        reader.tape[docs].kind == .array
      {
        try reader.forEachElement(of: docs) { entry, reader in
          if let found = try reader.openRevision(at: entry, in: bytes) { answer.append(found) }
        }
      }
      answers.append(answer)
    }
    return answers
  }

  /// An `{"ok": …}`, `{"missing": …}` or `{"error": …}`; nil for anything else.
  private mutating func openRevision(
    at index: Int, in bytes: UnsafeRawBufferPointer
  ) throws -> OpenRevision? {
    if let found = tape.member("ok", of: index, in: bytes) {
      return .found(try document(at: found, in: bytes))
    }
    if let text = text(of: "missing", at: index, in: bytes) { return .missing(try revision(text)) }
    guard let error = tape.member("error", of: index, in: bytes),
      let text = text(of: "rev", at: error, in: bytes), let revision = RevisionID(text)
    else { return nil }
    return .missing(revision)
  }

  /// What `_revs_diff` answered, in the answer's order.
  mutating func missingRevisions(
    in bytes: UnsafeRawBufferPointer
  ) throws -> [(id: String, MissingRevisions)] {
    try tape.parse(bytes)
    guard tape[0].kind == .object else {
      throw AnswerFault(detail: "'_revs_diff' without an object")
    }
    var answers: [(id: String, MissingRevisions)] = []
    var child = 1
    let end = Int(tape[0].next)
    while child < end {
      let missing = try revisions(of: "missing", at: child + 1, in: bytes)
      if !missing.isEmpty {
        answers.append(
          (
            tape.string(at: child, in: bytes),
            MissingRevisions(
              missing: missing,
              possibleAncestors: try revisions(
                of: "possible_ancestors", at: child + 1, in: bytes))
          ))
      }
      child = Int(tape[child + 1].next)
    }
    return answers
  }

  private func revisions(
    of name: String, at index: Int, in bytes: UnsafeRawBufferPointer
  ) throws -> [RevisionID] {
    guard let list = tape.member(name, of: index, in: bytes), tape[list].kind == .array else {
      return []
    }
    var revisions: [RevisionID] = []
    var child = list + 1
    let end = Int(tape[list].next)
    while child < end {
      if tape[child].kind == .string {
        revisions.append(try revision(tape.string(at: child, in: bytes)))
      }
      child = Int(tape[child].next)
    }
    return revisions
  }

  /// The rows of `GET ?open_revs=` as JSON.
  mutating func openRevisions(in bytes: UnsafeRawBufferPointer) throws -> [OpenRevision] {
    try tape.parse(bytes)
    guard tape[0].kind == .array else { throw AnswerFault(detail: "'open_revs' without a list") }
    var answers: [OpenRevision] = []
    try forEachElement(of: 0) { index, reader in
      if let answer = try reader.openRevision(at: index, in: bytes) { answers.append(answer) }
    }
    return answers
  }

  // MARK: Documents

  /// A document that is a text of its own, with the names of its attachments in their order.
  mutating func document(text bytes: UnsafeRawBufferPointer) throws -> Document {
    try tape.parse(bytes)
    return try document(at: 0, in: bytes)
  }

  private mutating func document(
    at index: Int, in bytes: UnsafeRawBufferPointer
  ) throws -> Document {
    guard tape[index].kind == .object else {
      throw StoreError.badRequest("Document must be a JSON object")
    }
    var reserved = JSONObject()
    var document = Document(id: "")
    var child = index + 1
    let end = Int(tape[index].next)
    while child < end {
      let key = tape[child]
      if key.length > 0, key.hasEscapes || bytes[Int(key.offset)] == UInt8(ascii: "_") {
        let name = tape.string(at: child, in: bytes)
        try read(name, at: child + 1, in: bytes, into: &document, &reserved)
      }
      child = Int(tape[child + 1].next)
    }
    if !reserved.isEmpty { try document.take(answer: reserved) }
    if let newest = document.history?.first { document.revision = newest }
    buffer.reset()
    writer.writeBody(index, of: tape, in: bytes, to: &buffer)
    document.body = DocumentBody(canonical: buffer.bytes())
    return document
  }

  private func read(
    _ name: String, at index: Int, in bytes: UnsafeRawBufferPointer,
    into document: inout Document, _ reserved: inout JSONObject
  ) throws {
    switch name {
    case "_id":
      guard tape[index].kind == .string else {
        throw StoreError.invalidDocumentID(reason: "Document id must be a string")
      }
      document.id = tape.string(at: index, in: bytes)
    case "_rev":
      guard tape[index].kind == .string else {
        throw StoreError.badRequest("Invalid rev format")
      }
      document.revision = try revision(tape.string(at: index, in: bytes))
    case "_deleted": document.isDeleted = tape[index].kind == .true
    case "_revisions": document.history = try history(at: index, in: bytes)
    case "_attachments", "_conflicts", "_deleted_conflicts", "_local_seq", "_revs_info":
      reserved[name] = tape.value(at: index, in: bytes)
    default: break
    }
  }

  private func history(
    at index: Int, in bytes: UnsafeRawBufferPointer
  ) throws -> [RevisionID]? {
    guard let start = value(of: "start", at: index, in: bytes)?.integerValue,
      let ids = tape.member("ids", of: index, in: bytes), tape[ids].kind == .array
    else { throw StoreError.invalidDocument("_revisions has no start or ids.") }
    var revisions: [RevisionID] = []
    var generation = Int(start)
    var child = ids + 1
    let end = Int(tape[ids].next)
    while child < end, generation >= 0 {
      guard tape[child].kind == .string, tape[child].length > 0 else {
        throw StoreError.invalidDocument("RevId isn't a string")
      }
      revisions.append(
        RevisionID(generation: generation, hash: tape.string(at: child, in: bytes)))
      generation -= 1
      child = Int(tape[child].next)
    }
    return revisions.isEmpty ? nil : revisions
  }

  // MARK: Values

  private mutating func forEachElement(
    of list: Int, _ body: (Int, inout AnswerReader) throws -> Void
  ) throws {
    var child = list + 1
    let end = Int(tape[list].next)
    while child < end {
      let next = Int(tape[child].next)
      try body(child, &self)
      child = next
    }
  }

  private func text(
    of name: String, at index: Int, in bytes: UnsafeRawBufferPointer
  ) -> String? {
    guard let value = tape.member(name, of: index, in: bytes), tape[value].kind == .string else {
      return nil
    }
    return tape.string(at: value, in: bytes)
  }

  private func value(
    of name: String, at index: Int, in bytes: UnsafeRawBufferPointer
  ) -> JSON? {
    tape.member(name, of: index, in: bytes).map { tape.value(at: $0, in: bytes) }
  }

  private func revision(_ text: String) throws -> RevisionID {
    guard let revision = RevisionID(text) else {
      throw AnswerFault(detail: "'\(text.prefix(80))' as a revision")
    }
    return revision
  }
}

/// Why an answer is not what the API promises.
struct AnswerFault: Error {
  let detail: String
}

extension Document {
  /// Takes over attachments and annotations.
  fileprivate mutating func take(answer members: JSONObject) throws {
    if let files = members["_attachments"] {
      attachments = try Document(json: ["_id": "x", "_attachments": files]).attachments
    }
    func revisions(_ key: String) throws -> [RevisionID]? {
      try members[key]?.arrayValue?.map { try RevisionID(json: $0) }
    }
    annotations.conflicts = try revisions("_conflicts")
    annotations.deletedConflicts = try revisions("_deleted_conflicts")
    annotations.sequence = members["_local_seq"].map { UpdateSequence($0).number ?? 0 }
    annotations.revisionsInfo = try members["_revs_info"]?.arrayValue?.map { row in
      RevisionInfo(
        revision: try RevisionID(json: row["rev"] ?? .null),
        status: RevisionInfo.Status(rawValue: row["status"]?.stringValue ?? "") ?? .missing)
    }
  }

  /// Reads a document that a server answered.
  init(answer bytes: [UInt8]) throws {
    var reader = AnswerReader()
    self = try bytes.withUnsafeBytes { try reader.document(text: $0) }
  }

  /// Reads a document that a server answered, from a tree.
  init(answer json: JSON) throws { try self.init(answer: json.serializedBytes()) }
}
