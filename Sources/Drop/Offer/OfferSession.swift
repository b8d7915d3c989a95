import Core
import Synchronization

/// What an offer is about, and when it ends.
final class OfferSession: Sendable {
  private struct State {
    var downloads = 0
    var lastActivity = ContinuousClock.now
    var isOver = false
  }

  let token = DropToken.random()
  let files: [OutgoingFile]
  let name: String
  private let count: Int?
  private let timeout: Duration
  private let emit: @Sendable (DropOffer.Event) -> Void
  private let end: @Sendable () -> Void
  private let state = Mutex(State())

  init(
    _ files: [OutgoingFile], _ options: DropOffer.Options,
    emit: @escaping @Sendable (DropOffer.Event) -> Void, end: @escaping @Sendable () -> Void
  ) {
    self.files = files
    name = options.name
    count = options.count
    timeout = options.timeout
    self.emit = emit
    self.end = end
  }

  var downloads: Int { state.withLock(\.downloads) }

  func tell(_ event: DropOffer.Event) { emit(event) }

  /// Somebody fetches: the time runs anew.
  func touch() { state.withLock { $0.lastActivity = .now } }

  /// A file was fetched to its end.
  func finished(_ file: OutgoingFile, _ address: String) {
    let isLast = state.withLock { state in
      state.downloads += 1
      state.lastActivity = .now
      return count.map { state.downloads >= $0 } ?? false
    }
    emit(.downloaded(file, address: address))
    if isLast { finish() }
  }

  /// Ends the offer once.
  func finish() {
    let isFirst = state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
    if isFirst { end() }
  }

  /// Ends the offer when nothing was fetched for too long.
  func watch() {
    Task { [weak self] in
      while let rest = self?.rest {
        guard rest > .zero else {
          self?.finish()
          return
        }
        try await Task.sleep(for: max(rest, .milliseconds(10)))
      }
    }
  }

  /// Time that is left; nil when it is over.
  private var rest: Duration? {
    state.withLock { state in
      state.isOver ? nil : timeout - (.now - state.lastActivity)
    }
  }
}
