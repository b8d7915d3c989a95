/// Which todos a list shows.
public struct TodoFilter: Sendable {
  /// Whether open or done todos are wanted.
  public enum State: Sendable {
    /// Only those still to do.
    case open
    /// Only those done.
    case done
    /// Both.
    case all
  }

  /// Open, done or both.
  public var state: State
  /// Only this priority, or `nil` for any.
  public var priority: TodoPriority?
  /// All of these tags; empty for any.
  public var tags: [String]
  /// This project or one below it (`house` also finds `house.garden`), or `nil` for any.
  public var project: String?
  /// Only what is due before this, or `nil`; what has no date is then left out.
  public var dueBefore: DueDate?
  /// The zone in which days are compared with instants.
  public var zone: LocalZone

  /// Creates a filter; the defaults show everything that is open.
  public init(
    state: State = .open, priority: TodoPriority? = nil, tags: [String] = [],
    project: String? = nil, dueBefore: DueDate? = nil, zone: LocalZone = .system
  ) {
    self.state = state
    self.priority = priority
    self.tags = tags
    self.project = project
    self.dueBefore = dueBefore
    self.zone = zone
  }

  /// Whether the filter shows a todo.
  public func matches(_ item: TodoItem) -> Bool {
    switch state {
    case .open where item.isDone: return false
    case .done where !item.isDone: return false
    default: break
    }
    if let priority, item.priority != priority { return false }
    let own = item.tags
    guard tags.allSatisfy({ tag in own.contains { utf8Equal($0, tag) } }) else { return false }
    if let project {
      guard let name = item.project else { return false }
      guard utf8Equal(name, project) || name.utf8.starts(with: (project + ".").utf8) else {
        return false
      }
    }
    if let dueBefore {
      guard let due = item.due else { return false }
      return isBefore(due, dueBefore)
    }
    return true
  }

  /// Two instants compare in time; as soon as a day is involved, days compare.
  private func isBefore(_ due: DueDate, _ limit: DueDate) -> Bool {
    if case .instant(let moment) = due, case .instant(let end) = limit { return moment < end }
    return due.day(in: zone) < limit.day(in: zone)
  }
}
