/// Dates as people read them in tables: English, 24-hour clock, never localized.
public struct HumanDate: Sendable {
  /// The moment the reader is at.
  public let now: Instant
  /// The zone times are shown in.
  public let zone: LocalZone

  /// Creates a formatter for a reader at `now` in `zone`.
  public init(now: Instant, zone: LocalZone) {
    self.now = now
    self.zone = zone
  }

  private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// `Thu 2 Jan`, or `2031-01-02` when the year is not the reader's.
  public func short(_ date: CivilDate) -> String {
    guard date.year == zone.reading(at: now).date.year else { return date.description }
    return named(date)
  }

  /// `Thu 2 Jan 2030`, for confirmations: a misread date is seen at once.
  public func full(_ date: CivilDate) -> String { named(date) + " " + String(date.year) }

  /// `Thu 2 Jan 14:30`, or `2031-01-02 14:30` when the year is not the reader's.
  public func short(_ instant: Instant) -> String {
    let reading = zone.reading(at: instant)
    return short(reading.date) + " " + clock(reading)
  }

  /// A due date: as a day, or with its time.
  public func short(_ due: DueDate) -> String {
    switch due {
    case .day(let date): short(date)
    case .instant(let instant): short(instant)
    }
  }

  /// A due date in full, with the offset when the zone is not the one times are usually shown in.
  public func full(_ due: DueDate) -> String {
    switch due {
    case .day(let date): return full(date)
    case .instant(let instant):
      let reading = zone.reading(at: instant)
      return full(reading.date) + " " + clock(reading)
    }
  }

  /// How far a day lies away, in words: `today`, `tomorrow`, `in 3 days`, `2 weeks ago`.
  public func relative(_ date: CivilDate) -> String {
    let days = date.dayNumber - zone.reading(at: now).date.dayNumber
    switch days {
    case 0: return "today"
    case 1: return "tomorrow"
    case -1: return "yesterday"
    default: break
    }
    let distance = abs(days)
    let amount: String
    switch distance {
    case ..<14: amount = "\(distance) days"
    case ..<60: amount = "\(distance / 7) weeks"
    case ..<730: amount = "\(distance / 30) months"
    default: amount = "\(distance / 365) years"
    }
    return days > 0 ? "in \(amount)" : "\(amount) ago"
  }

  private func named(_ date: CivilDate) -> String {
    HumanDate.weekdays[date.weekday - 1] + " \(date.day) " + HumanDate.months[date.month - 1]
  }

  private func clock(_ reading: CivilDateTime) -> String {
    padded(reading.hour, 2) + ":" + padded(reading.minute, 2)
  }
}
