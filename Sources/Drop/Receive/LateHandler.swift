import HTTP
import Sync
import Synchronization

/// A handler that is known only when its server has a port.
final class LateHandler: Sendable {
  private let handler = Mutex<HTTPServer.Handler?>(nil)

  func set(_ handler: @escaping HTTPServer.Handler) { self.handler.withLock { $0 = handler } }

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    guard let handler = handler.withLock({ $0 }) else { return Refusal.nothingHere.response }
    return await handler(request)
  }
}
