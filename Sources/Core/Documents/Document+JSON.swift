extension Document {
  /// The document in CouchDB's shape: `_id`, `_rev`, the body's members, `_deleted`, `_attachments`
  /// and the annotations that are present.
  public var json: JSON {
    var members = JSONObject()
    members.append(key: "_id", value: .string(id))
    if let revision { members.append(key: "_rev", value: .string(revision.description)) }
    for (key, value) in body.members { members.append(key: key, value: value) }
    for (key, value) in trailingMembers { members.append(key: key, value: value) }
    return .object(members)
  }

  /// The same as compact text, made from the stored body without parsing it.
  public var jsonBytes: [UInt8] {
    var text = ByteBuffer(
      capacity: body.bytes.count + id.utf8.count + 40 * (history?.count ?? 0) + 120)
    appendJSON(to: &text)
    return text.bytes()
  }

  /// Appends the compact text.
  package func appendJSON(to text: inout ByteBuffer) {
    text.append(literal: "{\"_id\":")
    text.appendJSONString(id)
    if let revision {
      text.append(literal: ",\"_rev\":")
      text.appendJSONString(revision.description)
    }
    if body.bytes.count > 2 {
      text.append(literal: ",")
      body.bytes.withUnsafeBytes {
        text.append(UnsafeRawBufferPointer(rebasing: $0[1..<$0.count - 1]))
      }
    }
    if isDeleted { text.append(literal: ",\"_deleted\":true") }
    if let history, let newest = history.first {
      text.append(literal: ",\"_revisions\":{\"start\":")
      text.append(decimal: Int64(newest.generation))
      text.append(literal: ",\"ids\":[")
      for (index, revision) in history.enumerated() {
        if index > 0 { text.append(literal: ",") }
        text.appendJSONString(revision.hashText)
      }
      text.append(literal: "]}")
    }
    for (key, value) in rareMembers {
      text.append(literal: ",")
      text.appendJSONString(key)
      text.append(literal: ":")
      text.append(value.serializedBytes())
    }
    text.append(literal: "}")
  }

  private var trailingMembers: JSONObject {
    var members = JSONObject()
    if isDeleted { members.append(key: "_deleted", value: true) }
    if let history, let newest = history.first {
      let ids = history.map { JSON.string($0.hashText) }
      members.append(
        key: "_revisions",
        value: ["start": .integer(Int64(newest.generation)), "ids": .array(ids)])
    }
    for (key, value) in rareMembers { members.append(key: key, value: value) }
    return members
  }

  /// What only some reads ask for, and attachments.
  private var rareMembers: JSONObject {
    var members = JSONObject()
    if let info = annotations.revisionsInfo {
      let rows = info.map {
        ["rev": .string($0.revision.description), "status": .string($0.status.rawValue)] as JSON
      }
      members.append(key: "_revs_info", value: .array(rows))
    }
    if !attachments.isEmpty {
      members.append(
        key: "_attachments",
        value: .object(
          JSONObject(
            attachments.map { ($0.name, $0.json(encoding: annotations.attachmentEncoding)) })))
    }
    if let sequence = annotations.sequence {
      members.append(key: "_local_seq", value: .integer(Int64(sequence)))
    }
    // CouchDB leaves the lists of conflicts out when they are empty.
    if let conflicts = annotations.conflicts, !conflicts.isEmpty {
      members.append(key: "_conflicts", value: .array(conflicts.map { .string($0.description) }))
    }
    if let deleted = annotations.deletedConflicts, !deleted.isEmpty {
      members.append(
        key: "_deleted_conflicts", value: .array(deleted.map { .string($0.description) }))
    }
    return members
  }
}

extension Attachment {
  /// The attachment in CouchDB's shape: a stub, or with its bytes in base 64.
  ///
  /// - Parameter tellsEncoding: whether `encoding` and `encoded_length` are told when the bytes are
  ///   stored encoded.
  /// - Returns: an object.
  public func json(encoding tellsEncoding: Bool = false) -> JSON {
    var members: JSONObject = [
      "content_type": .string(contentType), "revpos": .integer(Int64(revisionPosition)),
      "digest": .string(digest),
    ]
    switch content {
    case .inline(let bytes):
      members["data"] = .string(base64(bytes))
    case .follows:
      members["length"] = .integer(Int64(length))
      members["follows"] = true
    case .stub, .staged:
      members["length"] = .integer(Int64(length))
      members["stub"] = true
    }
    if tellsEncoding, let encoding {
      members["encoding"] = .string(encoding)
      members["encoded_length"] = .integer(Int64(storedLength))
    }
    return .object(members)
  }
}
