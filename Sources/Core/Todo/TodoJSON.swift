/// Todos as JSON documents: an array of `{"_id":…,"@datatype":"TodoItem",…}`, one a line, or one alone.
public struct TodoJSON: Sendable {
  /// Creates a reader and writer.
  public init() {}

  /// Writes todos as one array, one todo a line.
  public func write(_ records: [TodoRecord]) -> TodoExport {
    guard !records.isEmpty else { return TodoExport(text: "[]\n") }
    let lines = records.map { document($0).serialized() }
    return TodoExport(text: "[\n" + lines.joined(separator: ",\n") + "\n]\n")
  }

  /// A todo's document: its id, then its fields.
  public func document(_ record: TodoRecord) -> JSON {
    var object = JSONObject([("_id", .string(record.id))])
    for (key, value) in record.item.fields { object[key] = value }
    return .object(object)
  }

  /// Reads an array of documents, one document, or one document a line.
  public func read(_ bytes: [UInt8]) -> TodoImport {
    var result = TodoImport()
    do {
      let json = try JSON(parsing: bytes)
      let documents = json.arrayValue ?? [json]
      for (index, document) in documents.enumerated() {
        add(document, place: "item \(index + 1)", line: 1, to: &result)
      }
    } catch {
      guard let lines = lines(bytes) else {
        result.problems.append(
          ImportProblem(line: error.line, column: error.column, message: error.message))
        return result
      }
      read(lines, into: &result)
    }
    return result
  }

  /// The lines of a file that looks like one document a line, or `nil`.
  private func lines(_ bytes: [UInt8]) -> [(number: Int, text: String)]? {
    let lines = importLines(String(decoding: bytes, as: UTF8.self)).filter { !$0.text.isEmpty }
    guard lines.count > 1, lines.allSatisfy({ $0.text.utf8.first == 0x7B }) else { return nil }
    return lines
  }

  private func read(_ lines: [(number: Int, text: String)], into result: inout TodoImport) {
    for line in lines {
      do {
        add(try JSON(parsing: line.text), place: "", line: line.number, to: &result)
      } catch {
        result.problems.append(
          ImportProblem(line: line.number, column: error.column, message: error.message))
      }
    }
  }

  private func add(_ json: JSON, place: String, line: Int, to result: inout TodoImport) {
    let prefix = place.isEmpty ? "" : place + ": "
    guard case .object(var fields) = json else {
      result.problems.append(
        ImportProblem(line: line, message: prefix + "a todo must be an object"))
      return
    }
    if let problem = wrongField(fields) {
      result.problems.append(ImportProblem(line: line, message: prefix + problem))
      return
    }
    let id = fields.removeValue(forKey: "_id")?.stringValue
    for key in fields.keys where key.utf8.first == 0x5F { fields[key] = nil }
    if fields["@datatype"] == nil { fields["@datatype"] = .string(TodoItem.datatype) }
    if fields["priority"] == nil { fields["priority"] = .integer(0) }
    result.todos.append(ImportedTodo(id: id, item: TodoItem(fields: fields), line: line))
  }

  /// Says which field has a value that no todo can have.
  private func wrongField(_ fields: JSONObject) -> String? {
    guard fields["name"]?.stringValue?.isEmpty == false else {
      return "'name' must be a text that is not empty"
    }
    if let id = fields["_id"], id.stringValue?.isEmpty != false { return "'_id' must be a text" }
    if let type = fields["@datatype"], !TodoItem.isTodo(fields) {
      return "'@datatype' must be \"TodoItem\", not \(type.serialized())"
    }
    if let priority = fields["priority"], ![0, 1, 2].contains(priority.doubleValue) {
      return "'priority' must be 0, 1 or 2, not \(priority.serialized())"
    }
    if let done = fields["done"], done.boolValue == nil { return "'done' must be true or false" }
    for key in ["due", "completed", "created"] {
      guard let value = fields[key] else { continue }
      if value.stringValue.flatMap({ DueDate($0) }) == nil {
        return "'\(key)' must be a date such as \"2026-12-24\", not \(value.serialized())"
      }
    }
    for key in ["project", "note", "dueZone"] {
      if let value = fields[key], value.stringValue == nil { return "'\(key)' must be a text" }
    }
    if let tags = fields["tags"], tags.arrayValue?.allSatisfy({ $0.stringValue != nil }) != true {
      return "'tags' must be an array of texts"
    }
    return nil
  }
}
