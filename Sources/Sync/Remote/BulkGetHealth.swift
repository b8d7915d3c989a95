import Synchronization

/// Remembers whether a server answers `_bulk_get`: some do not know it, some fail at it at times.
///
/// A moving ratio of failures decides, as in CouchDB's replicator; after a while it is tried again.
final class BulkGetHealth: Sendable {
  private let timing: RemoteTiming
  private let state = Mutex((failures: 0.0, retryAt: 0.0))

  /// The weight of the last answer.
  private static let decay = 0.25
  /// With more failures it is no longer asked.
  private static let worst = 0.5
  /// Seconds until it is tried again.
  private static let patience = 37.0

  init(_ timing: RemoteTiming) { self.timing = timing }

  /// Whether to ask.
  var isWorthTrying: Bool {
    state.withLock { $0.failures <= Self.worst || timing.now() >= $0.retryAt }
  }

  /// It answered.
  func succeed() {
    state.withLock { $0.failures *= 1 - Self.decay }
  }

  /// It failed, or, when `isAbsent`, the server does not know it.
  func fail(isAbsent: Bool) {
    state.withLock { state in
      state.failures = isAbsent ? 1 : state.failures * (1 - Self.decay) + Self.decay
      state.retryAt = timing.now() + Self.patience
    }
  }
}
