import Core

/// Draws a document's revisions as a tree on a terminal, the newest first, a lane for each branch.
///
///     ● 3-1c…  current
///     │ ● 2-77…  conflict
///     ○ │ 2-05…
///     ├─╯
///     ○ 1-96…
struct HistoryGraph {
  /// One line: its lanes, and the revision that stands on it, if any.
  struct Line {
    let lanes: String
    let entry: HistoryEntry?
  }

  private struct Signs {
    let leaf: String
    let node: String
    let lane: String
    let join: String
    let across: String
    let end: String
    let cross: String

    static let unicode = Signs(
      leaf: "●", node: "○", lane: "│", join: "├", across: "─", end: "╯", cross: "┴")
    static let ascii = Signs(
      leaf: "*", node: "o", lane: "|", join: "|", across: "-", end: "'", cross: "'")
  }

  private let signs: Signs
  private(set) var lines: [Line] = []
  /// The revision each lane leads to; nil for a lane that has ended.
  private var lanes: [RevisionID?] = []

  /// Lays the tree out.
  ///
  /// - Parameters:
  ///   - entries: the revisions, branch by branch, as the store gives them.
  ///   - isUTF8: whether the terminal shows more than ASCII.
  init(_ entries: [HistoryEntry], isUTF8: Bool) {
    signs = isUTF8 ? .unicode : .ascii
    // The winner's branch keeps the first lane: it comes first in the entries, and ties keep order.
    if let first = entries.first { lanes.append(first.revision) }
    let order = entries.enumerated().sorted {
      let (left, right) = ($0.element.revision.generation, $1.element.revision.generation)
      return left == right ? $0.offset < $1.offset : left > right
    }
    for (_, entry) in order { place(entry) }
  }

  private mutating func place(_ entry: HistoryEntry) {
    let waiting = lanes.indices.filter { lanes[$0] == entry.revision }
    if waiting.count > 1 { join(waiting) }
    let lane = waiting.first ?? freeLane()
    let sign = entry.isLeaf ? signs.leaf : signs.node
    lanes[lane] = entry.revision
    let text = lanes.indices.map { $0 == lane ? sign : lanes[$0] == nil ? " " : signs.lane }
    lines.append(Line(lanes: text.joined(separator: " "), entry: entry))
    lanes[lane] = entry.parent
    while lanes.count > 1, lanes.last == .some(nil) { lanes.removeLast() }
  }

  private mutating func freeLane() -> Int {
    if let free = lanes.dropFirst().firstIndex(of: nil) { return free }
    lanes.append(nil)
    return lanes.count - 1
  }

  /// Draws the line on which several lanes become one.
  private mutating func join(_ waiting: [Int]) {
    guard let first = waiting.first, let last = waiting.last else { return }
    var text = ""
    for lane in lanes.indices {
      let isInside = lane > first && lane < last
      let sign: String
      switch lane {
      case first: sign = signs.join
      case last: sign = signs.end
      case _ where waiting.contains(lane): sign = signs.cross
      case _ where lanes[lane] != nil: sign = signs.lane
      default: sign = isInside ? signs.across : " "
      }
      text += sign
      if lane < lanes.count - 1 { text += lane >= first && lane < last ? signs.across : " " }
    }
    lines.append(Line(lanes: text, entry: nil))
    for lane in waiting.dropFirst() { lanes[lane] = nil }
    while lanes.count > 1, lanes.last == .some(nil) { lanes.removeLast() }
  }
}
