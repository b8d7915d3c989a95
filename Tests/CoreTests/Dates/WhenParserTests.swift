import Core
import Testing

struct WhenParserTests {
  /// Tuesday, 1 January 2030, 12:00 in Berlin.
  static let berlin = LocalZone(identifier: "Europe/Berlin")
  static let now = Instant(rfc3339: "2030-01-01T11:00:00Z") ?? Instant(seconds: 0)

  static func text(_ when: When) -> String {
    switch when {
    case .none: "none"
    case .due(let due): due.text
    }
  }

  @Test(
    "every form of the table means what it says",
    arguments: [
      ("today", "2030-01-01"), ("TOMORROW", "2030-01-02"), ("yesterday", "2029-12-31"),
      ("none", "none"),
      ("mon", "2030-01-07"), ("wed", "2030-01-02"), ("sunday", "2030-01-06"),
      ("next mon", "2030-01-07"), ("next sunday", "2030-01-13"), ("next wed", "2030-01-09"),
      ("3d", "2030-01-04"), ("+3d", "2030-01-04"), ("+2w", "2030-01-15"), ("+1m", "2030-02-01"),
      ("+1y", "2031-01-01"), ("-1d", "2029-12-31"), ("in 3 days", "2030-01-04"),
      ("in 1 week", "2030-01-08"), ("in 2 months", "2030-03-01"), ("in 3d", "2030-01-04"),
      ("+4h", "2030-01-01T15:00:00Z"), ("+90min", "2030-01-01T12:30:00Z"),
      ("in 4 hours", "2030-01-01T15:00:00Z"),
      ("eow", "2030-01-06"), ("eom", "2030-01-31"), ("eoy", "2030-12-31"),
      ("sow", "2030-01-07"), ("som", "2030-02-01"), ("soy", "2031-01-01"),
      ("2026-12-24", "2026-12-24"), ("12-24", "2030-12-24"), ("1-1", "2031-01-01"),
      ("02-29", "2032-02-29"), ("24th", "2030-01-24"), ("1st", "2030-02-01"),
      ("31st", "2030-01-31"),
      ("17:00", "2030-01-01T16:00:00Z"), ("9:30", "2030-01-02T08:30:00Z"),
      ("5pm", "2030-01-01T16:00:00Z"), ("noon", "2030-01-02T11:00:00Z"),
      ("tomorrow 17:00", "2030-01-02T16:00:00Z"), ("fri 5:30pm", "2030-01-04T16:30:00Z"),
      ("24th noon", "2030-01-24T11:00:00Z"), ("2026-12-24 at 8am", "2026-12-24T07:00:00Z"),
      ("2026-12-24 18:30", "2026-12-24T17:30:00Z"),
      ("2026-12-24T18:30", "2026-12-24T17:30:00Z"),
      ("2026-12-24T18:30:00Z", "2026-12-24T18:30:00Z"),
      ("2026-06-01T18:30+05:30", "2026-06-01T13:00:00Z"),
    ])
  func forms(text: String, expected: String) throws {
    let parser = WhenParser(now: Self.now, zone: Self.berlin)
    #expect(Self.text(try parser.parse(text)) == expected)
  }

  @Test(
    "taskwarrior#3444: what is not a date is refused, never guessed",
    arguments: [
      "", "10", "2026", "monday-ish", "h4", "d", "+d", "02-30", "2026-02-30", "2026-13-01", "32nd",
      "24st", "next", "next 3d", "25:00", "13pm", "0am", "12:60", "tomorrow 5", "today today", "in",
      "in 3", "in three days", "2026-12-24T25:00", "2026-12-24T", "someday", "fri 17:00 18:00",
      "+3x", "1234567d",
    ])
  func refused(text: String) {
    let parser = WhenParser(now: Self.now, zone: Self.berlin)
    #expect(throws: WhenError.self) { try parser.parse(text) }
  }

  @Test("taskwarrior#2422: on Sunday the end of the week is today and its start is tomorrow")
  func sunday() throws {
    let sunday = Instant(rfc3339: "2030-01-06T12:00:00Z") ?? Instant(seconds: 0)
    let parser = WhenParser(now: sunday, zone: Self.berlin)
    #expect(Self.text(try parser.parse("eow")) == "2030-01-06")
    #expect(Self.text(try parser.parse("sow")) == "2030-01-07")
    #expect(Self.text(try parser.parse("next mon")) == "2030-01-07")
    #expect(Self.text(try parser.parse("sun")) == "2030-01-13")
  }

  @Test("sleek#199: a bare weekday is never today and never past", arguments: 0..<7)
  func weekdays(offset: Int) throws {
    let day = Self.now.adding(seconds: Int64(offset) * 86_400)
    let today = Self.berlin.reading(at: day).date
    for name in ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] {
      guard case .due(.day(let date)) = try WhenParser(now: day, zone: Self.berlin).parse(name)
      else { continue }
      #expect((1...7).contains(date.dayNumber - today.dayNumber))
    }
  }

  @Test("31 January plus a month is the end of February")
  func clamped() throws {
    let parser = WhenParser(
      now: Instant(rfc3339: "2030-01-31T12:00:00Z") ?? Instant(seconds: 0), zone: Self.berlin)
    #expect(Self.text(try parser.parse("+1m")) == "2030-02-28")
  }

  @Test("the day is the reader's, not UTC's")
  func localDay() throws {
    let late = Instant(rfc3339: "2030-01-01T23:30:00Z") ?? Instant(seconds: 0)
    #expect(
      Self.text(try WhenParser(now: late, zone: Self.berlin).parse("today")) == "2030-01-02")
    #expect(Self.text(try WhenParser(now: late, zone: .utc).parse("today")) == "2030-01-01")
  }
}

struct LocalZoneTests {
  private func instant(_ text: String, _ zone: String) -> String? {
    guard let stamp = WhenStamp(text) else { return nil }
    return LocalZone(identifier: zone).instant(of: stamp.reading).rfc3339
  }

  @Test("a time that does not exist moves forward by the gap")
  func gap() {
    // Berlin skips 02:00 to 03:00 on 31 March 2030.
    #expect(instant("2030-03-31 02:30", "Europe/Berlin") == "2030-03-31T01:30:00Z")
    #expect(instant("2030-03-31 01:59", "Europe/Berlin") == "2030-03-31T00:59:00Z")
    #expect(instant("2030-03-31 03:00", "Europe/Berlin") == "2030-03-31T01:00:00Z")
  }

  @Test("a time that exists twice is its first occurrence")
  func overlap() {
    // Berlin repeats 02:00 to 03:00 on 27 October 2030.
    #expect(instant("2030-10-27 02:30", "Europe/Berlin") == "2030-10-27T00:30:00Z")
    #expect(instant("2030-10-27 03:00", "Europe/Berlin") == "2030-10-27T02:00:00Z")
  }

  @Test("taskwarrior#75: a week later it is the same time on the wall, also across a change")
  func wallClock() throws {
    let zone = LocalZone(identifier: "Europe/Berlin")
    let now = Instant(rfc3339: "2030-03-28T12:00:00Z") ?? Instant(seconds: 0)
    guard
      case .due(.instant(let due)) = try WhenParser(now: now, zone: zone).parse("in 1 week 9:00")
    else { throw WhenError(text: "in 1 week 9:00", reason: nil) }
    #expect(zone.reading(at: due).hour == 9)
    #expect(due.rfc3339 == "2030-04-04T07:00:00Z")
  }

  @Test(
    "every form of TZ works",
    arguments: [
      ("Asia/Tokyo", 32_400), (":Asia/Tokyo", 32_400), ("UTC0", 0),
      ("EST5EDT,M3.2.0,M11.1.0", -18_000),
    ])
  func forms(identifier: String, offset: Int) {
    #expect(LocalZone(identifier: identifier).offset(at: Instant(seconds: 1_893_499_200)) == offset)
  }

  @Test("an unknown zone name is told apart")
  func unknown() {
    #expect(LocalZone(named: "Mars/Olympus") == nil)
    #expect(LocalZone(named: "../../etc/passwd") == nil)
    #expect(LocalZone(named: "Europe/Berlin") != nil)
  }
}

/// A wall-clock reading written as text, for the tests.
private struct WhenStamp {
  let reading: CivilDateTime

  init?(_ text: String) {
    guard let date = CivilDate(text.prefix(10)) else { return nil }
    let parts = text.dropFirst(11).split(separator: ":").compactMap { Int($0) }
    reading = CivilDateTime(date: date, secondOfDay: parts[0] * 3600 + parts[1] * 60)
  }
}
