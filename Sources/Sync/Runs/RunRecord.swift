public import Core

/// A run of a replication as a store remembers it.
public struct RunRecord: Sendable, Hashable {
  /// Where the changes went.
  public enum Direction: String, Sendable, Hashable, CaseIterable {
    /// Into the store.
    case pull
    /// Out of the store.
    case push
  }

  /// Where the changes went.
  public var direction: Direction
  /// The other side, as a person names it; without secrets.
  public var remote: String
  /// When it began.
  public var started: Instant
  /// When it ended.
  public var ended: Instant
  /// Where it started in the source's feed.
  public var since: UpdateSequence
  /// How far it came.
  public var through: UpdateSequence
  /// Documents read from the source.
  public var read: Int
  /// Documents written to the target.
  public var written: Int
  /// Documents that could not be moved.
  public var failed: Int
  /// Only some documents were meant.
  public var isFiltered: Bool
  /// What ended it early; nil when it came to its end.
  public var error: String?

  /// Describes a run.
  ///
  /// - Parameters:
  ///   - direction: where the changes went.
  ///   - remote: the other side.
  ///   - started: when it began.
  ///   - ended: when it ended.
  ///   - report: what it did; nil when it did not come that far.
  ///   - isFiltered: whether only some documents were meant.
  ///   - error: what ended it early.
  public init(
    _ direction: Direction, with remote: String, started: Instant, ended: Instant,
    report: ReplicationReport?, isFiltered: Bool, error: String? = nil
  ) {
    self.direction = direction
    self.remote = remote
    self.started = started
    self.ended = ended
    since = report?.startSequence ?? .start
    through = report?.lastSequence ?? .start
    read = report?.read ?? 0
    written = report?.written ?? 0
    failed = report?.failureCount ?? 0
    self.isFiltered = isFiltered
    self.error = error
  }
}

extension RunRecord {
  /// Describes the writing or application of a bundle.
  ///
  /// - Parameters:
  ///   - direction: whether it was applied or written.
  ///   - path: the file.
  ///   - started: when it began.
  ///   - ended: when it ended.
  ///   - bundle: what was done.
  ///   - isFiltered: whether only some documents were meant.
  public init(
    _ direction: Direction, with path: String, started: Instant, ended: Instant,
    bundle: BundleReport, isFiltered: Bool
  ) {
    self.init(
      direction, with: path, started: started, ended: ended, report: nil, isFiltered: isFiltered)
    since = bundle.header?.since ?? .start
    through = bundle.through
    read = bundle.documents
    written = direction == .push ? bundle.documents : bundle.written
    failed = bundle.failures.count
  }

  /// The record as it is kept.
  var json: JSON {
    [
      "direction": .string(direction.rawValue), "remote": .string(remote),
      "started": .string(started.rfc3339), "ended": .string(ended.rfc3339), "since": since.json,
      "through": through.json, "read": .integer(Int64(read)), "written": .integer(Int64(written)),
      "failed": .integer(Int64(failed)), "filtered": .bool(isFiltered),
      "error": error.map { .string($0) } ?? .null,
    ]
  }

  /// Reads what `json` wrote; nil when it is something else.
  init?(json: JSON) {
    guard let direction = json["direction"]?.stringValue.flatMap(Direction.init(rawValue:)),
      let remote = json["remote"]?.stringValue,
      let started = json["started"]?.stringValue.flatMap({ Instant(rfc3339: $0) }),
      let ended = json["ended"]?.stringValue.flatMap({ Instant(rfc3339: $0) })
    else { return nil }
    func number(_ key: String) -> Int { json[key]?.integerValue.map(Int.init) ?? 0 }
    self.direction = direction
    self.remote = remote
    self.started = started
    self.ended = ended
    since = UpdateSequence(json["since"] ?? 0)
    through = UpdateSequence(json["through"] ?? 0)
    read = number("read")
    written = number("written")
    failed = number("failed")
    isFiltered = json["filtered"] == .bool(true)
    error = json["error"]?.stringValue
  }
}
