import ArgumentParser
import Core

/// A todo as a command prints it: its JSON keys and its columns side by side.
struct TodoRow: ListRow, CommandResult {
  let entry: TodoEntry
  let isOverdue: Bool

  init(_ entry: TodoEntry, _ context: Context) {
    self.entry = entry
    let due = entry.record.item.due
    isOverdue =
      !entry.record.item.isDone
      && due?.isOverdue(at: context.now, in: context.zone) == true
  }

  static let outputKeys = [
    OutputKey("id", "string", "the short id"),
    OutputKey("docId", "string", "the document's id"),
    OutputKey("rev", "string", "the document's revision"),
    OutputKey("name", "string", "the text"),
    OutputKey("priority", "integer", "2 high, 1 medium, 0 low"),
    OutputKey("priorityName", "string", "high, medium or low"),
    OutputKey("done", "boolean", "whether it is done"),
    OutputKey("completed", "string or null", "when it was done: a date, or a time in UTC"),
    OutputKey("due", "string or null", "when it is due: a date, or a time in UTC"),
    OutputKey("dueZone", "string or null", "the time zone a due time was meant in"),
    OutputKey("overdue", "boolean", "whether it is open and the due date has passed"),
    OutputKey("tags", "array of strings", "the tags"),
    OutputKey("project", "string or null", "the project"),
    OutputKey("note", "string or null", "a longer text"),
    OutputKey("created", "string or null", "when it was written down"),
    OutputKey("conflicts", "boolean", "whether another machine's change waits to be merged"),
  ]

  var json: JSON {
    let item = entry.record.item
    func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
    return [
      "id": .string(entry.shortID), "docId": .string(entry.record.id),
      "rev": .string(entry.revision.description), "name": .string(item.name),
      "priority": .integer(Int64(item.priority.rawValue)),
      "priorityName": .string(item.priority.word), "done": .bool(item.isDone),
      "completed": text(item.completed?.text), "due": text(item.due?.text),
      "dueZone": text(item.dueZone), "overdue": .bool(isOverdue),
      "tags": .array(item.tags.map { .string($0) }), "project": text(item.project),
      "note": text(item.note), "created": text(item.created?.text),
      "conflicts": .bool(entry.hasConflicts),
    ]
  }

  static let columns = [
    Column("ID", .identifier), Column("!", .identifier), Column("TODO"),
    Column("DUE", .identifier, dropOrder: 3), Column("PROJECT", dropOrder: 2),
    Column("TAGS", dropOrder: 1),
  ]

  func cells(on screen: Screen) -> [Cell] {
    let item = entry.record.item
    let tags = item.tags.joined(separator: ",")
    return [
      Cell(entry.shortID, look: item.isDone ? .dim : .cyan), mark(on: screen),
      Cell(item.name + (entry.hasConflicts ? " [conflict]" : ""), plain: item.name, look: look),
      due(on: screen), Cell(item.project ?? ""), Cell(tags),
    ]
  }

  /// Colour alone says nothing: each priority has a sign of its own.
  private func mark(on screen: Screen) -> Cell {
    let item = entry.record.item
    if item.isDone { return Cell("x", plain: "done", look: .dim) }
    switch item.priority {
    case .high: return Cell("!", plain: "high", look: .red)
    case .medium: return Cell(screen.traits.isUTF8 ? "·" : "-", plain: "medium", look: .yellow)
    case .low: return Cell(" ", plain: "low")
    }
  }

  private var look: Look? {
    let item = entry.record.item
    if item.isDone { return .struck }
    switch item.priority {
    case .high: return .red
    case .medium: return .yellow
    case .low: return nil
    }
  }

  private func due(on screen: Screen) -> Cell {
    guard let due = entry.record.item.due else { return .empty }
    let day = due.day(in: screen.zone)
    var text = screen.dates.short(due)
    let relative = screen.dates.relative(day)
    if case .day = due, ["today", "tomorrow", "yesterday"].contains(relative) { text = relative }
    if isOverdue { text += " late" }
    return Cell(
      text, plain: due.text, look: isOverdue ? .red : entry.record.item.isDone ? .dim : nil)
  }

  func show(on screen: Screen) throws(OutputError) {
    let item = entry.record.item
    func date(_ due: DueDate?) -> String? {
      guard let due else { return nil }
      guard screen.isTerminal else { return due.text }
      return "\(screen.dates.full(due)) (\(screen.dates.relative(due.day(in: screen.zone))))"
    }
    let pairs: [(String, String?)] = [
      ("id", entry.shortID), ("todo", item.name), ("priority", item.priority.word),
      ("due", date(item.due)), ("zone", item.dueZone), ("project", item.project),
      ("tags", item.tags.isEmpty ? nil : item.tags.joined(separator: ", ")),
      ("done", item.isDone ? date(item.completed) ?? "yes" : nil), ("created", date(item.created)),
      ("document", entry.record.id),
      ("conflict", entry.hasConflicts ? "another change waits to be merged" : nil),
    ]
    try screen.pairs(pairs.compactMap { pair in pair.1.map { (pair.0, $0) } })
    if let note = item.note { try screen.data("\n" + note) }
  }
}

/// The outcome of one of several ids.
struct TodoOutcome: ListRow {
  let json: JSON

  static let columns: [Column] = []

  func cells(on screen: Screen) -> [Cell] { [] }
}

extension Context {
  /// Ends a command that changed todos: results to stdout in the JSON modes, notes for people, and
  /// what failed.
  ///
  /// - Parameters:
  ///   - inputs: the ids as given.
  ///   - change: changes the todo of an id.
  ///   - note: what to tell a person of a change.
  /// - Throws: the failure, when there was one.
  func changeTodos(
    _ inputs: [String], _ change: (String) throws -> TodoEntry, note: (TodoEntry) -> String
  ) throws {
    var failures = PartialFailure()
    var outcomes: [TodoOutcome] = []
    for input in inputs {
      do {
        let entry = try change(input)
        outcomes.append(TodoOutcome(json: TodoRow(entry, self).json))
        try self.note(note(entry))
      } catch {
        try failures.add(error)
        guard let known = failures.errors.last?.json.objectValue?["error"] else { continue }
        outcomes.append(TodoOutcome(json: ["id": .string(input), "error": known]))
      }
    }
    if mode != .human { try emit(rows: outcomes) }
    try failures.finish(inputs: inputs.count)
  }
}
