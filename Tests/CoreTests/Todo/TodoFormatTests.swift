import Core
import TestSupport
import Testing

/// Todos that hold everything a format may trip over.
enum TodoSamples {
  static func record(
    _ name: String, priority: TodoPriority = .low, done: DueDate? = nil, due: String? = nil,
    tags: [String] = [], project: String? = nil, id: String = "k7mqaaaaaaaaaaaa"
  ) -> TodoRecord {
    var item = TodoItem(name: name, priority: priority)
    item.created = DueDate("2030-01-01")
    if let done { item.markDone(at: done) }
    item.due = due.flatMap { DueDate($0) }
    item.tags = tags
    item.project = project
    return TodoRecord(id: id, item: item)
  }

  static let all = [
    record("Buy milk"),
    record("Call Ann", priority: .high, due: "2026-12-24", tags: ["phone"], project: "house"),
    record("Done thing", priority: .medium, done: DueDate("2030-01-02"), tags: ["a", "b"]),
    record("Two words in tags", tags: ["two words", "under_score"], project: "my house.garden"),
    record("Mail @bob about +1"), record("ends with due:soon x:y http://example.org/a"),
    record("line one\nline two\ttab"), record("x marks the spot"), record("2026-01-01 was a day"),
    record("(A) not a priority"), record("commas, semi;colons \\ back"), record("日本語 👩‍👩‍👧‍👦 é"),
    record("  spaces   kept  "), record("name:odd pri:Z id:zzz"), record("@only"), record("+only"),
    record("same", tags: ["@strange", "+plus", "a,b", "c;d"]),
    record(String(repeating: "long 日本 ", count: 60)),
    record("timed", due: "2026-12-24T17:30:00Z", id: "foreign id/with space"),
  ]
}

struct TodoTextTests {
  let format = TodoText(zone: .utc)

  @Test("what is written reads back alike", arguments: TodoSamples.all)
  func roundTrip(record: TodoRecord) {
    let text = format.write([record]).text
    #expect(text.utf8.filter { $0 == 0x0A }.count == 1)
    let back = format.read(text)
    #expect(back.problems.isEmpty)
    #expect(back.todos.count == 1)
    let item = back.todos.first?.item
    #expect(item.map { utf8Same($0.name, record.item.name) } == true)
    #expect(item?.priority == record.item.priority)
    #expect(item?.isDone == record.item.isDone)
    #expect(item?.completed == record.item.completed)
    #expect(item?.created == record.item.created)
    #expect(item?.due == record.item.due)
    #expect(item?.tags == record.item.tags)
    #expect(item?.project == record.item.project)
    #expect(back.todos.first?.id == record.id)
  }

  @Test("a foreign file with CR LF and a byte order mark")
  func foreign() {
    let text =
      "\u{FEFF}(B) 2026-01-01 Thank Mom @phone +family\r\n\r\n"
      + "x 2026-01-03 2026-01-02 Old one pri:A\r\n(E) Post rec:+1w t:2026-02-01 +a +b\r\n"
    let result = format.read(text)
    #expect(result.problems.isEmpty)
    #expect(
      result.todos.map(\.item.name) == ["Thank Mom", "Old one", "Post rec:+1w t:2026-02-01 +a +b"])
    #expect(result.todos.map(\.item.priority) == [.medium, .high, .low])
    #expect(result.todos[0].item.tags == ["phone"])
    #expect(result.todos[0].item.project == "family")
    #expect(result.todos[1].item.completed?.text == "2026-01-03")
    #expect(result.todos[1].item.created?.text == "2026-01-02")
    #expect(result.todos[2].item.project == "a")
    #expect(result.todos.map(\.line) == [1, 3, 4])
  }

  @Test("a word in the middle of the text stays there")
  func embedded() {
    let result = format.read("Call @mom about +house tomorrow\n")
    #expect(result.todos.first?.item.name == "Call @mom about +house tomorrow")
    #expect(result.todos.first?.item.tags == ["mom"])
    #expect(result.todos.first?.item.project == "house")
  }

  @Test("taskwarrior#2580: a bad date is told with its place, the rest is read")
  func bad() {
    let result = format.read("Fine\nPay due:tomorrow\nAlso fine due:2026-12-24\n")
    #expect(result.todos.count == 2)
    #expect(result.problems.map(\.line) == [2])
    #expect(result.problems.first?.column == 5)
  }

  @Test("a time of day is told to be a loss")
  func losses() {
    #expect(format.write([TodoSamples.record("x", due: "2026-12-24T17:30:00Z")]).losses.count == 1)
    #expect(format.write([TodoSamples.record("x", due: "2026-12-24")]).losses.isEmpty)
  }
}

struct TodoCalendarTests {
  let format = TodoCalendar(
    zone: LocalZone(identifier: "Europe/Berlin"), now: Instant(seconds: 1_893_499_200))

  @Test("what is written reads back alike", arguments: TodoSamples.all)
  func roundTrip(record: TodoRecord) {
    let back = format.read(format.write([record]).text)
    #expect(back.problems.isEmpty)
    #expect(back.todos.first?.id == record.id)
    #expect(back.todos.first?.item.fields.keys.sorted() == record.item.fields.keys.sorted())
    for (key, value) in record.item.fields {
      #expect(back.todos.first?.item.fields[key] == value, "\(key)")
    }
  }

  @Test(
    "lines are at most 75 octets, end in CR LF, and cut no character", arguments: TodoSamples.all)
  func folding(record: TodoRecord) {
    let text = format.write([record]).text
    for line in text.split(separator: "\r\n", omittingEmptySubsequences: false) {
      #expect(line.utf8.count <= 75)
      #expect(!line.utf8.contains(0x0A))
    }
  }

  @Test("tududi#1146: a day is written as a date, not as a midnight")
  func day() {
    let text = format.write([TodoSamples.record("x", due: "2026-12-24")]).text
    #expect(text.contains("DUE;VALUE=DATE:20261224\r\n"))
  }

  @Test("a foreign file: zones, folding, alarms, rules, cancellation")
  func foreign() throws {
    let text = """
      BEGIN:VCALENDAR\r
      VERSION:2.0\r
      BEGIN:VTIMEZONE\r
      TZID:America/New_York\r
      END:VTIMEZONE\r
      BEGIN:VEVENT\r
      SUMMARY:not a todo\r
      END:VEVENT\r
      BEGIN:VTODO\r
      UID:abc-1\r
      SUMMARY:Pay\\, then eat\\; sle\r
       ep\\nwell\r
      PRIORITY:3\r
      DUE;TZID="America/New_York":20260701T090000\r
      RRULE:FREQ=MONTHLY;BYMONTHDAY=31\r
      CATEGORIES:home,two words\r
      BEGIN:VALARM\r
      TRIGGER:-PT15M\r
      END:VALARM\r
      END:VTODO\r
      BEGIN:VTODO\r
      UID:abc-2\r
      SUMMARY:Gone\r
      STATUS:CANCELLED\r
      DUE:20260701T090000\r
      END:VTODO\r
      END:VCALENDAR\r

      """
    let result = format.read(text)
    #expect(result.problems.isEmpty)
    let first = try #require(result.todos.first)
    #expect(first.item.name == "Pay, then eat; sleep\nwell")
    #expect(first.item.priority == .high)
    #expect(first.item.due?.text == "2026-07-01T13:00:00Z")
    #expect(first.item.dueZone == "America/New_York")
    #expect(first.item.tags == ["home", "two words"])
    let kept = first.item.fields["ical"]?.arrayValue?.compactMap(\.stringValue)
    #expect(
      kept == [
        "RRULE:FREQ=MONTHLY;BYMONTHDAY=31", "BEGIN:VALARM", "TRIGGER:-PT15M", "END:VALARM",
      ])
    let second = try #require(result.todos.last)
    #expect(second.item.isDone)
    #expect(second.item.note == "cancelled")
    // A time without a zone is the reader's.
    #expect(second.item.due?.text == "2026-07-01T07:00:00Z")
    let again = format.read(
      format.write(result.todos.map { TodoRecord(id: $0.id ?? "", item: $0.item) }).text)
    #expect(again.todos.map(\.item.fields) == result.todos.map(\.item.fields))
  }

  @Test("TickTickSync#366: a day does not drift through three exports in three zones")
  func drift() {
    var record = TodoSamples.record("x", due: "2026-12-24")
    for zone in ["Pacific/Auckland", "America/Los_Angeles", "Asia/Kolkata"] {
      let format = TodoCalendar(zone: LocalZone(identifier: zone), now: Instant(seconds: 0))
      record.item = format.read(format.write([record]).text).todos.first?.item ?? record.item
    }
    #expect(record.item.due?.text == "2026-12-24")
  }

  @Test(
    "broken files are told with their line",
    arguments: [
      ("BEGIN:VCALENDAR\nBEGIN:VTODO\nDUE:2026\nSUMMARY:x\nEND:VTODO\nEND:VCALENDAR\n", 3),
      ("BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:x\nEND:VTODO\nEND:VCALENDAR\n", 2),
      ("BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:x\n", 2),
      ("hello\n", 1),
      ("", 1),
      (
        "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:x\nDUE:20260101\nDURATION:P1D\nEND:VTODO\nEND:VCALENDAR",
        2
      ),
    ])
  func broken(text: String, line: Int) {
    let result = format.read(text)
    #expect(result.problems.first?.line == line)
    #expect(result.todos.isEmpty)
  }
}

struct TodoJSONTests {
  let format = TodoJSON()

  @Test("what is written reads back equal")
  func roundTrip() {
    let back = format.read(Array(format.write(TodoSamples.all).text.utf8))
    #expect(back.problems.isEmpty)
    #expect(back.todos.map(\.item) == TodoSamples.all.map(\.item))
    #expect(back.todos.map(\.id) == TodoSamples.all.map(\.id))
    #expect(format.write([]).text == "[]\n")
  }

  @Test(
    "taskwarrior#3240: a wrong type names the field and the place",
    arguments: [
      (#"[{"name":"a"},{"name":7}]"#, "item 2: 'name' must be a text that is not empty"),
      (#"{"name":"a","priority":"H"}"#, #"item 1: 'priority' must be 0, 1 or 2, not "H""#),
      (#"{"name":"a","due":10}"#, #"item 1: 'due' must be a date such as "2026-12-24", not 10"#),
      (#"{"name":"a","tags":"x"}"#, "item 1: 'tags' must be an array of texts"),
      (
        #"{"name":"a","@datatype":"Photo"}"#,
        #"item 1: '@datatype' must be "TodoItem", not "Photo""#
      ),
    ])
  func wrongTypes(text: String, message: String) {
    let result = format.read(Array(text.utf8))
    #expect(result.problems.map(\.message) == [message])
  }

  @Test("one document a line, and a broken one is told with its line")
  func lines() {
    let result = format.read(Array("{\"name\":\"a\"}\n{\"name\":}\n{\"name\":\"c\"}\n".utf8))
    #expect(result.todos.map(\.line) == [1, 3])
    #expect(result.problems.map(\.line) == [2])
  }
}

/// Equality of bytes: Swift's own compares by canonical equivalence.
func utf8Same(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
