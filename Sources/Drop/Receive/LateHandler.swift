import HTTP
import Sync
import Synchronization

/// A handler that is known only when its server has a port.
final class LateHandler: Sendable {
  /// A closure that is itself what a mutex guards is wrapped once more by each look at it.
  private struct Known { let handler: HTTPServer.Handler }

  private let known = Mutex<Known?>(nil)

  func set(_ handler: @escaping HTTPServer.Handler) {
    known.withLock { $0 = Known(handler: handler) }
  }

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    guard let known = known.withLock({ $0 }) else { return Refusal.nothingHere.response }
    return await known.handler(request)
  }
}
