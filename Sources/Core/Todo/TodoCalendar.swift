/// The iCalendar format: a todo is a `VTODO` (RFC 5545 §3.6.2).
///
/// A day is written `DUE;VALUE=DATE`, never as a midnight time; properties without a field of ours
/// (recurrence rules, alarms) are kept in the document's `ical` array and written back.
public struct TodoCalendar: Sendable {
  /// The zone of times that name none.
  public let zone: LocalZone
  /// The moment of the export, for `DTSTAMP`.
  public let now: Instant

  /// Creates a reader and writer.
  public init(zone: LocalZone, now: Instant) {
    self.zone = zone
    self.now = now
  }

  // MARK: Writing

  /// Writes todos as one calendar, lines folded at 75 octets and ended by CR LF.
  public func write(_ records: [TodoRecord]) -> TodoExport {
    var lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//tote//tote//EN"]
    for record in records { lines += component(for: record) }
    lines.append("END:VCALENDAR")
    return TodoExport(text: lines.map(ICalendarLine.fold).joined())
  }

  private func component(for record: TodoRecord) -> [String] {
    let item = record.item
    var lines = [
      "BEGIN:VTODO", "UID:" + ICalendarLine.escape(record.id), "DTSTAMP:" + stamp(now),
      "SUMMARY:" + ICalendarLine.escape(item.name),
    ]
    if let created = item.created { lines.append(moment("CREATED", created)) }
    if let note = item.note { lines.append("DESCRIPTION:" + ICalendarLine.escape(note)) }
    lines.append("PRIORITY:\([9, 5, 1][item.priority.rawValue])")
    lines.append("STATUS:" + (item.isDone ? "COMPLETED" : "NEEDS-ACTION"))
    if let completed = item.completed { lines.append(moment("COMPLETED", completed)) }
    switch item.due {
    case .day(let date)?: lines.append("DUE;VALUE=DATE:" + compact(date))
    case .instant(let instant)?: lines.append("DUE:" + stamp(instant))
    case nil: break
    }
    if let dueZone = item.dueZone { lines.append("X-TOTE-ZONE:" + ICalendarLine.escape(dueZone)) }
    if !item.tags.isEmpty {
      lines.append("CATEGORIES:" + item.tags.map(ICalendarLine.escape).joined(separator: ","))
    }
    if let project = item.project {
      lines.append("X-TOTE-PROJECT:" + ICalendarLine.escape(project))
    }
    lines += (item.fields["ical"]?.arrayValue ?? []).compactMap(\.stringValue)
    return lines + ["END:VTODO"]
  }

  /// `CREATED` and `COMPLETED` must be UTC times; a day says so in a parameter of ours.
  private func moment(_ name: String, _ date: DueDate) -> String {
    switch date {
    case .day(let day): "\(name);X-TOTE-VALUE=DATE:\(compact(day))T000000Z"
    case .instant(let instant): "\(name):\(stamp(instant))"
    }
  }

  private func compact(_ date: CivilDate) -> String {
    padded(date.year, 4) + padded(date.month, 2) + padded(date.day, 2)
  }

  private func stamp(_ instant: Instant) -> String {
    let reading = LocalZone.utc.reading(at: instant)
    return compact(reading.date) + "T" + padded(reading.hour, 2) + padded(reading.minute, 2)
      + padded(reading.second, 2) + "Z"
  }

  // MARK: Reading

  /// Reads the todos of a file; events, journals and time zone definitions are passed over.
  public func read(_ text: String) -> TodoImport {
    var result = TodoImport()
    var open: [ICalendarLine]?
    var depth = 0
    var sawCalendar = false
    for (number, raw) in ICalendarLine.unfold(text) {
      guard let line = ICalendarLine(raw, number: number) else {
        result.problems.append(
          ImportProblem(line: number, message: "this is not an iCalendar line: 'NAME:value'"))
        continue
      }
      let component = line.value.uppercased()
      if line.name == "BEGIN", component == "VCALENDAR" { sawCalendar = true }
      if open == nil {
        if line.name == "BEGIN", component == "VTODO" { (open, depth) = ([line], 0) }
        continue
      }
      if line.name == "END", component == "VTODO", depth == 0 {
        finish(open ?? [], into: &result)
        open = nil
        continue
      }
      // A nested component, such as an alarm, is kept whole.
      if line.name == "BEGIN" { depth += 1 }
      if line.name == "END" { depth -= 1 }
      open?.append(line)
    }
    if let first = open?.first {
      result.problems.append(ImportProblem(line: first.number, message: "this VTODO has no end"))
    }
    if !sawCalendar, result.problems.isEmpty {
      result.problems.append(ImportProblem(line: 1, message: "there is no VCALENDAR in this file"))
    }
    return result
  }

  private func finish(_ lines: [ICalendarLine], into result: inout TodoImport) {
    var reader = ComponentReader(zone: zone)
    do {
      for line in lines.dropFirst() { try reader.take(line) }
      result.todos.append(try reader.finish(line: lines.first?.number ?? 1))
    } catch {
      result.problems.append(error)
    }
  }
}
