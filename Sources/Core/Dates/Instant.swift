/// A point in time: seconds since 1970-01-01T00:00:00Z, with nanoseconds.
public struct Instant: Hashable, Sendable, Comparable {
  /// Whole seconds since the epoch, without leap seconds; negative before it.
  public let seconds: Int64
  /// The rest, 0 to 999,999,999.
  public let nanoseconds: Int

  /// Creates an instant from seconds since the epoch and the nanoseconds after them.
  public init(seconds: Int64, nanoseconds: Int = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// Reads RFC 3339 (`2026-12-24T18:30:00Z`, an offset, an optional fraction), or returns `nil`.
  ///
  /// Unlike RFC 3339 the seconds may be missing (`18:30Z`); a date alone or a time without an offset
  /// is not an instant. A leap second counts as the second before it.
  public init?(rfc3339 text: some StringProtocol) {
    guard let stamp = ISOStamp(text), let time = stamp.time, let offset = stamp.offset else {
      return nil
    }
    let reading = CivilDateTime(date: stamp.date, secondOfDay: time)
    self.init(
      seconds: reading.secondsAsUTC - Int64(offset), nanoseconds: stamp.nanoseconds)
  }

  /// RFC 3339 in UTC to the second (`2026-12-24T18:30:00Z`); milliseconds are added when not zero.
  public var rfc3339: String {
    let reading = CivilDateTime(secondsAsUTC: seconds)
    var text =
      reading.date.description + "T" + padded(reading.hour, 2) + ":"
      + padded(reading.minute, 2) + ":" + padded(reading.second, 2)
    if nanoseconds >= 1_000_000 { text += "." + padded(nanoseconds / 1_000_000, 3) }
    return text + "Z"
  }

  /// The same instant without its fraction of a second.
  public var wholeSeconds: Instant { Instant(seconds: seconds) }

  /// The instant `count` seconds later.
  public func adding(seconds count: Int64) -> Instant {
    Instant(seconds: seconds + count, nanoseconds: nanoseconds)
  }

  /// Order in time.
  public static func < (left: Instant, right: Instant) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

/// The parts of an ISO 8601 extended date-time, each checked against its range.
package struct ISOStamp {
  package let date: CivilDate
  /// Seconds since midnight, or `nil` for a date alone.
  package let time: Int?
  package let nanoseconds: Int
  /// Seconds east of UTC, or `nil` when the text names none.
  package let offset: Int?

  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 10, let date = CivilDate(text.prefix(10)) else { return nil }
    self.date = date
    var position = 10
    guard position < bytes.count else {
      (time, nanoseconds, offset) = (nil, 0, nil)
      return
    }
    guard bytes[position] == 0x54 || bytes[position] == 0x74 || bytes[position] == 0x20 else {
      return nil
    }
    position += 1
    guard let clock = ISOStamp.clock(bytes, &position) else { return nil }
    (time, nanoseconds) = clock
    guard position < bytes.count else {
      offset = nil
      return
    }
    guard let zone = ISOStamp.zone(bytes, &position), position == bytes.count else { return nil }
    offset = zone
  }

  /// `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fraction` at `position`.
  private static func clock(_ bytes: [UInt8], _ position: inout Int) -> (Int, Int)? {
    guard bytes.count >= position + 5, bytes[position + 2] == 0x3A,
      let hour = decimal(bytes[position..<position + 2]), hour < 24,
      let minute = decimal(bytes[position + 3..<position + 5]), minute < 60
    else { return nil }
    position += 5
    var (second, fraction) = (0, 0)
    if position < bytes.count, bytes[position] == 0x3A {
      guard bytes.count >= position + 3, let value = decimal(bytes[position + 1..<position + 3]),
        value <= 60
      else { return nil }
      second = min(value, 59)
      position += 3
      if position < bytes.count, bytes[position] == 0x2E {
        let start = position + 1
        var end = start
        while end < bytes.count, bytes[end] >= 0x30, bytes[end] <= 0x39 { end += 1 }
        guard end > start else { return nil }
        for index in 0..<9 {
          fraction = fraction * 10 + (start + index < end ? Int(bytes[start + index]) - 0x30 : 0)
        }
        position = end
      }
    }
    return (hour * 3600 + minute * 60 + second, fraction)
  }

  /// `Z`, `+HH:MM`, `+HHMM` or `+HH` at `position`, as seconds east of UTC.
  private static func zone(_ bytes: [UInt8], _ position: inout Int) -> Int? {
    if bytes[position] == 0x5A || bytes[position] == 0x7A {
      position += 1
      return 0
    }
    guard bytes[position] == 0x2B || bytes[position] == 0x2D else { return nil }
    let sign = bytes[position] == 0x2D ? -1 : 1
    let digits = bytes[(position + 1)...].filter { $0 != 0x3A }
    guard digits.count == 4 || digits.count == 2, let hour = decimal(digits.prefix(2)), hour < 24,
      let minute = digits.count == 2 ? 0 : decimal(digits.suffix(2)), minute < 60
    else { return nil }
    position = bytes.count
    return sign * (hour * 3600 + minute * 60)
  }
}
