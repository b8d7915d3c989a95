/// A day of the proleptic Gregorian calendar, without a time and without a zone.
///
/// A date stays a date: it is never turned into a midnight instant, so it cannot drift by a day
/// when it travels between zones. Years 1 to 9999.
public struct CivilDate: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The year, 1 to 9999.
  public let year: Int
  /// The month, 1 to 12.
  public let month: Int
  /// The day of the month, 1 to 31.
  public let day: Int

  /// Creates a date, or `nil` when the calendar has no such day (30 February, month 13).
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= CivilDate.daysIn(month: month, year: year)
    else { return nil }
    self.init(unchecked: year, month, day)
  }

  private init(unchecked year: Int, _ month: Int, _ day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Creates the date that lies `dayNumber` days after 1970-01-01, clamped to years 1 to 9999.
  ///
  /// The arithmetic shifts the year to begin in March, so that the leap day comes last and month
  /// lengths follow one linear formula.
  public init(dayNumber: Int) {
    let bounded = min(max(dayNumber, -719_162), 2_932_896)
    let days = bounded + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    self.init(unchecked: year, month, day)
  }

  /// Reads `YYYY-MM-DD` (four digits, two, two), or returns `nil`.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == 0x2D, bytes[7] == 0x2D,
      let year = decimal(bytes[0..<4]), let month = decimal(bytes[5..<7]),
      let day = decimal(bytes[8..<10])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// Days since 1970-01-01; negative before it.
  public var dayNumber: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The ISO 8601 weekday: 1 is Monday, 7 is Sunday.
  public var weekday: Int {
    let remainder = (dayNumber + 3) % 7
    return (remainder < 0 ? remainder + 7 : remainder) + 1
  }

  /// `YYYY-MM-DD`.
  public var description: String {
    padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2)
  }

  /// The date `count` days later (earlier when negative).
  public func adding(days count: Int) -> CivilDate { CivilDate(dayNumber: dayNumber + count) }

  /// The date `count` months later, the day clamped to the month's end (31 January + 1 is
  /// 28 or 29 February).
  public func adding(months count: Int) -> CivilDate {
    let index = year * 12 + (month - 1) + count
    let newYear = min(max(index.floorDivided(by: 12), 1), 9999)
    let newMonth = index - index.floorDivided(by: 12) * 12 + 1
    let last = CivilDate.daysIn(month: newMonth, year: newYear)
    return CivilDate(unchecked: newYear, newMonth, min(day, last))
  }

  /// The last day of this date's month.
  public var endOfMonth: CivilDate {
    CivilDate(unchecked: year, month, CivilDate.daysIn(month: month, year: year))
  }

  /// The number of days in a month (1 to 12) of a year.
  public static func daysIn(month: Int, year: Int) -> Int {
    switch month {
    case 2: return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: return 30
    default: return 31
    }
  }

  /// Calendar order.
  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}

/// A wall-clock reading: a date and a time of day, still without a zone.
public struct CivilDateTime: Hashable, Sendable, Comparable {
  /// The day.
  public var date: CivilDate
  /// Seconds since that day's midnight, 0 to 86,399.
  public var secondOfDay: Int

  /// Creates a reading from its parts.
  public init(date: CivilDate, secondOfDay: Int) {
    self.date = date
    self.secondOfDay = secondOfDay
  }

  /// The hour, 0 to 23.
  public var hour: Int { secondOfDay / 3600 }
  /// The minute, 0 to 59.
  public var minute: Int { secondOfDay / 60 % 60 }
  /// The second, 0 to 59.
  public var second: Int { secondOfDay % 60 }

  /// Seconds since 1970-01-01T00:00:00 as if this reading were in UTC.
  public var secondsAsUTC: Int64 { Int64(date.dayNumber) * 86_400 + Int64(secondOfDay) }

  /// Creates the reading that `secondsAsUTC` describes.
  public init(secondsAsUTC seconds: Int64) {
    let days = Int(seconds).floorDivided(by: 86_400)
    self.init(date: CivilDate(dayNumber: days), secondOfDay: Int(seconds) - days * 86_400)
  }

  /// Order on one clock.
  public static func < (left: CivilDateTime, right: CivilDateTime) -> Bool {
    (left.date, left.secondOfDay) < (right.date, right.secondOfDay)
  }
}

extension Int {
  /// Division that rounds toward minus infinity.
  func floorDivided(by divisor: Int) -> Int {
    let quotient = self / divisor
    return self % divisor != 0 && (self < 0) != (divisor < 0) ? quotient - 1 : quotient
  }
}

/// The number written by ASCII digits only, or `nil`.
package func decimal(_ digits: some Collection<UInt8>) -> Int? {
  guard !digits.isEmpty, digits.count <= 18 else { return nil }
  var value = 0
  for byte in digits {
    guard byte >= 0x30, byte <= 0x39 else { return nil }
    value = value * 10 + Int(byte - 0x30)
  }
  return value
}

/// A non-negative number with leading zeros up to `width` digits.
package func padded(_ value: Int, _ width: Int) -> String {
  let digits = String(value)
  return digits.utf8.count >= width
    ? digits : String(repeating: "0", count: width - digits.utf8.count) + digits
}
