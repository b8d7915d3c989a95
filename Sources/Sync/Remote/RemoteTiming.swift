import HTTP

/// The clock and the patience of a client; tests pass the time their own way.
struct RemoteTiming: Sendable {
  /// Seconds of a clock that only runs forward.
  var now: @Sendable () -> Double
  /// Waits for so many seconds.
  var pause: @Sendable (Double) async throws -> Void

  /// The machine's clock.
  static let real: RemoteTiming = {
    let start = ContinuousClock.now
    return RemoteTiming(
      now: { seconds(ContinuousClock.now - start) },
      pause: { try await Task.sleep(for: .seconds($0)) })
  }()

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }
}
