/// How urgent a todo is; documents hold the number, as BlueList clients write it.
public enum TodoPriority: Int, Sendable, CaseIterable, Comparable {
  /// 0, shown plain ("white").
  case low = 0
  /// 1, shown yellow.
  case medium = 1
  /// 2, shown red.
  case high = 2

  /// Reads `high`, `medium`, `low` or `0` to `2`, or returns `nil`.
  public init?(word: String) {
    switch word.lowercased() {
    case "high", "2": self = .high
    case "medium", "1": self = .medium
    case "low", "0": self = .low
    default: return nil
    }
  }

  /// The word for people: `high`, `medium` or `low`.
  public var word: String {
    switch self {
    case .high: "high"
    case .medium: "medium"
    case .low: "low"
    }
  }

  /// Less urgent first.
  public static func < (left: TodoPriority, right: TodoPriority) -> Bool {
    left.rawValue < right.rawValue
  }
}
