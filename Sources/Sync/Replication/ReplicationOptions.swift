public import Core

/// What a replication is to do.
public struct ReplicationOptions: Sendable {
  /// Only these documents.
  public var ids: [String]?
  /// Only documents that match.
  public var selector: Selector?
  /// Only documents that pass a filter function of the source, whose text was loaded.
  public var filter: DesignFilter?
  /// Move deletions whatever the selector says: a tombstone rarely matches what its document did.
  public var movesEveryTombstone = false
  /// Keep running and move changes as they come.
  public var isContinuous = false
  /// Where to start, whatever earlier runs recorded.
  public var since: UpdateSequence?
  /// Remember how far the run came, and start where the last one ended.
  public var usesCheckpoints = true
  /// Changes looked at together, at least 1.
  public var batchSize = ReplicationTuning.batchSize

  /// Everything, once, from where the last run ended.
  public init() {}

  /// Whether only some documents are meant.
  public var isFiltered: Bool { ids != nil || selector != nil || filter != nil }

  /// What makes two replications of the same stores different ones; null for a full one.
  var filterJSON: JSON {
    if let ids {
      let sorted = ids.sorted { utf8Less($0, $1) }
      return ["ids": .array(sorted.map { .string($0) })]
    }
    if let selector {
      return movesEveryTombstone
        ? ["selector": selector.json, "tombstones": true] : ["selector": selector.json]
    }
    if let filter { return ["filter": filter.json] }
    return .null
  }

  /// What a replication's id depends on besides the two databases.
  var identityJSON: JSON {
    guard let since else { return filterJSON }
    return ["filter": filterJSON, "since": since.json]
  }

  /// Asks for the changes after a sequence.
  func request(since: UpdateSequence) throws -> ChangesRequest {
    var request = ChangesRequest()
    request.since = since
    request.limit = batchSize
    request.allLeaves = true
    request.ids = ids
    request.filter = filter
    request.selector = selector
    if let selector, movesEveryTombstone {
      request.selector = try Selector(["$or": [selector.json, ["_deleted": true]]])
    }
    return request
  }
}
