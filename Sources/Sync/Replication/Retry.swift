/// Repeats calls that fail for reasons that pass.
///
/// The pauses double from a quarter of a second to a minute, each shortened at random by up to half,
/// so that many clients of one server do not come back together.
struct Retry: Sendable {
  /// How often a call is tried; nil for as long as it takes.
  var attempts: Int?
  /// Waits for so many seconds; tests pass the time their own way.
  var pause: @Sendable (Double) async throws -> Void
  /// Told before each pause.
  var willPause: @Sendable (_ reason: String, _ seconds: Double) -> Void
  /// Told when a call that had failed succeeds.
  var didRecover: @Sendable () -> Void = {}

  private static let first = 0.25
  private static let longest = 60.0

  func callAsFunction<Result>(_ body: () async throws -> Result) async throws -> Result {
    var attempt = 1
    var delay = Self.first
    while true {
      do {
        try Task.checkCancellation()
        let result = try await body()
        if attempt > 1 { didRecover() }
        return result
      } catch let error as any ReplicationFault where error.isTransient {
        if let attempts, attempt >= attempts { throw error }
        let seconds = delay * Double.random(in: 0.5...1)
        willPause("\(error)", seconds)
        try await pause(seconds)
        attempt += 1
        delay = min(delay * 2, Self.longest)
      }
    }
  }
}
