import Synchronization

/// How far a body has been read.
final class Position: Sendable {
  private let rest: Mutex<Range<Int64>>

  init(_ range: Range<Int64>) { rest = Mutex(range) }

  /// Takes the next bytes: where they begin, and how many there are; none at the end.
  func take(upTo size: Int) -> (offset: Int, count: Int) {
    rest.withLock { rest in
      let count = min(Int64(size), Int64(rest.count))
      defer { rest = (rest.lowerBound + count)..<rest.upperBound }
      return (Int(rest.lowerBound), Int(count))
    }
  }
}
