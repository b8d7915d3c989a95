import Synchronization

/// A clock that stands still until a test moves it.
///
/// Pass ``now`` where the code under test takes a function that tells the time.
public final class FakeClock: Sendable {
  private let instant: Mutex<Duration>

  /// Makes a clock that shows a fixed time.
  ///
  /// - Parameter seconds: seconds since 1970-01-01 00:00:00 UTC. The default is
  ///   2030-01-01 12:00:00 UTC, a Tuesday.
  public init(sinceEpoch seconds: Int64 = 1_893_499_200) {
    instant = Mutex(.seconds(seconds))
  }

  /// The time shown, since 1970-01-01 00:00:00 UTC.
  public var now: Duration { instant.withLock { $0 } }

  /// The time shown, in whole seconds since 1970-01-01 00:00:00 UTC.
  public var seconds: Int64 { now.components.seconds }

  /// Moves the clock.
  ///
  /// - Parameter duration: how far; negative to set it back.
  public func advance(by duration: Duration) {
    instant.withLock { $0 += duration }
  }
}
