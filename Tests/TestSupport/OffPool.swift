import Foundation

/// Runs what waits long for other processes on a thread of its own.
///
/// Tests share a pool with a thread a core: one that blocks it for a minute holds up every client of
/// every other test.
public func offPool<Result: Sendable>(
  _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try work() }) }
  }
}
