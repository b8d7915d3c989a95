import Core
import Sync
import Synchronization

/// The documents of the one-time store, as far as a pushing replicator needs them.
extension DropSession {
  /// Which revisions are not there yet.
  func missing(_ asked: [(id: String, revisions: [String])]) -> [(id: String, missing: [String])] {
    state.withLock { state in
      asked.compactMap { id, revisions in
        let known = state.documents[UTF8Key(id)] ?? []
        let missing = revisions.filter { RevisionID($0).map { !known.contains($0) } ?? true }
        return missing.isEmpty ? nil : (id, missing)
      }
    }
  }

  /// Takes note of a pushed document; its content is what its files come from.
  ///
  /// - Parameters:
  ///   - document: what was pushed.
  ///   - isMerge: the document brings its own revision (`new_edits=false`).
  /// - Returns: the revision.
  /// - Throws: 409 for an edit that does not name the present revision.
  func record(_ document: Document, isMerge: Bool) throws(Refusal) -> RevisionID {
    let result = state.withLock { state -> Result<RevisionID, Refusal> in
      let key = UTF8Key(document.id)
      let known = state.documents[key]
      guard known != nil || state.documents.count < Limits.documents else {
        return .failure(
          Refusal(413, "too_large", "more than \(Limits.documents) documents in one session"))
      }
      guard (known?.count ?? 0) < Limits.revisions else {
        return .failure(
          Refusal(413, "too_large", "more than \(Limits.revisions) revisions of a document"))
      }
      let revision: RevisionID
      if isMerge, let own = document.revision {
        revision = own
      } else {
        guard known?.max() == document.revision else {
          return .failure(Refusal(409, "conflict", "Document update conflict."))
        }
        revision = RevisionID(
          generation: (document.revision?.generation ?? 0) + 1, hash: RandomIdentifier.uuid())
      }
      state.documents[key, default: []].insert(revision)
      state.updates += 1
      state.lastActivity = .now
      return .success(revision)
    }
    return try result.get()
  }

  /// Takes a note back: its files did not come.
  func forget(_ id: String, _ revision: RevisionID) {
    state.withLock { _ = $0.documents[UTF8Key(id)]?.remove(revision) }
  }

  func local(_ id: String) -> JSON? { state.withLock { $0.locals[UTF8Key(id)] } }

  /// Keeps a checkpoint.
  ///
  /// - Returns: its revision.
  func setLocal(_ id: String, _ body: JSONObject) throws(Refusal) -> String {
    let result = state.withLock { state -> Result<String, Refusal> in
      let key = UTF8Key(id)
      guard state.locals[key] != nil || state.locals.count < Limits.locals else {
        return .failure(
          Refusal(413, "too_large", "more than \(Limits.locals) local documents"))
      }
      let last = state.locals[key]?["_rev"]?.stringValue?.dropFirst(2)
      let revision = "0-\((last.flatMap { Int($0) } ?? 0) + 1)"
      var body = body
      body["_id"] = .string("_local/\(id)")
      body["_rev"] = .string(revision)
      state.locals[key] = .object(body)
      return .success(revision)
    }
    return try result.get()
  }

  /// What `GET /drop` tells.
  var information: JSON {
    let (documents, updates) = state.withLock { ($0.documents.count, $0.updates) }
    return [
      "db_name": "drop", "doc_count": .integer(Int64(documents)), "doc_del_count": 0,
      "update_seq": .string("\(updates)-\(uuid.prefix(8))"), "purge_seq": "0",
      "instance_start_time": "0", "disk_format_version": 8, "compact_running": false,
      "sizes": ["active": 0, "external": 0, "file": 0], "props": [:],
      "cluster": ["q": 1, "n": 1, "w": 1, "r": 1], "uuid": .string(uuid),
    ]
  }
}
