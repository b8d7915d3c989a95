import Core
import Glibc
import HTTP
import Sync
import Synchronization

/// The patience of a sender with a lost connection, shared by all that use it.
///
/// Pauses double from a quarter of a second to eight, each shortened at random by up to half. Nothing
/// is given up while anything succeeds.
final class SendRetry: Sendable {
  private struct State {
    var since: ContinuousClock.Instant?
    var attempt = 0
    var toldAt: ContinuousClock.Instant?
  }

  private let patience: Duration
  private let pause: @Sendable (Duration) async throws -> Void
  private let events: @Sendable (DropSendEvent) -> Void
  private let state = Mutex(State())

  private static let first = 0.25
  private static let longest = 8.0
  /// How long to ask where nobody listens any more.
  private static let refusalPatience = Duration.seconds(5)

  init(
    patience: Duration, pause: @escaping @Sendable (Duration) async throws -> Void,
    events: @escaping @Sendable (DropSendEvent) -> Void
  ) {
    self.patience = patience
    self.pause = pause
    self.events = events
  }

  /// Something worked.
  func succeed() { state.withLock { $0 = State() } }

  /// Waits before the next attempt.
  ///
  /// - Throws: the error itself when it will not pass, or patience has ended; `CancellationError`.
  func wait(after error: any Error) async throws {
    guard Self.isTransient(error) else { throw error }
    let now = ContinuousClock.now
    let (isOver, attempt) = state.withLock { state in
      let since = state.since ?? now
      state.since = since
      // Of the connections that broke together only the first makes the pauses longer.
      let isNew = state.toldAt.map { now - $0 > .milliseconds(200) } ?? true
      if isNew {
        state.attempt += 1
        state.toldAt = now
      }
      let patience = Self.isRefusal(error) ? min(patience, Self.refusalPatience) : patience
      return (now - since > patience, isNew ? state.attempt : -state.attempt)
    }
    if isOver { throw error }
    let longest = min(Self.longest, Self.first * Double(1 << min(10, abs(attempt) - 1)))
    let seconds = longest * Double.random(in: 0.5...1)
    if attempt > 0 { events(.retrying(reason: Self.words(of: error), seconds: seconds)) }
    try await pause(.seconds(seconds))
  }

  private static func words(of error: any Error) -> String {
    if case DropSendError.unreachable(_, let cause) = error { "\(cause)" } else { "\(error)" }
  }

  /// Nobody listens there any more: a machine that is away does not say so, and a receiver that has
  /// ended does not come back, since its ticket has ended with it.
  private static func isRefusal(_ error: any Error) -> Bool {
    switch error {
    case DropSendError.unreachable(_, .connectionFailed(_, _, let text)),
      HTTPError.connectionFailed(_, _, let text):
      text.contains(systemText(ECONNREFUSED))
    default: false
    }
  }

  private static func isTransient(_ error: any Error) -> Bool {
    switch error {
    case let error as HTTPError: error.isTransient
    case is ReceiverTrouble: true
    case DropSendError.unreachable(_, let error): error.isTransient
    default: false
    }
  }
}
