/// Lets only some long scans run at a time; the others wait without a thread.
///
/// Scans block their threads while they read through a store. The handlers' threads are few, and
/// short requests must find one.
actor ScanGate {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  /// Runs some work once there is room for it.
  func run<Result: Sendable>(_ work: @Sendable () async throws -> Result) async rethrows -> Result {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
    defer { leave() }
    return try await work()
  }

  private func leave() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
