/// A point in time or a day as a person writes it (`tomorrow`, `fri 17:00`, `+2w`, `2026-12-24`).
public enum When: Hashable, Sendable {
  /// A day or an instant.
  case due(DueDate)
  /// The word `none`: take the date away.
  case none
}

/// Text that is not one of the forms a date may take.
public struct WhenError: Error, Hashable, Sendable {
  /// The text as given.
  public let text: String
  /// Why it was refused, when more is known than "no such form": `2026 has no 30 February`.
  public let reason: String?

  /// Creates an error about a text.
  public init(text: String, reason: String?) {
    self.text = text
    self.reason = reason
  }

  /// The forms that are understood, one line.
  public static let forms =
    "today, tomorrow, mon…sun, next mon, 3d, +2w, +1m, +1y, +4h, +90min, eow, eom, eoy, sow, som, "
    + "soy, 2026-12-24, 12-24, 24th, each day with 17:00, 5pm or noon, or 2026-12-24T17:00Z"
}

/// Reads the dates people write, against one clock and one zone.
///
/// The grammar is exact: words are English and case does not matter, a bare number is refused, and
/// nothing is guessed out of other text. Steps in days and months keep the wall-clock time.
public struct WhenParser: Sendable {
  /// The moment "today" and "+4h" count from.
  public let now: Instant
  /// The zone in which days begin and times are meant.
  public let zone: LocalZone

  /// Creates a parser for a reader at `now` in `zone`.
  public init(now: Instant, zone: LocalZone) {
    self.now = now
    self.zone = zone
  }

  /// Reads one date.
  ///
  /// - Parameter text: what the person wrote.
  /// - Returns: the day or instant meant, or `.none` for the word `none`.
  /// - Throws: `WhenError` when the text is none of the forms, or names a day that does not exist.
  public func parse(_ text: String) throws(WhenError) -> When {
    let words = text.lowercased().split(whereSeparator: { $0 == " " || $0 == "\t" }).map(
      String.init)
    guard let first = words.first else { throw WhenError(text: text, reason: nil) }
    if words.count == 1 {
      if first == "none" { return .none }
      if let instant = try stamp(first, text) { return .due(.instant(instant)) }
      if let instant = hours(first) { return .due(.instant(instant)) }
      if let time = clock(first) { return .due(.instant(nextOccurrence(of: time))) }
    }
    var rest = words[...]
    guard let day = try day(&rest, text) else {
      // "in 4 hours" and "noon" without a day end here, as does everything unknown.
      if words.count == 3, first == "in", let instant = hours(words[1] + unit(words[2])) {
        return .due(.instant(instant))
      }
      throw WhenError(text: text, reason: nil)
    }
    if rest.first == "at" { rest = rest.dropFirst() }
    if rest.isEmpty { return .due(.day(day)) }
    guard rest.count <= 2, let time = clock(rest.joined()) else {
      throw WhenError(text: text, reason: nil)
    }
    return .due(
      .instant(zone.instant(of: CivilDateTime(date: day, secondOfDay: time)).wholeSeconds))
  }

  private var today: CivilDate { zone.reading(at: now).date }

  /// An ISO 8601 date-time; without an offset it is local.
  private func stamp(_ word: String, _ text: String) throws(WhenError) -> Instant? {
    guard word.utf8.count > 10, word.utf8.dropFirst(10).first == 0x74 else { return nil }
    guard let stamp = ISOStamp(word), let time = stamp.time else {
      throw WhenError(text: text, reason: nil)
    }
    let reading = CivilDateTime(date: stamp.date, secondOfDay: time)
    guard let offset = stamp.offset else { return zone.instant(of: reading) }
    return Instant(seconds: reading.secondsAsUTC - Int64(offset))
  }

  /// `4h`, `+4h`, `+90min`: counted from now on the clock of physics.
  private func hours(_ word: String) -> Instant? {
    guard let (count, unit) = amount(word) else { return nil }
    switch unit {
    case "h", "min": break
    default: return nil
    }
    return now.wholeSeconds.adding(seconds: Int64(count) * (unit == "h" ? 3600 : 60))
  }

  /// A time alone: today if it still lies ahead, else tomorrow.
  private func nextOccurrence(of secondOfDay: Int) -> Instant {
    let candidate = zone.instant(of: CivilDateTime(date: today, secondOfDay: secondOfDay))
    if candidate > now { return candidate }
    return zone.instant(
      of: CivilDateTime(date: today.adding(days: 1), secondOfDay: secondOfDay))
  }

  /// The day at the head of the words, which are consumed.
  private func day(_ words: inout ArraySlice<String>, _ text: String) throws(WhenError)
    -> CivilDate?
  {
    guard let first = words.first else { return nil }
    if first == "next", words.count >= 2,
      let weekday = WhenParser.weekday(words[words.startIndex + 1])
    {
      words = words.dropFirst(2)
      return today.adding(days: 8 - today.weekday).adding(days: weekday - 1)
    }
    if first == "in", words.count >= 3 {
      let start = words.startIndex
      guard let day = step(words[start + 1] + unit(words[start + 2])) else { return nil }
      words = words.dropFirst(3)
      return day
    }
    if first == "in", words.count == 2, let day = step(words[words.startIndex + 1]) {
      words = words.dropFirst(2)
      return day
    }
    var found = namedDay(first) ?? step(first)
    if found == nil { found = try calendarDay(first, text) }
    if found != nil { words = words.dropFirst() }
    return found
  }

  private func namedDay(_ word: String) -> CivilDate? {
    switch word {
    case "today": return today
    case "tomorrow": return today.adding(days: 1)
    case "yesterday": return today.adding(days: -1)
    case "eow": return today.adding(days: 7 - today.weekday)
    case "sow": return today.adding(days: 8 - today.weekday)
    case "eom": return today.endOfMonth
    case "som": return today.endOfMonth.adding(days: 1)
    case "eoy": return CivilDate(year: today.year, month: 12, day: 31)
    case "soy": return CivilDate(year: today.year + 1, month: 1, day: 1)
    default: break
    }
    guard let weekday = WhenParser.weekday(word) else { return nil }
    let ahead = (weekday - today.weekday + 7) % 7
    return today.adding(days: ahead == 0 ? 7 : ahead)
  }

  /// `3d`, `+2w`, `-1m`, `+1y`.
  private func step(_ word: String) -> CivilDate? {
    guard let (count, unit) = amount(word) else { return nil }
    switch unit {
    case "d": return today.adding(days: count)
    case "w": return today.adding(days: count * 7)
    case "m": return today.adding(months: count)
    case "y": return today.adding(months: count * 12)
    default: return nil
    }
  }

  /// A number with an optional sign, then letters.
  private func amount(_ word: String) -> (Int, String)? {
    var bytes = Array(word.utf8)[...]
    var sign = 1
    if let first = bytes.first, first == 0x2B || first == 0x2D {
      sign = first == 0x2D ? -1 : 1
      bytes = bytes.dropFirst()
    }
    let digits = bytes.prefix { $0 >= 0x30 && $0 <= 0x39 }
    let unit = bytes.dropFirst(digits.count)
    guard let count = decimal(digits), digits.count <= 6, !unit.isEmpty else { return nil }
    return (sign * count, String(decoding: unit, as: UTF8.self))
  }

  /// The one-letter unit of a written-out word; anything else stays as it is.
  private func unit(_ word: String) -> String {
    switch word {
    case "day", "days": "d"
    case "week", "weeks": "w"
    case "month", "months": "m"
    case "year", "years": "y"
    case "hour", "hours": "h"
    case "minute", "minutes": "min"
    default: word
    }
  }

  /// `2026-12-24`, `12-24` (the next one) or `24th` (the next one).
  private func calendarDay(_ word: String, _ text: String) throws(WhenError) -> CivilDate? {
    let parts = word.utf8.split(separator: 0x2D, omittingEmptySubsequences: false)
    if parts.count == 3, parts[0].count == 4, let year = decimal(parts[0]),
      let month = decimal(parts[1]), let day = decimal(parts[2])
    {
      guard let date = CivilDate(year: year, month: month, day: day) else {
        throw WhenError(text: text, reason: "there is no such day")
      }
      return date
    }
    if parts.count == 2, parts.allSatisfy({ (1...2).contains($0.count) }),
      let month = decimal(parts[0]), let day = decimal(parts[1])
    {
      return try next(month: month, day: day, text)
    }
    return try ordinal(word, text)
  }

  /// The next year that has the day; 02-29 may be up to eight years ahead.
  private func next(month: Int, day: Int, _ text: String) throws(WhenError) -> CivilDate {
    for year in today.year...(today.year + 8) {
      if let date = CivilDate(year: year, month: month, day: day), date > today { return date }
    }
    throw WhenError(text: text, reason: "there is no such day")
  }

  private func ordinal(_ word: String, _ text: String) throws(WhenError) -> CivilDate? {
    guard ["st", "nd", "rd", "th"].contains(where: word.hasSuffix),
      let day = decimal(word.utf8.dropLast(2))
    else { return nil }
    guard (1...31).contains(day), word == "\(day)\(WhenParser.suffix(day))" else {
      throw WhenError(text: text, reason: "there is no such day")
    }
    var (year, month) = (today.year, today.month)
    for _ in 0..<12 {
      if let date = CivilDate(year: year, month: month, day: day), date > today { return date }
      (year, month) = month == 12 ? (year + 1, 1) : (year, month + 1)
    }
    throw WhenError(text: text, reason: "there is no such day")
  }

  private static func suffix(_ day: Int) -> String {
    switch day {
    case 11, 12, 13: "th"
    case _ where day % 10 == 1: "st"
    case _ where day % 10 == 2: "nd"
    case _ where day % 10 == 3: "rd"
    default: "th"
    }
  }

  /// `HH:MM`, `5pm`, `5:30pm`, `noon`, `midnight`, as seconds since midnight.
  private func clock(_ word: String) -> Int? {
    if word == "noon" { return 12 * 3600 }
    if word == "midnight" { return 0 }
    var digits = word[...]
    var isTwelveHour = false
    var isAfternoon = false
    if word.hasSuffix("am") || word.hasSuffix("pm") {
      isTwelveHour = true
      isAfternoon = word.hasSuffix("pm")
      digits = word.dropLast(2)
    }
    let parts = digits.utf8.split(separator: 0x3A, omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), (1...2).contains(parts[0].count),
      var hour = decimal(parts[0])
    else { return nil }
    var minute = 0
    if parts.count == 2 {
      guard parts[1].count == 2, let value = decimal(parts[1]), value < 60 else { return nil }
      minute = value
    } else if !isTwelveHour {
      return nil
    }
    if isTwelveHour {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (isAfternoon ? 12 : 0)
    }
    guard hour < 24 else { return nil }
    return hour * 3600 + minute * 60
  }

  /// The ISO number of an English weekday, by its full name or first three letters.
  private static func weekday(_ word: String) -> Int? {
    let names = [
      "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]
    guard let index = names.firstIndex(where: { $0 == word || $0.prefix(3) == word }) else {
      return nil
    }
    return index + 1
  }
}
