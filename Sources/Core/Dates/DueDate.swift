/// When something is due: a day, or a point in time.
public enum DueDate: Hashable, Sendable {
  /// A whole day, wherever the reader is.
  case day(CivilDate)
  /// A point in time.
  case instant(Instant)

  /// Reads the stored form: `YYYY-MM-DD`, or RFC 3339 with an offset.
  public init?(_ text: some StringProtocol) {
    if let date = CivilDate(text) {
      self = .day(date)
    } else if let instant = Instant(rfc3339: text) {
      self = .instant(instant)
    } else {
      return nil
    }
  }

  /// The stored form: `YYYY-MM-DD`, or RFC 3339 in UTC.
  public var text: String {
    switch self {
    case .day(let date): date.description
    case .instant(let instant): instant.rfc3339
    }
  }

  /// The day it falls on for a reader in `zone`.
  public func day(in zone: LocalZone) -> CivilDate {
    switch self {
    case .day(let date): date
    case .instant(let instant): zone.reading(at: instant).date
    }
  }

  /// Whether it has passed: a point in time at once, a day only when the next one has begun.
  public func isOverdue(at now: Instant, in zone: LocalZone) -> Bool {
    switch self {
    case .day(let date): date < zone.reading(at: now).date
    case .instant(let instant): instant < now
    }
  }

  /// A position on one time line, for sorting: a day stands at its end, after its own hours.
  ///
  /// It is computed without a zone so that the order is the same on every machine.
  public var sortKey: Int64 {
    switch self {
    case .day(let date): Int64(date.dayNumber) * 86_400 + 86_399
    case .instant(let instant): instant.seconds
    }
  }
}
