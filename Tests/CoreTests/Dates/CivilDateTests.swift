import Core
import Testing

struct CivilDateTests {
  @Test("day numbers and dates agree over four centuries")
  func roundTrip() {
    var previous = CivilDate(dayNumber: -150_001)
    for number in -150_000...150_000 {
      let date = CivilDate(dayNumber: number)
      if date.dayNumber != number || date <= previous { Issue.record("\(number) gives \(date)") }
      previous = date
    }
  }

  @Test(
    "known days",
    arguments: [
      ("1970-01-01", 0, 4), ("2000-02-29", 11_016, 2), ("2030-01-01", 21_915, 2),
      ("1969-12-31", -1, 3), ("2026-12-24", 20_811, 4),
    ])
  func known(text: String, number: Int, weekday: Int) throws {
    let date = try #require(CivilDate(text))
    #expect(date.dayNumber == number)
    #expect(date.weekday == weekday)
    #expect(date.description == text)
  }

  @Test(
    "days that do not exist are refused",
    arguments: [
      "2026-02-29", "2026-04-31", "2026-00-10", "2026-13-01", "0000-01-01", "26-01-01", "2026-1-1",
      "2026-01-01 ", "２026-01-01", "",
    ])
  func invalid(text: String) { #expect(CivilDate(text) == nil) }

  @Test(
    "RFC 3339 reads and prints",
    arguments: [
      ("2030-01-02T03:04:05Z", "2030-01-02T03:04:05Z"),
      ("2030-01-02T03:04:05.250+01:00", "2030-01-02T02:04:05.250Z"),
      ("2030-01-02T03:04:60Z", "2030-01-02T03:04:59Z"),
      ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"),
    ])
  func stamps(text: String, printed: String) throws {
    #expect(try #require(Instant(rfc3339: text)).rfc3339 == printed)
  }

  @Test(
    "half a stamp is none",
    arguments: [
      "2030-01-02", "2030-01-02T03:04:05", "2030-01-02T03:04:05+1", "2030-01-02T24:00:00Z",
      "2030-01-02T03:04:05.Z", "2030-01-02T03:04:05Zx",
    ])
  func broken(text: String) { #expect(Instant(rfc3339: text) == nil) }

  @Test("a day is overdue when the next one has begun for the reader")
  func overdue() throws {
    let due = try #require(DueDate("2030-01-01"))
    let berlin = LocalZone(identifier: "Europe/Berlin")
    let beforeMidnight = try #require(Instant(rfc3339: "2030-01-01T22:59:59Z"))
    #expect(!due.isOverdue(at: beforeMidnight, in: berlin))
    #expect(due.isOverdue(at: beforeMidnight.adding(seconds: 1), in: berlin))
    #expect(!due.isOverdue(at: beforeMidnight.adding(seconds: 1), in: .utc))
  }

  @Test("people read the weekday, and the year when it is another")
  func human() throws {
    let human = HumanDate(
      now: try #require(Instant(rfc3339: "2030-01-01T12:00:00Z")), zone: .utc)
    #expect(human.short(try #require(DueDate("2030-01-03"))) == "Thu 3 Jan")
    #expect(human.short(try #require(DueDate("2031-01-03"))) == "2031-01-03")
    #expect(human.short(try #require(DueDate("2030-01-03T09:05:00Z"))) == "Thu 3 Jan 09:05")
    #expect(human.full(try #require(DueDate("2030-01-03"))) == "Thu 3 Jan 2030")
    #expect(human.relative(try #require(CivilDate("2030-01-02"))) == "tomorrow")
    #expect(human.relative(try #require(CivilDate("2029-12-29"))) == "3 days ago")
  }
}
