/// An order of todos by fields, ended by the usual list order, so that it is total.
public struct TodoSort: Sendable, Hashable {
  /// A field todos can be sorted by.
  public enum Field: String, Sendable, CaseIterable {
    case name, priority, due, created, completed, project, done
  }

  /// The fields in use and their directions, the most important first.
  public let keys: [Key]

  /// A field with its direction.
  public struct Key: Sendable, Hashable {
    /// The field.
    public let field: Field
    /// From the greatest down.
    public let isDescending: Bool
  }

  /// A text that names no order: the part that is wrong.
  public struct Problem: Error, Sendable, Hashable {
    /// The part that is no field, or has another direction than `asc` or `desc`.
    public let part: String

    /// Creates a problem.
    public init(part: String) { self.part = part }
  }

  /// Reads `F[:desc],…`.
  ///
  /// - Throws: `Problem` naming the part that is wrong.
  public init(_ text: String) throws(Problem) {
    var keys: [Key] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let pieces = part.split(separator: ":", omittingEmptySubsequences: false)
      let direction = pieces.count > 1 ? String(pieces[1]) : "asc"
      guard pieces.count <= 2, let field = Field(rawValue: String(pieces[0])),
        ["asc", "desc"].contains(direction)
      else { throw Problem(part: String(part)) }
      keys.append(Key(field: field, isDescending: direction == "desc"))
    }
    self.keys = keys
  }

  /// Whether one todo stands before another; what has no value stands last either way.
  public func isBefore(_ left: TodoRecord, _ right: TodoRecord) -> Bool {
    for key in keys {
      switch order(left.item, right.item, key) {
      case 0: continue
      case let order: return order < 0
      }
    }
    return TodoRecord.inListOrder(left, right)
  }

  private func order(_ left: TodoItem, _ right: TodoItem, _ key: Key) -> Int {
    let sign = key.isDescending ? -1 : 1
    switch key.field {
    case .name: return sign * order(name: left.name, right.name)
    case .priority: return sign * (left.priority.rawValue - right.priority.rawValue)
    case .done: return sign * ((left.isDone ? 1 : 0) - (right.isDone ? 1 : 0))
    case .due: return order(left.due?.sortKey, right.due?.sortKey, sign) { $0 < $1 }
    case .created: return order(left.created?.sortKey, right.created?.sortKey, sign) { $0 < $1 }
    case .completed:
      return order(left.completed?.sortKey, right.completed?.sortKey, sign) { $0 < $1 }
    case .project: return order(left.project, right.project, sign) { utf8Less($0, $1) }
    }
  }

  private func order<Value: Equatable>(
    _ left: Value?, _ right: Value?, _ sign: Int, _ isLess: (Value, Value) -> Bool
  ) -> Int {
    switch (left, right) {
    case (nil, nil): 0
    case (nil, _): 1
    case (_, nil): -1
    case (let left?, let right?): isLess(left, right) ? -sign : isLess(right, left) ? sign : 0
    }
  }

  /// Without regard to case first, then by code points: the same on every machine.
  private func order(name left: String, _ right: String) -> Int {
    let folded = (left.lowercased(), right.lowercased())
    if utf8Less(folded.0, folded.1) { return -1 }
    if utf8Less(folded.1, folded.0) { return 1 }
    return utf8Less(left, right) ? -1 : utf8Less(right, left) ? 1 : 0
  }
}
