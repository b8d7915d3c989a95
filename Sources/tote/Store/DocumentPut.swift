import Core

/// Writes the document of `tote store put`, in one of its three ways.
struct DocumentPut {
  let store: any DocumentStore
  let context: Context

  /// Writes a document as a new revision.
  ///
  /// - Parameters:
  ///   - members: the document as typed.
  ///   - id: its id, if it was given beside the document; it wins over `_id`.
  ///   - revision: the revision it replaces, if it was given beside the document.
  ///   - replacesLatest: whether the current revision is replaced, whichever it is.
  /// - Returns: what was written.
  /// - Throws: `StoreError` or `CommandError`; nothing was written then.
  func put(
    _ members: JSONObject, id: String?, revision: RevisionID?, replacesLatest: Bool
  ) async throws -> Written {
    var document = try Document(json: .object(members), id: id)
    guard !replacesLatest else {
      let result = try await store.update(document.id) { current in
        try noteLostAttachments(from: current, to: document)
        return document
      }
      return Written(id: document.id, revision: result.revision)
    }
    document.revision = try agreed(revision, document.revision)
    if document.revision != nil {
      let old = try? await store.document(document.id, ReadOptions())
      try noteLostAttachments(from: old, to: document)
    }
    do {
      return Written(id: document.id, revision: try await store.put(document))
    } catch StoreError.conflict(let id, let known) {
      // A server does not tell which revision is in the way.
      var current = known
      if current == nil { current = try? await store.document(id, ReadOptions()).revision }
      guard let current else { throw StoreError.conflict(id: id, current: nil) }
      throw refusal(id, current, named: document.revision)
    }
  }

  private func refusal(
    _ id: String, _ current: RevisionID, named: RevisionID?
  ) -> CommandError {
    let (store, name) = (shellQuoted(store.name), shellQuoted(id))
    return CommandError(
      .conflict, "conflict",
      named == nil
        ? "document '\(id)' exists already"
        : "document '\(id)' was changed by someone else; its revision is now \(current)",
      hint: named == nil
        ? "change it with '--merge' or 'tote store edit \(store) \(name)', or replace its revision "
          + "with '--rev \(current)'"
        : "read it again with 'tote store get \(store) \(name)' and repeat your change",
      details: [("id", .string(id)), ("current", .string(current.description))])
  }

  /// Changes the members given and leaves the others, and the attachments.
  func merge(
    _ members: JSONObject, into id: String?, revision: RevisionID?
  ) async throws -> Written {
    guard let id = id ?? members["_id"]?.stringValue else {
      throw CommandError.usage(
        "'--merge' needs the id of a document",
        hint: "give DOC before the JSON, or '_id' in it")
    }
    let (patch, given) = try userMembers(of: members)
    guard let base = try agreed(revision, given) else {
      let result = try await store.update(id) { current in
        try merged(current ?? Document(id: id), patch)
      }
      return Written(id: id, revision: result.revision)
    }
    let current = try await store.document(id, ReadOptions(revision: base))
    return Written(id: id, revision: try await store.put(try merged(current, patch)))
  }

  private func merged(_ document: Document, _ patch: JSON) throws -> Document {
    var document = document
    let members = JSON.object(document.body.members).merged(with: patch)
    document.body = try DocumentBody(members.objectValue ?? [:])
    return document
  }

  /// Takes `_id` and `_rev` off a patch; no other member of the store's own can be merged.
  private func userMembers(of members: JSONObject) throws -> (patch: JSON, RevisionID?) {
    var patch = JSONObject()
    var revision: RevisionID?
    for (key, value) in members {
      switch key {
      case "_id": break
      case "_rev": revision = try RevisionID(json: value)
      case _ where key.utf8.first == UInt8(ascii: "_"):
        throw CommandError.invalidInput(
          "'\(key)' cannot be merged",
          hint: "use 'tote store attach', 'detach' or 'rm' for what is not a member of your own")
      default: patch.append(key: key, value: value)
      }
    }
    return (.object(patch), revision)
  }

  /// The revision that the option and the document name, if they do not contradict each other.
  private func agreed(_ option: RevisionID?, _ member: RevisionID?) throws -> RevisionID? {
    if let option, let member, option != member {
      throw CommandError.invalidInput(
        "'--rev' names revision \(option), and '_rev' in the document \(member)",
        hint: "give only one of them")
    }
    return option ?? member
  }

  /// Attachments that are not listed go with the old revision, as in CouchDB; that is worth a word.
  private func noteLostAttachments(from old: Document?, to new: Document) throws {
    let kept = Set(new.attachments.map { UTF8Key($0.name) })
    let lost = (old?.attachments ?? []).filter { !kept.contains(UTF8Key($0.name)) }
    guard !lost.isEmpty else { return }
    let names = lost.map { "'\($0.name)'" }.joined(separator: ", ")
    try context.note("no longer attached to '\(new.id)': \(names)")
  }
}
