import HTTP
import Synchronization

/// Slows a client down when its server says that it asks too much (429), and lets it become faster
/// again: the delay before each request grows by factors and shrinks by steps, as CouchDB's
/// replicator does it.
final class RequestPace: Sendable {
  private let timing: RemoteTiming
  /// Seconds before the next request.
  private let delay = Mutex(0.0)

  /// The first delay, and the step by which delays shrink, in seconds.
  private static let step = 0.02
  /// The longest delay, in seconds.
  private static let longest = 25.0
  /// How often one request is refused before its caller hears of it.
  static let attempts = 8

  init(_ timing: RemoteTiming) { self.timing = timing }

  /// Waits until the next request may be sent.
  func wait() async throws {
    let seconds = delay.withLock { $0 }
    if seconds > 0 { try await timing.pause(seconds) }
  }

  /// A request was answered.
  func succeed() {
    delay.withLock { $0 = max($0 - Self.step, 0) }
  }

  /// A request was refused; waits as long as the server says it should.
  func slowDown(_ headers: HTTPHeaders) async throws {
    delay.withLock { $0 = min(max($0 * 2, Self.step), Self.longest) }
    let asked = headers["Retry-After"].flatMap { Double($0) } ?? 0
    if asked > 0 { try await timing.pause(min(asked, Self.longest)) }
  }
}
