import Core

/// What one side remembers of a replication, in the form of CouchDB's replication protocol
/// (version 3, "Checkpoints"; `replication_id_version` 4).
struct Checkpoint: Sendable {
  /// A run, as the history lists it.
  struct Session: Sendable {
    var id: String
    /// How far the run came, recorded when everything before was safe on the target.
    var recorded: UpdateSequence
    /// The members as they were read, so that what other programs wrote there is kept.
    var json: JSONObject
  }

  /// Runs, the newest first.
  var history: [Session]
  /// Documents that failed, to be tried again: ids.
  var failed: [String]
  /// The other side refused to keep a checkpoint, so this one alone counts.
  var isAlone: Bool
  /// The checkpoint document's own revision.
  var revision: RevisionID?
  /// The body that was written last, by this run.
  var saved: DocumentBody?

  /// CouchDB keeps as many.
  private static let historyLimit = 50

  init() {
    history = []
    failed = []
    isAlone = false
  }

  /// Reads a checkpoint document; members that are missing or odd count as nothing recorded.
  init(_ document: Document) {
    let members = document.body.members
    revision = document.revision
    failed = members["failed"]?.arrayValue?.compactMap(\.stringValue) ?? []
    isAlone = members["other_refused"] == .bool(true)
    history = (members["history"]?.arrayValue ?? []).compactMap { entry in
      guard let json = entry.objectValue, let id = json["session_id"]?.stringValue,
        let recorded = json["recorded_seq"]
      else { return nil }
      return Session(id: id, recorded: UpdateSequence(recorded), json: json)
    }
    // The last run's sequence stands at the top too; PouchDB's documents have only that.
    if let id = members["session_id"]?.stringValue, let last = members["source_last_seq"],
      history.first?.id != id
    {
      history.insert(
        Session(
          id: id, recorded: UpdateSequence(last),
          json: ["session_id": .string(id), "recorded_seq": last]), at: 0)
    }
  }

  /// Puts the state of the current run at the head of the history.
  mutating func record(_ session: Session) {
    if history.first?.id == session.id { history.removeFirst() }
    history.insert(session, at: 0)
    if history.count > Self.historyLimit { history.removeLast(history.count - Self.historyLimit) }
  }

  /// The members of the checkpoint document.
  var body: JSONObject {
    var members: JSONObject = [
      "session_id": .string(history.first?.id ?? ""),
      "source_last_seq": history.first?.recorded.json ?? 0,
      "replication_id_version": 4,
      "history": .array(history.map { .object($0.json) }),
    ]
    if !failed.isEmpty { members["failed"] = .array(failed.map { .string($0) }) }
    if isAlone { members["other_refused"] = true }
    return members
  }

  /// Where a run may start, given what both sides remember: the newest session both know, as the
  /// source recorded it.
  ///
  /// A side that was wiped or restored knows nothing newer than it has.
  static func common(source: Checkpoint, target: Checkpoint) -> UpdateSequence? {
    if source.history.isEmpty, target.isAlone { return target.history.first?.recorded }
    if target.history.isEmpty, source.isAlone { return source.history.first?.recorded }
    let known = Set(target.history.map(\.id))
    return source.history.first { known.contains($0.id) }?.recorded
  }
}
