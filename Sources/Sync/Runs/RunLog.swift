public import Core

/// What a store remembers of its replications: the other side it is usually synced with, and the last
/// runs.
///
/// It is a `_local/…` document, so it stays with the store and is never replicated.
public struct RunLog: Sendable, Hashable {
  /// The other side of the first run that went well, taken when a person names none.
  public var remote: String?
  /// The newest first.
  public private(set) var runs: [RunRecord]

  private static let documentID = DocumentID.localPrefix + "sync-runs"
  private static let limit = 50

  /// Nothing remembered.
  public init() { runs = [] }

  /// Reads what a store remembers.
  public init(of store: LocalStore) throws {
    self.init()
    do {
      self.init(try store.document(Self.documentID))
    } catch StoreError.documentNotFound {
      return
    }
  }

  private init(_ document: Document) {
    let members = document.body.members
    remote = members["remote"]?.stringValue
    runs = (members["runs"]?.arrayValue ?? []).compactMap(RunRecord.init(json:))
  }

  /// The last run for each other side and direction, the newest first.
  public var latest: [RunRecord] {
    var seen: Set<UTF8Key> = []
    return runs.filter { seen.insert(UTF8Key("\($0.direction.rawValue) \($0.remote)")).inserted }
  }

  /// Adds a run to what a store remembers.
  ///
  /// - Parameters:
  ///   - record: the run.
  ///   - store: the store.
  ///   - remembered: the other side to take from now on; nil leaves that as it is.
  /// - Throws: `StoreError` when the store cannot be written.
  public static func add(
    _ record: RunRecord, to store: LocalStore, remembering remembered: String? = nil
  ) async throws {
    try await store.update(documentID) { document in
      var log = document.map(RunLog.init) ?? RunLog()
      log.runs.insert(record, at: 0)
      if log.runs.count > limit { log.runs.removeLast(log.runs.count - limit) }
      if let remembered { log.remote = remembered }
      return Document(id: documentID, body: try DocumentBody(log.members))
    }
  }

  private var members: JSONObject {
    [
      "remote": remote.map { .string($0) } ?? .null, "runs": .array(runs.map(\.json)),
    ]
  }
}
