/// Collects the properties of one `VTODO`.
struct ComponentReader {
  private let zone: LocalZone
  private var item = TodoItem(name: "")
  private var identifier: String?
  private var recurrence: String?
  private var kept: [JSON] = []
  private var depth = 0
  private var isDone = false
  private var isCancelled = false
  private var hasDuration = false
  private var tags: [String] = []

  init(zone: LocalZone) { self.zone = zone }

  mutating func take(_ line: ICalendarLine) throws(ImportProblem) {
    if line.name == "BEGIN" { depth += 1 }
    defer { if line.name == "END" { depth -= 1 } }
    guard depth == 0 else {
      kept.append(.string(line.raw))
      return
    }
    switch line.name {
    case "UID": identifier = line.text
    case "SUMMARY": item.name = line.text
    case "DESCRIPTION": item.note = line.text
    case "PRIORITY": item.priority = priority(line.value)
    case "STATUS": status(line)
    case "COMPLETED":
      isDone = true
      item.completed = try moment(line)
    case "CREATED": item.created = try moment(line)
    case "DUE": try due(line)
    case "CATEGORIES": tags += line.texts
    case "X-TOTE-PROJECT": item.project = line.text
    case "X-TOTE-ZONE": item.dueZone = line.text
    case "DTSTAMP", "LAST-MODIFIED": break
    default:
      if line.name == "DURATION" { hasDuration = true }
      if line.name == "RECURRENCE-ID" { recurrence = line.value }
      kept.append(.string(line.raw))
    }
  }

  mutating func finish(line: Int) throws(ImportProblem) -> ImportedTodo {
    if hasDuration, item.due != nil {
      throw ImportProblem(line: line, message: "a VTODO cannot have both DUE and DURATION")
    }
    if item.name.isEmpty {
      throw ImportProblem(line: line, message: "this VTODO has no SUMMARY")
    }
    if isDone || isCancelled { item.markDone(at: item.completed) }
    if isCancelled {
      item.note = [item.note, "cancelled"].compactMap(\.self).joined(separator: "\n")
    }
    for tag in tags where !tag.isEmpty { item.addTag(tag) }
    if !kept.isEmpty { item.fields["ical"] = .array(kept) }
    // An exception of a repeated todo shares its UID; it is an item of its own here.
    let id = identifier.map { name in recurrence.map { name + "#" + $0 } ?? name }
    return ImportedTodo(id: id, item: item, line: line)
  }

  /// 1 to 4 is high, 5 medium, everything else low (RFC 5545 §3.8.1.9).
  private func priority(_ text: String) -> TodoPriority {
    switch Int(text) {
    case .some(1...4): .high
    case .some(5): .medium
    default: .low
    }
  }

  private mutating func status(_ line: ICalendarLine) {
    switch line.value.uppercased() {
    case "COMPLETED": isDone = true
    case "CANCELLED": isCancelled = true
    case "NEEDS-ACTION": break
    default: kept.append(.string(line.raw))
    }
  }

  private mutating func due(_ line: ICalendarLine) throws(ImportProblem) {
    item.due = try date(line)
    if let name = line.parameters["TZID"], case .instant? = item.due, LocalZone(named: name) != nil
    {
      item.dueZone = name
    }
  }

  private func moment(_ line: ICalendarLine) throws(ImportProblem) -> DueDate {
    let value = try date(line)
    guard line.parameters["X-TOTE-VALUE"] == "DATE" else { return value }
    return .day(value.day(in: .utc))
  }

  /// A DATE or DATE-TIME value: in UTC, in the zone its TZID names, or in the reader's own.
  private func date(_ line: ICalendarLine) throws(ImportProblem) -> DueDate {
    let bytes = Array(line.value.utf8)
    let problem = ImportProblem(
      line: line.number, column: line.raw.count - line.value.count + 1,
      message: "'\(line.value)' is not an iCalendar date")
    guard bytes.count >= 8, let year = decimal(bytes[0..<4]), let month = decimal(bytes[4..<6]),
      let day = decimal(bytes[6..<8]),
      let date = CivilDate(year: year, month: month, day: day)
    else { throw problem }
    if bytes.count == 8 { return .day(date) }
    guard bytes.count >= 15, bytes[8] == 0x54, let hour = decimal(bytes[9..<11]), hour < 24,
      let minute = decimal(bytes[11..<13]), minute < 60, let second = decimal(bytes[13..<15]),
      second <= 60
    else { throw problem }
    let reading = CivilDateTime(
      date: date, secondOfDay: hour * 3600 + minute * 60 + min(second, 59))
    if bytes.count == 16, bytes[15] == 0x5A { return .instant(LocalZone.utc.instant(of: reading)) }
    guard bytes.count == 15 else { throw problem }
    let place = line.parameters["TZID"].flatMap { LocalZone(named: $0) } ?? zone
    return .instant(place.instant(of: reading))
  }
}
