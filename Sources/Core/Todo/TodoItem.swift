/// A todo: a view of the document's fields, which stay the truth.
///
/// Only what is set through this type changes; fields it does not know, and values another client
/// wrote in its own way, are kept as they are. A BlueList client of the same database writes
/// `@datatype`, `name` and the numeric `priority`; the other fields are ours.
public struct TodoItem: Sendable, Hashable {
  /// The `@datatype` of every todo.
  public static let datatype = "TodoItem"

  /// The fields that only this program writes, which a client that drops unknown fields removes.
  public static let ownFields = [
    "done", "completed", "due", "dueZone", "tags", "project", "note", "created",
  ]

  /// The document's fields without `_id` and `_rev`.
  public var fields: JSONObject

  /// A view of a document's fields.
  public init(fields: JSONObject) { self.fields = fields }

  /// A new todo with a text and a priority.
  public init(name: String, priority: TodoPriority = .low) {
    fields = JSONObject([
      ("@datatype", .string(TodoItem.datatype)), ("name", .string(name)),
      ("priority", .integer(Int64(priority.rawValue))),
    ])
  }

  /// Whether a document's fields say that it is a todo.
  public static func isTodo(_ fields: JSONObject) -> Bool {
    guard case .string(let type)? = fields["@datatype"] else { return false }
    return utf8Equal(type, datatype)
  }

  /// The text; empty when the document has none.
  public var name: String {
    get { fields["name"]?.stringValue ?? "" }
    set { fields["name"] = .string(newValue) }
  }

  /// The priority; whatever is not 2 or 1 counts as low.
  public var priority: TodoPriority {
    get {
      guard let number = fields["priority"]?.doubleValue else { return .low }
      return number == 2 ? .high : number == 1 ? .medium : .low
    }
    set { fields["priority"] = .integer(Int64(newValue.rawValue)) }
  }

  /// Whether it is done.
  public var isDone: Bool { fields["done"]?.boolValue ?? false }

  /// When it was done: an instant, or a day if no more is known.
  public var completed: DueDate? {
    get { date("completed") }
    set { set("completed", newValue) }
  }

  /// When it was written down.
  public var created: DueDate? {
    get { date("created") }
    set { set("created", newValue) }
  }

  /// When it is due.
  public var due: DueDate? {
    get { date("due") }
    set { set("due", newValue) }
  }

  /// The IANA zone in which a due time was meant, or `nil`.
  public var dueZone: String? {
    get { fields["dueZone"]?.stringValue }
    set { fields["dueZone"] = newValue.map { .string($0) } }
  }

  /// The tags, each once, in the order they were given; may be empty.
  public var tags: [String] {
    get { (fields["tags"]?.arrayValue ?? []).compactMap(\.stringValue) }
    set { fields["tags"] = newValue.isEmpty ? nil : .array(newValue.map { .string($0) }) }
  }

  /// The project (`house` or `house.garden`), or `nil`.
  public var project: String? {
    get { fields["project"]?.stringValue }
    set { fields["project"] = newValue.map { .string($0) } }
  }

  /// A longer text, or `nil`.
  public var note: String? {
    get { fields["note"]?.stringValue }
    set { fields["note"] = newValue.map { .string($0) } }
  }

  /// Marks it done.
  ///
  /// - Parameter moment: when; `nil` leaves that open.
  public mutating func markDone(at moment: DueDate?) {
    fields["done"] = .bool(true)
    completed = moment
  }

  /// Opens it again.
  public mutating func reopen() {
    fields["done"] = nil
    fields["completed"] = nil
  }

  /// Sets what it is due, and forgets the zone of the former time.
  public mutating func setDue(_ due: DueDate?, zone: String?) {
    self.due = due
    if case .instant? = due { dueZone = zone } else { dueZone = nil }
  }

  /// Adds a tag unless it is there.
  public mutating func addTag(_ tag: String) {
    if !tags.contains(where: { utf8Equal($0, tag) }) { tags.append(tag) }
  }

  /// Takes a tag away.
  public mutating func removeTag(_ tag: String) {
    if tags.contains(where: { utf8Equal($0, tag) }) { tags.removeAll { utf8Equal($0, tag) } }
  }

  private func date(_ key: String) -> DueDate? {
    fields[key]?.stringValue.flatMap { DueDate($0) }
  }

  private mutating func set(_ key: String, _ value: DueDate?) {
    fields[key] = value.map { .string($0.text) }
  }
}

/// A todo with the id of its document.
public struct TodoRecord: Sendable, Hashable {
  /// The document's id.
  public var id: String
  /// The todo.
  public var item: TodoItem

  /// Creates a record.
  public init(id: String, item: TodoItem) {
    self.id = id
    self.item = item
  }

  /// The order of a list: what is open, then what is done; the most urgent first, then the earliest
  /// due (none last), then the oldest, then by id; total, and the same on every machine.
  public static func inListOrder(_ left: TodoRecord, _ right: TodoRecord) -> Bool {
    if left.item.isDone != right.item.isDone { return right.item.isDone }
    if left.item.priority != right.item.priority {
      return left.item.priority > right.item.priority
    }
    let dues = (left.item.due?.sortKey ?? .max, right.item.due?.sortKey ?? .max)
    if dues.0 != dues.1 { return dues.0 < dues.1 }
    let births = (left.item.created?.sortKey ?? .max, right.item.created?.sortKey ?? .max)
    if births.0 != births.1 { return births.0 < births.1 }
    return utf8Less(left.id, right.id)
  }
}
