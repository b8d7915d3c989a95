public import Core

/// What a replication is to do.
public struct ReplicationOptions: Sendable {
  /// Only these documents.
  public var ids: [String]?
  /// Only documents that match.
  public var selector: Selector?
  /// Only documents that pass a filter function of the source, whose text was loaded.
  public var filter: DesignFilter?
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
    if let selector { return ["selector": selector.json] }
    if let filter { return ["filter": filter.json] }
    return .null
  }
}

/// The numbers that decide speed and patience, each with its reason.
enum ReplicationTuning {
  /// Rows of the changes feed asked for at once: CouchDB's own worker batch.
  static let batchSize = 500

  /// Documents are written when so many bytes of bodies are together: memory stays bounded however
  /// large they are, and requests stay far below servers' limits.
  static let batchBytes = 4 << 20

  /// Documents read at once, before their sizes are known.
  static let readCount = 100

  /// Checkpoints while running: a kill costs at most this much work again.
  static let checkpointInterval: Duration = .seconds(5)

  /// Attempts before a one-shot run gives up on a transient failure.
  static let attempts = 6

  /// Failed documents remembered by a checkpoint; with more the checkpoint stays before the first.
  static let rememberedFailures = 1_000

  /// How long one wait for changes lasts; servers behind proxies cut longer ones.
  static let waitMilliseconds = 25_000
}
