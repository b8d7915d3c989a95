/// The todo.txt format: one todo a line, `x 2026-01-02 2026-01-01 Buy milk +house @shop due:…`.
///
/// Priorities A, B and C are high, medium and low; done todos keep theirs as `pri:`. Words at the end
/// of a line that are a project, a context or one of the keys below belong to the todo's fields; in
/// the middle of the text they also stay in it. Unknown `key:value` words stay text. What would be
/// read back differently is said once more, exactly, by `name:`, `tags:` and `project:`, with
/// percent-coding.
public struct TodoText: Sendable {
  /// The zone in which instants become days.
  public let zone: LocalZone

  /// Creates a reader and writer.
  public init(zone: LocalZone) { self.zone = zone }

  // MARK: Reading

  /// Reads a file; empty lines are skipped.
  public func read(_ text: String) -> TodoImport {
    var result = TodoImport()
    for line in importLines(text) {
      if line.text.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
      do {
        let (id, item) = try todo(line.text, line.number)
        result.todos.append(ImportedTodo(id: id, item: item, line: line.number))
      } catch {
        result.problems.append(error)
      }
    }
    return result
  }

  private func todo(_ line: String, _ number: Int) throws(ImportProblem) -> (String?, TodoItem) {
    var words = line.split(separator: " ").map(String.init)[...]
    var item = TodoItem(name: "")
    if words.first == "x" {
      words.removeFirst()
      let completed = takeDate(&words)
      item.markDone(at: completed.map { .day($0) })
    }
    if let letter = words.first.flatMap(priorityLetter) {
      words.removeFirst()
      item.priority = letter
    }
    let created = takeDate(&words)
    var reader = WordReader(item: item)
    try reader.take(words.map { $0 }, line, number)
    reader.item.created = created.map { .day($0) }
    guard !reader.item.name.isEmpty else {
      throw ImportProblem(line: number, message: "the line has no text")
    }
    return (reader.id, reader.item)
  }

  private func takeDate(_ words: inout ArraySlice<String>) -> CivilDate? {
    guard let date = words.first.flatMap({ CivilDate($0) }) else { return nil }
    words.removeFirst()
    return date
  }

  private func priorityLetter(_ word: String) -> TodoPriority? {
    let bytes = Array(word.utf8)
    guard bytes.count == 3, bytes[0] == 0x28, bytes[2] == 0x29 else { return nil }
    return TodoText.priority(bytes[1])
  }

  static func priority(_ letter: UInt8) -> TodoPriority? {
    switch letter {
    case 0x41: .high
    case 0x42: .medium
    case 0x43...0x5A: .low
    default: nil
    }
  }

  // MARK: Writing

  /// Writes todos, one line each, in the given order.
  public func write(_ records: [TodoRecord]) -> TodoExport {
    var lines = ""
    var losses: [String] = []
    for record in records {
      lines += line(for: record) + "\n"
      if case .instant? = record.item.due {
        losses.append(
          "the time of day of '\(record.item.name)' is only understood by programs that know it")
      }
      if record.item.note != nil { losses.append("the note of '\(record.item.name)' is left out") }
    }
    return TodoExport(text: lines, losses: losses)
  }

  private func line(for record: TodoRecord) -> String {
    let item = record.item
    var words: [String] = []
    if item.isDone {
      words.append("x")
      if let completed = item.completed { words.append(completed.day(in: zone).description) }
    } else {
      words.append("(\(["C", "B", "A"][item.priority.rawValue]))")
    }
    // A creation date may stand only after a completion date, else it would be read as one.
    if let created = item.created, !item.isDone || item.completed != nil {
      words.append(created.day(in: zone).description)
    }
    let name = item.name.split(whereSeparator: \.isWhitespace).map(String.init)
    words += name.map(disarmed)
    if let project = item.project, !name.contains("+" + underscored(project)) {
      words.append("+" + underscored(project))
    }
    for tag in item.tags where !name.contains("@" + underscored(tag)) {
      words.append("@" + underscored(tag))
    }
    if let due = item.due { words.append("due:" + due.text) }
    if item.isDone { words.append("pri:" + ["C", "B", "A"][item.priority.rawValue]) }
    words.append("id:" + percentEncoded(record.id))
    let line = words.joined(separator: " ")
    return line + corrections(for: item, readingBack: line)
  }

  /// What must be said exactly since the plain words would be read back as something else.
  private func corrections(for item: TodoItem, readingBack line: String) -> String {
    // No line at all comes back when the text is nothing but metadata.
    let back = try? todo(line, 1).1
    var words = ""
    if !utf8Equal(back?.name ?? "", item.name) { words += " name:" + percentEncoded(item.name) }
    if back == nil || back?.fields["project"] != item.fields["project"] {
      words += " project:" + percentEncoded(item.project ?? "")
    }
    if back?.tags.map({ UTF8Key($0) }) != item.tags.map({ UTF8Key($0) }) {
      words += " tags:" + item.tags.map(percentEncoded).joined(separator: ",")
    }
    return words
  }

  /// A word of the text that would be taken for one of our keys, its colon coded.
  private func disarmed(_ word: String) -> String {
    guard let colon = word.firstIndex(of: ":"), WordReader.keys.contains(String(word[..<colon]))
    else {
      return word
    }
    return word[..<colon] + "%3A" + word[word.index(after: colon)...]
  }

  private func underscored(_ word: String) -> String {
    String(word.map { $0.isWhitespace ? "_" : $0 })
  }
}

/// Sorts the words after the dates into fields and text.
private struct WordReader {
  static let keys = ["due", "id", "pri", "name", "project", "tags"]

  var item: TodoItem
  var id: String?
  private var exactName: String?
  private var exactTags: [String]?
  private var exactProject: String??

  init(item: TodoItem) { self.item = item }

  mutating func take(_ words: [String], _ line: String, _ number: Int) throws(ImportProblem) {
    var text = words
    var tags: [String] = []
    // From the end: what is metadata there leaves the text, until the first plain word.
    var isTrailing = true
    for index in words.indices.reversed() {
      let word = words[index]
      if try takeKey(word, line, number) {
        text.remove(at: index)
      } else if let tag = name(word, after: "@") {
        tags.insert(tag, at: 0)
        if isTrailing { text.remove(at: index) }
      } else if let project = name(word, after: "+"), !isTrailing || firstProject(words) == index {
        if firstProject(words) == index { item.project = project }
        if isTrailing { text.remove(at: index) }
      } else {
        isTrailing = false
      }
    }
    item.name = exactName ?? text.joined(separator: " ")
    var unique: [String] = []
    for tag in exactTags ?? tags where !unique.contains(where: { utf8Equal($0, tag) }) {
      unique.append(tag)
    }
    item.tags = unique
    if let exactProject { item.project = exactProject }
  }

  private func firstProject(_ words: [String]) -> Int? {
    words.firstIndex { name($0, after: "+") != nil }
  }

  private func name(_ word: String, after mark: Character) -> String? {
    guard word.first == mark, word.utf8.count > 1 else { return nil }
    return String(word.dropFirst())
  }

  /// Whether the word was one of the keys this program knows.
  private mutating func takeKey(
    _ word: String, _ line: String, _ number: Int
  ) throws(ImportProblem) -> Bool {
    guard let colon = word.utf8.firstIndex(of: 0x3A) else { return false }
    let (key, value) = (String(word[..<colon]), String(word[word.utf8.index(after: colon)...]))
    switch key {
    case "due":
      guard let due = DueDate(value) else {
        let column = line.range(of: word).map { line.distance(from: line.startIndex, to: $0) } ?? 0
        throw ImportProblem(
          line: number, column: column + 1, message: "'\(word)' is not a date such as 2026-12-24")
      }
      item.due = due
    case "id":
      guard let decoded = percentDecoded(value), !decoded.isEmpty else { return false }
      id = decoded
    case "pri":
      guard value.utf8.count == 1, let letter = value.utf8.first,
        let priority = TodoText.priority(letter)
      else { return false }
      item.priority = priority
    case "name":
      guard let decoded = percentDecoded(value), !decoded.isEmpty else { return false }
      exactName = decoded
    case "project":
      guard let decoded = percentDecoded(value) else { return false }
      exactProject = .some(decoded.isEmpty ? nil : decoded)
    case "tags":
      let parts = value.split(separator: ",").map { percentDecoded($0) }
      guard !parts.contains(nil) else { return false }
      exactTags = parts.compactMap(\.self)
    default: return false
    }
    return true
  }
}

extension String {
  /// Where another text begins in this one.
  fileprivate func range(of word: String) -> Index? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(word) { return start }
      start = index(after: start)
    }
    return nil
  }
}
