/// Finds the words a mistyped one may stand for: commands, options, values, names of stores.
public enum Suggestions {
  /// Up to three of `candidates` that `word` may stand for, nearest first; never `word` itself.
  ///
  /// Those count that start with `word` or are at most max(1, length / 3) edits away. Letter case and
  /// leading dashes do not matter. Edits are insertions, deletions, substitutions and swaps of
  /// neighbours (Damerau).
  ///
  /// - Parameters:
  ///   - word: The word as typed.
  ///   - candidates: What it could have been, without hidden ones, in the order to prefer.
  /// - Returns: At most three of the candidates, maybe none.
  public static func nearest(to word: String, in candidates: [String]) -> [String] {
    let typed = folded(word)
    guard !typed.isEmpty else { return [] }
    let limit = max(1, typed.count / 3)
    var found: [(distance: Int, order: Int, word: String)] = []
    for (order, candidate) in candidates.enumerated() where candidate != word {
      let other = folded(candidate)
      if other.starts(with: typed) {
        found.append((other == typed ? 0 : 1, order, candidate))
      } else if abs(other.count - typed.count) <= limit {
        let distance = self.distance(typed, other)
        // A single letter is at most one edit from any other: that is no likeness.
        if distance <= limit, distance < max(typed.count, other.count) {
          found.append((distance, order, candidate))
        }
      }
    }
    found.sort { ($0.distance, $0.order) < ($1.distance, $1.order) }
    var seen: Set<String> = []
    return Array(found.map(\.word).filter { seen.insert($0).inserted }.prefix(3))
  }

  /// The tail of a message that offers other words: `; did you mean 'a' or 'b'?`.
  ///
  /// - Parameter words: What to offer, as `nearest` gives it.
  /// - Returns: The tail, or nothing when there is nothing to offer.
  public static func sentence(_ words: [String]) -> String {
    guard !words.isEmpty else { return "" }
    return "; did you mean " + listed(words.map { "'\($0)'" }, conjunction: "or") + "?"
  }

  private static func folded(_ word: String) -> [UInt8] {
    Array(word.lowercased().utf8.drop { $0 == UInt8(ascii: "-") })
  }

  /// The number of edits between two words (optimal string alignment).
  static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for (i, x) in a.enumerated() {
      var row = [i + 1]
      row.reserveCapacity(b.count + 1)
      for (j, y) in b.enumerated() {
        var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (x == y ? 0 : 1))
        if i > 0, j > 0, x == b[j - 1], a[i - 1] == y {
          cost = min(cost, beforeLast[j - 1] + 1)
        }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
